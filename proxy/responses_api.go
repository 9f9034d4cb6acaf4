package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/schemas/openai"
)

// createResponse handles the Responses API with the same conversations, sessions, tools and checks as [Server.chatCompletions].
func (s *Server) createResponse(ctx context.Context, r *request) (httpResponse, error) {
	if r.modelRequest != nil {
		return s.passThrough(ctx, r)
	}
	var asked openai.ResponseRequest
	if err := r.decode(&asked); err != nil {
		return httpResponse{}, err
	}
	tools, err := readClientTools(asked.Tools)
	if err != nil {
		return httpResponse{}, err
	}
	referred, err := s.resolveReferences(ctx, r, asked.Input)
	if err != nil {
		return httpResponse{}, err
	}
	chat, err := chatRequest(asked, tools)
	if err != nil {
		return httpResponse{}, err
	}
	req, err := r.addContext(agent.Request{Chat: chat})
	if err != nil {
		return httpResponse{}, err
	}
	err = s.checkImages(req.Chat.Model, len(asked.Input), func(i int) (string, string, []openai.Image) {
		return asked.Input[i].Role, fmt.Sprintf("input.%d.content", i), asked.Input[i].Images
	})
	if err != nil {
		return httpResponse{}, err
	}
	if err := s.continueConversation(ctx, r, asked, referred, &req); err != nil {
		return httpResponse{}, err
	}
	return s.answerQuestion(ctx, r, req, func(session string) answerBuilder {
		made := newResponseBuilder(asked, req.Chat, s.cfg.Now)
		made.session, made.clientTools = session, tools
		made.store = func(ctx context.Context, body openai.Response) { s.storeResponse(ctx, r, session, asked.Input, body) }
		return made
	})
}

// continueConversation sets the session that the request continues: a conversation, or that of an earlier response, which
// the request names or of which it sends an item.
func (s *Server) continueConversation(
	ctx context.Context, r *request, asked openai.ResponseRequest, referred *agent.Response, req *agent.Request,
) error {
	said, from := "conversation", agent.Response{SessionID: asked.Conversation.ID}
	switch id := asked.PreviousResponseID; {
	case id != "" && asked.Conversation.ID != "":
		return invalidFields(field{"conversation", "must be absent beside previous_response_id"})
	case id != "":
		earlier, err := s.cfg.Sessions.Response(ctx, r.caller.OrganizationID, id)
		if errors.Is(err, agent.ErrNotFound) {
			return notFound(fmt.Sprintf("The response %q is not there, or was not stored", id))
		}
		if err != nil {
			return err
		}
		said, from = "previous_response_id", earlier
	case asked.Conversation.ID != "":
		if !agent.IsSessionID(from.SessionID) {
			return notFound(fmt.Sprintf("The conversation %.100q is not there; the id of a session is one", from.SessionID))
		}
	case referred != nil:
		said, from = "input", *referred
	default:
		return nil
	}
	if agent.IsSessionID(req.SessionID) && req.SessionID != from.SessionID {
		return invalidFields(field{said, "must be of the session in X-Session-Id, or go without that header"})
	}
	req.SessionID, req.AfterMessage = from.SessionID, from.MessageCount
	return nil
}

// storeResponse stores an answer unless the client declined. If that fails, the client still has the answer.
func (s *Server) storeResponse(ctx context.Context, r *request, session string, asked openai.Input, body openai.Response) {
	if !body.Store {
		return
	}
	text, err := json.Marshal(body)
	var input []byte
	if err == nil {
		input, err = json.Marshal(inputItems(asked, body.ID))
	}
	if err == nil {
		err = s.cfg.Sessions.SaveResponse(context.WithoutCancel(ctx), r.caller.OrganizationID, body.ID, session, text, input)
	}
	if err != nil {
		s.cfg.Log.ErrorContext(ctx, "response is not kept", "response", body.ID, "session", session, "error", err)
	}
}

// getResponse returns a stored response. It refuses stream=true, because a client would take the body for a stream without
// events.
func (s *Server) getResponse(ctx context.Context, r *request) (httpResponse, error) {
	if streamed, err := r.flag("stream"); err != nil {
		return httpResponse{}, err
	} else if streamed {
		return httpResponse{}, invalidFields(field{"stream", "must be false: a stored answer is given whole"})
	}
	kept, err := s.storedResponse(ctx, r)
	if err != nil {
		return httpResponse{}, err
	}
	return ok(kept.Body)
}

// storedResponse returns the response in the path.
func (s *Server) storedResponse(ctx context.Context, r *request) (agent.Response, error) {
	kept, err := s.cfg.Sessions.Response(ctx, r.caller.OrganizationID, r.param("id"))
	if errors.Is(err, agent.ErrNotFound) {
		return kept, notFound("The response is not there")
	}
	return kept, err
}

// cancelResponse is not supported: answers are not made in the background, and clients cancel them by disconnecting.
func (s *Server) cancelResponse(ctx context.Context, r *request) (httpResponse, error) {
	if _, err := s.storedResponse(ctx, r); err != nil {
		return httpResponse{}, err
	}
	return httpResponse{}, invalid("Only a response that is made in the background can be cancelled, and this service makes none so.",
		"Close the connection of a request to end its answer.")
}

// countInput is not supported: most of what the agent reads is not in the request.
func (s *Server) countInput(context.Context, *request) (httpResponse, error) {
	return httpResponse{}, newProblem(
		http.StatusNotFound, "NOT_FOUND", "input_tokens is not offered: what a question costs depends on the reports that are read for it.",
		"The usage of an answer has its tokens.",
	)
}

func (s *Server) deleteResponse(ctx context.Context, r *request) (httpResponse, error) {
	id := r.param("id")
	err := s.cfg.Sessions.DeleteResponse(ctx, r.caller.OrganizationID, id)
	if errors.Is(err, agent.ErrNotFound) {
		return httpResponse{}, notFound("The response is not there")
	}
	if err != nil {
		return httpResponse{}, err
	}
	return httpResponse{status: http.StatusOK, value: map[string]any{"id": id, "object": openai.ResponseObject, "deleted": true}}, nil
}

// chatRequest converts the request to chat completions.
func chatRequest(asked openai.ResponseRequest, tools clientTools) (openai.ChatRequest, error) {
	chat := openai.ChatRequest{
		Model: asked.Model, Stream: asked.Stream, Temperature: asked.Temperature, TopP: asked.TopP, User: asked.User,
		MaxCompletionTokens: asked.MaxOutputTokens, Metadata: asked.Metadata, ParallelToolCalls: asked.ParallelToolCalls,
		Tools: tools.offered, ResponseFormat: responseFormat(asked.Text.Format),
	}
	if asked.Instructions != "" {
		chat.Messages = append(chat.Messages, openai.Message{Role: openai.RoleSystem, Content: openai.Content(asked.Instructions)})
	}
	for _, item := range asked.Input {
		chat.Messages = appendItem(chat.Messages, item)
	}
	var err error
	chat.ToolChoice, err = tools.toolChoice(asked.ToolChoice)
	return chat, err
}

// appendItem adds an input item as a message. Consecutive calls become one message. Reasoning sent back by the client is
// dropped, since it never was the model's.
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

// responseFormat converts text.format to response_format, which has the schema one level deeper.
func responseFormat(format json.RawMessage) json.RawMessage {
	var sent map[string]json.RawMessage
	if json.Unmarshal(format, &sent) != nil || string(sent["type"]) != `"json_schema"` {
		return format
	}
	delete(sent, "type")
	deeper, err := json.Marshal(map[string]any{"type": "json_schema", "json_schema": sent})
	if err != nil {
		panic(err) // decoded above, so it encodes
	}
	return deeper
}
