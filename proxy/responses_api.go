package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/encoded"
	"github.com/kopeck/kopeck/schemas/openai"
)

// createResponse handles the Responses API. It uses the same conversations, sessions, tools and checks as
// [Server.chatCompletions].
func (s *Server) createResponse(ctx context.Context, r *request) (httpResponse, error) {
	if r.modelRequest != nil {
		return s.passThrough(ctx, r)
	}
	if err := r.refuseIdempotencyKey(); err != nil {
		return httpResponse{}, err
	}
	var body openai.ResponseRequest
	if err := r.decode(&body); err != nil {
		return httpResponse{}, err
	}
	tools, err := readClientTools(body.Tools)
	if err != nil {
		return httpResponse{}, err
	}
	referenced, err := s.resolveReferences(ctx, r, body.Input)
	if err != nil {
		return httpResponse{}, err
	}
	chat, err := chatRequest(body, tools)
	if err != nil {
		return httpResponse{}, err
	}
	req, err := r.addContext(agent.Request{Chat: chat})
	if err != nil {
		return httpResponse{}, err
	}
	err = s.checkImages(req.Chat.Model, len(body.Input), func(i int) (string, string, []openai.Image) {
		return body.Input[i].Role, fmt.Sprintf("input.%d.content", i), body.Input[i].Images
	})
	if err != nil {
		return httpResponse{}, err
	}
	if err := s.continueConversation(ctx, r, body, referenced, &req); err != nil {
		return httpResponse{}, err
	}
	return s.answerQuestion(ctx, r, req, func(session string) answerBuilder {
		builder := newResponseBuilder(body, req.Chat, s.cfg.Now)
		builder.session, builder.clientTools = session, tools
		builder.store = func(ctx context.Context, response openai.Response) {
			s.storeResponse(ctx, r, session, body.Input, response)
		}
		return builder
	})
}

// continueConversation sets the session that the request continues, if any. This is the session of a conversation, of a
// previous response, or of the response that an item reference belongs to.
func (s *Server) continueConversation(
	ctx context.Context, r *request, body openai.ResponseRequest, referenced *agent.Response, req *agent.Request,
) error {
	param, earlier := "conversation", agent.Response{SessionID: body.Conversation.ID}
	switch id := body.PreviousResponseID; {
	case id != "" && body.Conversation.ID != "":
		return problem.InvalidField("conversation", "must not be given together with previous_response_id")
	case id != "":
		previous, err := s.cfg.Sessions.Response(ctx, r.caller.OrganizationID, id)
		if errors.Is(err, agent.ErrNotFound) {
			return problem.NotFound(fmt.Sprintf("There is no stored response %q", id))
		}
		if err != nil {
			return err
		}
		param, earlier = "previous_response_id", previous
	case body.Conversation.ID != "":
		if !agent.IsSessionID(earlier.SessionID) {
			return problem.NotFound(fmt.Sprintf("There is no conversation %.100q; a conversation's id is that of its session", earlier.SessionID))
		}
	case referenced != nil:
		param, earlier = "input", *referenced
	default:
		return nil
	}
	if agent.IsSessionID(req.SessionID) && req.SessionID != earlier.SessionID {
		return problem.InvalidField(param, "must belong to the session in X-Session-Id; leave that header out or send the matching one")
	}
	req.SessionID, req.AfterMessage = earlier.SessionID, earlier.MessageCount
	return nil
}

// storeResponse stores an answer, unless the client has asked not to. If storing fails, the client has still received the
// answer.
func (s *Server) storeResponse(ctx context.Context, r *request, session string, input openai.Input, response openai.Response) {
	if !response.Store {
		return
	}
	body, err := json.Marshal(response)
	var items []byte
	if err == nil {
		items, err = json.Marshal(inputItems(input, response.ID))
	}
	if err == nil {
		err = s.cfg.Sessions.SaveResponse(context.WithoutCancel(ctx), r.caller.OrganizationID, response.ID, session, body, items)
	}
	if err != nil {
		s.cfg.Log.ErrorContext(ctx, "response not stored", "response", response.ID, "session", session, "error", err)
	}
}

// getResponse returns a stored response. It refuses stream=true, because the client would read the body as a stream without
// events.
func (s *Server) getResponse(ctx context.Context, r *request) (httpResponse, error) {
	if streamed, err := r.flag("stream"); err != nil {
		return httpResponse{}, err
	} else if streamed {
		return httpResponse{}, problem.InvalidField("stream", "must be false: a stored response cannot be streamed")
	}
	stored, err := s.storedResponse(ctx, r)
	if err != nil {
		return httpResponse{}, err
	}
	return ok(stored.Body)
}

// storedResponse returns the response in the path.
func (s *Server) storedResponse(ctx context.Context, r *request) (agent.Response, error) {
	stored, err := s.cfg.Sessions.Response(ctx, r.caller.OrganizationID, r.param("id"))
	if errors.Is(err, agent.ErrNotFound) {
		return stored, problem.NotFound("There is no such response")
	}
	return stored, err
}

// cancelResponse returns an error: answers are not made in the background. To cancel one, the client disconnects.
func (s *Server) cancelResponse(ctx context.Context, r *request) (httpResponse, error) {
	if _, err := s.storedResponse(ctx, r); err != nil {
		return httpResponse{}, err
	}
	return httpResponse{}, problem.Invalid("Only background responses can be cancelled, and this service has none.",
		"Close the request's connection to cancel its answer.")
}

// countInput returns an error: most of what the agent reads is not in the request.
func (s *Server) countInput(context.Context, *request) (httpResponse, error) {
	return httpResponse{}, problem.New(
		http.StatusNotFound, "NOT_FOUND", "input_tokens is not supported: the tokens of a question depend on the reports that are read for it.",
		"An answer's usage has its tokens.",
	)
}

func (s *Server) deleteResponse(ctx context.Context, r *request) (httpResponse, error) {
	id := r.param("id")
	err := s.cfg.Sessions.DeleteResponse(ctx, r.caller.OrganizationID, id)
	if errors.Is(err, agent.ErrNotFound) {
		return httpResponse{}, problem.NotFound("There is no such response")
	}
	if err != nil {
		return httpResponse{}, err
	}
	return ok(map[string]any{"id": id, "object": openai.ResponseObject, "deleted": true})
}

// chatRequest converts the request to chat completions.
func chatRequest(req openai.ResponseRequest, tools clientTools) (openai.ChatRequest, error) {
	chat := openai.ChatRequest{
		Model: req.Model, Stream: req.Stream, Temperature: req.Temperature, TopP: req.TopP, User: req.User,
		MaxCompletionTokens: req.MaxOutputTokens, Metadata: req.Metadata, ParallelToolCalls: req.ParallelToolCalls,
		Tools: tools.offered, ResponseFormat: responseFormat(req.Text.Format),
	}
	if req.Instructions != "" {
		chat.Messages = append(chat.Messages, openai.Message{Role: openai.RoleSystem, Content: openai.Content(req.Instructions)})
	}
	for _, item := range req.Input {
		chat.Messages = appendItem(chat.Messages, item)
	}
	var err error
	chat.ToolChoice, err = tools.toolChoice(req.ToolChoice)
	return chat, err
}

// appendItem appends an input item as a message. Consecutive calls become one message. Reasoning that the client sends back
// is dropped, because this service wrote it and not the model.
func appendItem(messages []openai.Message, item openai.InputItem) []openai.Message {
	arguments := item.Arguments
	switch item.Type {
	case "", openai.ItemMessage:
		return append(messages, openai.Message{Role: item.Role, Content: item.Content, Images: item.Images})
	case openai.ItemCallOutput, openai.ItemCustomOutput:
		return append(messages, openai.Message{Role: openai.RoleTool, ToolCallID: item.CallID, Content: item.Output})
	case openai.ItemCustom:
		arguments = customArguments(item.Input)
	case openai.ItemCall:
	default:
		return messages
	}
	call := openai.ToolCall{ID: item.CallID, Type: openai.ToolFunction, Function: openai.FunctionCall{
		Name: offeredName(item.Namespace, item.Name), Arguments: arguments,
	}}
	if n := len(messages); n > 0 && messages[n-1].Role == openai.RoleAssistant {
		messages[n-1].ToolCalls = append(messages[n-1].ToolCalls, call)
		return messages
	}
	return append(messages, openai.Message{Role: openai.RoleAssistant, ToolCalls: []openai.ToolCall{call}})
}

// responseFormat converts text.format to response_format, in which the schema is one level deeper.
func responseFormat(format json.RawMessage) json.RawMessage {
	var sent map[string]json.RawMessage
	if json.Unmarshal(format, &sent) != nil || string(sent["type"]) != `"json_schema"` {
		return format
	}
	delete(sent, "type")
	return encoded.JSON(map[string]any{"type": "json_schema", "json_schema": sent})
}
