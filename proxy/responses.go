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

// respond answers by the Responses API: the same conversation, sessions, tools and checks as [Server.complete].
func (s *Server) respond(ctx context.Context, r *request) (answer, error) {
	if r.plain != nil {
		return s.pass(ctx, r)
	}
	var asked openai.ResponseRequest
	if err := r.into(&asked); err != nil {
		return answer{}, err
	}
	req, err := r.about(agent.Request{Chat: chatOf(asked)})
	if err != nil {
		return answer{}, err
	}
	if asked.PreviousResponseID != "" {
		if err := s.goOn(ctx, r, asked.PreviousResponseID, &req); err != nil {
			return answer{}, err
		}
	}
	return s.answer(ctx, r, req, func(session string) telling {
		made := newResponse(asked, req.Chat, s.cfg.Now)
		made.session = session
		made.keep = func(ctx context.Context, body openai.Response) { s.keepResponse(ctx, r, session, body) }
		return made
	})
}

// goOn has the conversation go on from an earlier answer.
func (s *Server) goOn(ctx context.Context, r *request, id string, req *agent.Request) error {
	earlier, err := s.cfg.Sessions.Response(ctx, r.caller.OrganizationID, id)
	if errors.Is(err, agent.ErrNotFound) {
		return notFound(fmt.Sprintf("The response %q is not there, or was not stored", id))
	}
	if err != nil {
		return err
	}
	if req.SessionID != "" && req.SessionID != earlier.SessionID {
		return invalidFields(field{"previous_response_id", "must be of the session in X-Session-Id, or go without that header"})
	}
	req.SessionID, req.Messages = earlier.SessionID, earlier.Messages
	return nil
}

// keepResponse keeps an answer unless the client does not want it. One that cannot be kept has been given all the same.
func (s *Server) keepResponse(ctx context.Context, r *request, session string, body openai.Response) {
	if !body.Store {
		return
	}
	text, err := json.Marshal(body)
	if err == nil {
		err = s.cfg.Sessions.KeepResponse(context.WithoutCancel(ctx), r.caller.OrganizationID, body.ID, session, text)
	}
	if err != nil {
		s.cfg.Log.ErrorContext(ctx, "response is not kept", "response", body.ID, "session", session, "error", err)
	}
}

// getResponse gives a stored answer whole. Who wants it as a stream would take that for a stream without events.
func (s *Server) getResponse(ctx context.Context, r *request) (answer, error) {
	if streamed, err := r.flag("stream"); err != nil {
		return answer{}, err
	} else if streamed {
		return answer{}, invalidFields(field{"stream", "must be false: a stored answer is given whole"})
	}
	kept, err := s.cfg.Sessions.Response(ctx, r.caller.OrganizationID, r.param("id"))
	if errors.Is(err, agent.ErrNotFound) {
		return answer{}, notFound("The response is not there")
	}
	if err != nil {
		return answer{}, err
	}
	return ok(kept.Body)
}

func (s *Server) deleteResponse(ctx context.Context, r *request) (answer, error) {
	id := r.param("id")
	err := s.cfg.Sessions.DeleteResponse(ctx, r.caller.OrganizationID, id)
	if errors.Is(err, agent.ErrNotFound) {
		return answer{}, notFound("The response is not there")
	}
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusOK, value: map[string]any{"id": id, "object": openai.ResponseObject, "deleted": true}}, nil
}

// chatOf is the same question as chat completions put it.
func chatOf(asked openai.ResponseRequest) openai.ChatRequest {
	chat := openai.ChatRequest{
		Model: asked.Model, Stream: asked.Stream, Temperature: asked.Temperature, TopP: asked.TopP, User: asked.User,
		MaxCompletionTokens: asked.MaxOutputTokens, Metadata: asked.Metadata, ParallelToolCalls: asked.ParallelToolCalls,
		ToolChoice: asked.ToolChoice, ResponseFormat: formatOf(asked.Text.Format),
	}
	if asked.Instructions != "" {
		chat.Messages = append(chat.Messages, openai.Message{Role: openai.RoleSystem, Content: openai.Content(asked.Instructions)})
	}
	for _, item := range asked.Input {
		chat.Messages = appendItem(chat.Messages, item)
	}
	for _, tool := range asked.Tools {
		if tool.Type == "function" {
			chat.Tools = append(chat.Tools, openai.Tool{Type: tool.Type, Function: openai.Function{
				Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters, Strict: tool.Strict,
			}})
		}
	}
	var named struct{ Type, Name string }
	if json.Unmarshal(asked.ToolChoice, &named) == nil && named.Type == "function" {
		chat.ToolChoice, _ = json.Marshal(map[string]any{"type": "function", "function": map[string]string{"name": named.Name}}) // texts always encode
	}
	return chat
}

// appendItem adds an item of the input as a message. Calls that follow one another are one message; what a client sends
// back of reasoning was never the model's.
func appendItem(messages []openai.Message, item openai.InputItem) []openai.Message {
	switch item.Type {
	case "", openai.ItemMessage:
		return append(messages, openai.Message{Role: item.Role, Content: item.Content})
	case openai.ItemCallOutput:
		return append(messages, openai.Message{Role: openai.RoleTool, ToolCallID: item.CallID, Content: item.Output})
	case openai.ItemCall:
		call := openai.ToolCall{ID: item.CallID, Type: "function", Function: openai.FunctionCall{Name: item.Name, Arguments: item.Arguments}}
		if n := len(messages); n > 0 && messages[n-1].Role == openai.RoleAssistant {
			messages[n-1].ToolCalls = append(messages[n-1].ToolCalls, call)
			return messages
		}
		return append(messages, openai.Message{Role: openai.RoleAssistant, ToolCalls: []openai.ToolCall{call}})
	}
	return messages
}

// formatOf is text.format in the form of response_format, which has the schema one level deeper.
func formatOf(format json.RawMessage) json.RawMessage {
	var sent map[string]json.RawMessage
	if json.Unmarshal(format, &sent) != nil || string(sent["type"]) != `"json_schema"` {
		return format
	}
	delete(sent, "type")
	deeper, err := json.Marshal(map[string]any{"type": "json_schema", "json_schema": sent})
	if err != nil {
		panic(err) // what was just read
	}
	return deeper
}
