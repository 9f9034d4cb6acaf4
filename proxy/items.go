package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/openai"
)

// responseDigits is the length of a response's id after "resp_". The id of an item consists of its type, the digits of its
// response, and its number.
const responseDigits = 32

func itemID(kind, responseID string, number int) string {
	return fmt.Sprintf("%s_%s%02x", kind, strings.TrimPrefix(responseID, "resp_"), number)
}

// responseIDOf returns the id of an item's response, or "" if this service did not create the item.
func responseIDOf(itemID string) string {
	_, digits, _ := strings.Cut(itemID, "_")
	if len(digits) <= responseDigits {
		return ""
	}
	return "resp_" + digits[:responseDigits]
}

// storedItem is an input or output item of a stored response.
type storedItem struct {
	openai.InputItem
	Summary json.RawMessage `json:"summary"`
}

// resolveReferences replaces the references in the input with the stored items. last is the response that the last
// referenced item belongs to; nil if the input has no references.
func (s *Server) resolveReferences(ctx context.Context, r *request, input openai.Input) (last *agent.Response, err error) {
	known := map[string]*agent.Response{} // by id; nil for a response that is not stored
	for i, item := range input {
		if item.Type != openai.ItemReference && (item.Type != "" || item.Role != "" || item.ID == "") {
			continue
		}
		id := responseIDOf(item.ID)
		response, looked := known[id]
		if !looked && id != "" {
			stored, err := s.cfg.Sessions.Response(ctx, r.caller.OrganizationID, id)
			if err != nil && !errors.Is(err, agent.ErrNotFound) {
				return nil, err
			}
			if err == nil {
				response = &stored
			}
			known[id] = response
		}
		found, err := findItem(response, item.ID)
		if err != nil {
			return nil, err
		}
		if found == nil {
			return nil, missingItem(i, item.ID)
		}
		input[i], last = *found, response
	}
	return last, nil
}

func missingItem(at int, id string) *problem.Problem {
	p := problem.NotFound(fmt.Sprintf("input.%d refers to the item %.100q, which does not exist or is not stored", at, id))
	p.OpenAI.Param = new(fmt.Sprintf("input.%d.id", at))
	return p
}

// findItem returns an item of a stored response; nil if there is none.
func findItem(response *agent.Response, id string) (*openai.InputItem, error) {
	if response == nil {
		return nil, nil
	}
	var body struct{ Output []storedItem }
	var input []storedItem
	if err := json.Unmarshal(response.Body, &body); err != nil {
		return nil, fmt.Errorf("read a stored response: %w", err)
	}
	if response.Input != nil {
		if err := json.Unmarshal(response.Input, &input); err != nil {
			return nil, fmt.Errorf("read a stored response's input: %w", err)
		}
	}
	for _, item := range slices.Concat(body.Output, input) {
		if item.ID == id {
			return &item.InputItem, nil
		}
	}
	return nil, nil
}

// inputItem is an input item in a list.
type inputItem struct {
	ID        string           `json:"id"`
	Type      string           `json:"type"`
	Status    string           `json:"status"`
	Role      string           `json:"role,omitempty"`
	Content   []map[string]any `json:"content,omitempty"`
	CallID    string           `json:"call_id,omitempty"`
	Namespace string           `json:"namespace,omitempty"`
	Name      string           `json:"name,omitempty"`
	Arguments *string          `json:"arguments,omitempty"`
	Input     *string          `json:"input,omitempty"`
	Output    *string          `json:"output,omitempty"`
}

// inputItems returns a request's input in the form in which it can be listed later. It leaves out reasoning that the client
// has sent back.
func inputItems(input openai.Input, responseID string) []inputItem {
	items := []inputItem{}
	for i, sent := range input {
		item := inputItem{
			ID: sent.ID, Type: sent.Type, Status: openai.StatusCompleted, CallID: sent.CallID, Namespace: sent.Namespace, Name: sent.Name,
		}
		if responseIDOf(item.ID) == "" {
			item.ID = itemID("in", responseID, i)
		}
		switch sent.Type {
		case "", openai.ItemMessage:
			item.Type, item.Role, item.Content = openai.ItemMessage, sent.Role, contentParts(sent.Role, string(sent.Content))
			for range sent.Images { // images are not stored
				item.Content = append(item.Content, map[string]any{"type": openai.PartImage, "image_url": nil, "detail": "auto"})
			}
		case openai.ItemCall:
			item.Arguments = &sent.Arguments
		case openai.ItemCustom:
			item.Input = &sent.Input
		case openai.ItemCallOutput, openai.ItemCustomOutput:
			output := string(sent.Output)
			item.Output = &output
		default:
			continue
		}
		items = append(items, item)
	}
	return items
}

// listInputItems lists the input of a stored response, newest first unless order is asc.
func (s *Server) listInputItems(ctx context.Context, r *request) (httpResponse, error) {
	stored, err := s.storedResponse(ctx, r)
	if err != nil {
		return httpResponse{}, err
	}
	var items []json.RawMessage
	if stored.Input != nil {
		if err := json.Unmarshal(stored.Input, &items); err != nil {
			return httpResponse{}, fmt.Errorf("read a stored response's input: %w", err)
		}
	}
	selection, err := r.itemsPage()
	if err != nil {
		return httpResponse{}, err
	}
	if selection.newest {
		slices.Reverse(items)
	}
	ids := make([]string, len(items))
	for i, item := range items {
		var decoded struct{ ID string }
		if err := json.Unmarshal(item, &decoded); err != nil {
			return httpResponse{}, fmt.Errorf("read a stored response's input: %w", err)
		}
		ids[i] = decoded.ID
	}
	from := 0
	if selection.after != "" {
		if from = slices.Index(ids, selection.after) + 1; from == 0 {
			return httpResponse{}, wrongAfter(selection.after)
		}
	}
	to := min(from+selection.limit, len(items))
	page := itemList[json.RawMessage]{Object: "list", Data: slices.Concat([]json.RawMessage{}, items[from:to]), HasMore: to < len(items)}
	if to > from {
		page.FirstID, page.LastID = &ids[from], &ids[to-1]
	}
	return ok(page)
}

// contentParts returns a text as the content of a message.
func contentParts(role, text string) []map[string]any {
	kind := "input_text"
	if role == openai.RoleAssistant {
		kind = openai.PartText
	}
	return []map[string]any{{"type": kind, "text": text}}
}
