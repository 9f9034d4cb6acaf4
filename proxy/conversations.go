package proxy

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/openai"
)

// conversation is a session in the format of the Conversations API.
type conversation struct {
	ID        string            `json:"id"`
	Object    string            `json:"object"`
	CreatedAt int64             `json:"created_at"`
	Metadata  map[string]string `json:"metadata"` // always empty
}

func conversationOf(s agent.Session) conversation {
	return conversation{s.ID, "conversation", s.CreatedAt.Unix(), map[string]string{}}
}

func (s *Server) createConversation(ctx context.Context, r *request) (httpResponse, error) {
	session, err := s.cfg.Sessions.Create(ctx, r.caller)
	if err != nil {
		return httpResponse{}, err
	}
	return httpResponse{status: http.StatusOK, created: true, value: conversationOf(session)}, nil
}

func (s *Server) getConversation(ctx context.Context, r *request) (httpResponse, error) {
	session, err := s.cfg.Sessions.Get(ctx, r.caller.OrganizationID, r.param("id"))
	if err != nil {
		return httpResponse{}, noConversation(err)
	}
	return ok(conversationOf(session))
}

func (s *Server) deleteConversation(ctx context.Context, r *request) (httpResponse, error) {
	id := r.param("id")
	if err := s.cfg.Sessions.Delete(ctx, r.caller.OrganizationID, id); err != nil {
		return httpResponse{}, noConversation(err)
	}
	return ok(map[string]any{"id": id, "object": "conversation.deleted", "deleted": true})
}

func noConversation(err error) error {
	if errors.Is(err, agent.ErrNotFound) {
		return problem.NotFound("There is no such conversation; a conversation's id is that of its session")
	}
	return err
}

// addItems returns an error: items of a conversation can only be questions and their answers.
func (s *Server) addItems(ctx context.Context, r *request) (httpResponse, error) {
	if _, err := s.cfg.Sessions.Get(ctx, r.caller.OrganizationID, r.param("id")); err != nil {
		return httpResponse{}, noConversation(err)
	}
	return httpResponse{}, problem.Invalid("Items cannot be added to a conversation: it has only questions and their answers.",
		"Send them as the input of POST /v1/responses, with conversation.")
}

// listItems lists the messages of a conversation, newest first unless order is asc.
func (s *Server) listItems(ctx context.Context, r *request) (httpResponse, error) {
	selection, err := r.itemsPage()
	if err != nil {
		return httpResponse{}, err
	}
	id, from := r.param("id"), 0
	prefix := "msg_" + strings.ReplaceAll(id, "-", "") + "_"
	if selection.after != "" {
		digits, ours := strings.CutPrefix(selection.after, prefix)
		if from, err = strconv.Atoi(digits); !ours || err != nil || from < 1 {
			return httpResponse{}, wrongAfter(selection.after)
		}
	}
	messages, err := s.cfg.Sessions.VisibleMessages(ctx, r.caller.OrganizationID, id, selection.limit+1, from, selection.newest)
	if err != nil {
		return httpResponse{}, noConversation(err)
	}
	page := itemList[inputItem]{Object: "list", Data: []inputItem{}, HasMore: len(messages) > selection.limit}
	for _, m := range messages[:min(len(messages), selection.limit)] {
		page.Data = append(page.Data, inputItem{
			ID: prefix + strconv.Itoa(m.Position()), Type: openai.ItemMessage, Status: openai.StatusCompleted,
			Role: m.Role, Content: contentParts(m.Role, m.Content),
		})
	}
	if n := len(page.Data); n > 0 {
		page.FirstID, page.LastID = &page.Data[0].ID, &page.Data[n-1].ID
	}
	return ok(page)
}

// itemList is a page of items.
type itemList[T any] struct {
	Object  string  `json:"object"`
	Data    []T     `json:"data"`
	FirstID *string `json:"first_id"`
	LastID  *string `json:"last_id"`
	HasMore bool    `json:"has_more"`
}

// itemsPage selects the items of a page.
type itemsPage struct {
	newest bool // newest first
	limit  int
	after  string // an item's id, or empty
}

// itemsPage reads the query parameters order, limit and after.
func (r *request) itemsPage() (itemsPage, error) {
	p := itemsPage{newest: true, after: r.query("after")}
	switch order := r.query("order"); order {
	case "", "desc":
	case "asc":
		p.newest = false
	default:
		return p, problem.InvalidField("order", "must be asc or desc, got %.60q", order)
	}
	var err error
	p.limit, err = r.limit(20)
	return p, err
}

func wrongAfter(id string) *problem.Problem {
	return problem.InvalidField("after", "must be the id of an item of this list, got %.100q", id)
}
