package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/schemas/openai"
)

// An item's id holds that of its response: what it is of, the response's digits, and its own number.
const responseDigits = 32

func itemID(kind, responseID string, number int) string {
	return fmt.Sprintf("%s_%s%02x", kind, strings.TrimPrefix(responseID, "resp_"), number)
}

// responseOf is the id of the response that an item is of; empty if the service has not issued such an item.
func responseOf(itemID string) string {
	_, digits, _ := strings.Cut(itemID, "_")
	if len(digits) <= responseDigits {
		return ""
	}
	return "resp_" + digits[:responseDigits]
}

// storedItem is an item of the input or output of a stored answer.
type storedItem struct {
	openai.InputItem
	Summary json.RawMessage `json:"summary"`
}

// resolve puts what is stored in the place of references to it, and gives the answer that the last of them is of.
func (s *Server) resolve(ctx context.Context, r *request, input openai.Input) (last *agent.Response, err error) {
	read := map[string]*agent.Response{}
	for i, item := range input {
		if item.Type != openai.ItemReference && (item.Type != "" || item.Role != "" || item.ID == "") {
			continue
		}
		id := responseOf(item.ID)
		of, known := read[id]
		if !known && id != "" {
			kept, err := s.cfg.Sessions.Response(ctx, r.caller.OrganizationID, id)
			if err != nil && !errors.Is(err, agent.ErrNotFound) {
				return nil, err
			}
			if err == nil {
				of = &kept
			}
			read[id] = of
		}
		found, err := itemIn(of, item.ID)
		if err != nil {
			return nil, err
		}
		if found == nil {
			return nil, noItem(i, item.ID)
		}
		input[i], last = *found, of
	}
	return last, nil
}

func noItem(at int, id string) *problem {
	p := notFound(fmt.Sprintf("The item %.100q, to which input.%d refers, is not there, or its response was not stored", id, at))
	param := fmt.Sprintf("input.%d.id", at)
	p.said.Param = &param
	return p
}

// itemIn finds an item in a stored answer, nil if it is not there.
func itemIn(of *agent.Response, id string) (*openai.InputItem, error) {
	if of == nil {
		return nil, nil
	}
	var body struct{ Output []storedItem }
	var asked []storedItem
	if err := json.Unmarshal(of.Body, &body); err != nil {
		return nil, fmt.Errorf("read a stored response: %w", err)
	}
	if of.Input != nil {
		if err := json.Unmarshal(of.Input, &asked); err != nil {
			return nil, fmt.Errorf("read a stored response's input: %w", err)
		}
	}
	for _, item := range slices.Concat(body.Output, asked) {
		if item.ID == id {
			return &item.InputItem, nil
		}
	}
	return nil, nil
}

// inputItem is an item of the input as it is listed.
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

// listedInput is a request's input as it can be listed again. Reasoning that a client sends back is not part of it.
func listedInput(input openai.Input, responseID string) []inputItem {
	items := []inputItem{}
	for i, sent := range input {
		item := inputItem{
			ID: sent.ID, Type: sent.Type, Status: openai.StatusCompleted, CallID: sent.CallID, Namespace: sent.Namespace, Name: sent.Name,
		}
		if responseOf(item.ID) == "" {
			item.ID = itemID("in", responseID, i)
		}
		switch sent.Type {
		case "", openai.ItemMessage:
			item.Type, item.Role, item.Content = openai.ItemMessage, sent.Role, partsOf(sent.Role, string(sent.Content))
			for range sent.Images { // which are not kept
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

// listInputItems gives what was asked for a stored answer, the last first unless the order is asc.
func (s *Server) listInputItems(ctx context.Context, r *request) (answer, error) {
	kept, err := s.storedResponse(ctx, r)
	if err != nil {
		return answer{}, err
	}
	var items []json.RawMessage
	if kept.Input != nil {
		if err := json.Unmarshal(kept.Input, &items); err != nil {
			return answer{}, fmt.Errorf("read a stored response's input: %w", err)
		}
	}
	wanted, err := r.itemsPage()
	if err != nil {
		return answer{}, err
	}
	if wanted.newest {
		slices.Reverse(items)
	}
	ids := make([]string, len(items))
	for i, item := range items {
		var read struct{ ID string }
		if err := json.Unmarshal(item, &read); err != nil {
			return answer{}, fmt.Errorf("read a stored response's input: %w", err)
		}
		ids[i] = read.ID
	}
	from := 0
	if wanted.after != "" {
		if from = slices.Index(ids, wanted.after) + 1; from == 0 {
			return answer{}, wrongAfter(wanted.after)
		}
	}
	to := min(from+wanted.limit, len(items))
	page := itemList[json.RawMessage]{Object: "list", Data: slices.Concat([]json.RawMessage{}, items[from:to]), HasMore: to < len(items)}
	if to > from {
		page.FirstID, page.LastID = &ids[from], &ids[to-1]
	}
	return ok(page)
}

// partsOf is a text as the content of a message of that role.
func partsOf(role, text string) []map[string]any {
	kind := "input_text"
	if role == openai.RoleAssistant {
		kind = openai.PartText
	}
	return []map[string]any{{"type": kind, "text": text}}
}
