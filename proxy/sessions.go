package proxy

import (
	"context"
	"strconv"

	"github.com/kopeck/kopeck/schemas/openai"
)

func (s *Server) listSessions(ctx context.Context, r *request) (httpResponse, error) {
	return pageResult(ctx, r, s.cfg.Sessions.List)
}

func (s *Server) getSession(ctx context.Context, r *request) (httpResponse, error) {
	return okResult(s.cfg.Sessions.Get(ctx, r.caller.OrganizationID, r.param("id")))
}

func (s *Server) listMessages(ctx context.Context, r *request) (httpResponse, error) {
	page, err := r.page()
	if err != nil {
		return httpResponse{}, err
	}
	before := 0
	if page.Cursor != "" {
		if before, err = strconv.Atoi(page.Cursor); err != nil || before < 1 {
			return httpResponse{}, wrongCursor(page.Cursor)
		}
	}
	messages, next, err := s.cfg.Sessions.Messages(ctx, r.caller.OrganizationID, r.param("id"), page.Limit, before)
	if err != nil {
		return httpResponse{}, err
	}
	for i, m := range messages { // show the tool's result, not the text that the model got
		if m.Role == openai.RoleTool && len(m.Results) == 1 {
			messages[i].Content, messages[i].Results = string(m.Results[0]), nil
		}
	}
	if next == 0 {
		return listResponse(messages, "")
	}
	return listResponse(messages, strconv.Itoa(next))
}

func (s *Server) deleteSession(ctx context.Context, r *request) (httpResponse, error) {
	return noContent(s.cfg.Sessions.Delete(ctx, r.caller.OrganizationID, r.param("id")))
}
