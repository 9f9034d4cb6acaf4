package proxy

import (
	"context"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/openai"
)

// listSessions lists the sessions for any key. A title is what somebody asked, so it takes a scope to see it.
func (s *Server) listSessions(ctx context.Context, r *request) (httpResponse, error) {
	seesTitles := r.caller.Can(keys.ReadData) || r.caller.Can(keys.Chat)
	return pageResult(ctx, r, func(ctx context.Context, organizationID string, page database.Page) ([]agent.Session, string, error) {
		sessions, next, err := s.cfg.Sessions.List(ctx, organizationID, page)
		for i := range sessions {
			if !seesTitles {
				sessions[i].Title = ""
			}
		}
		return sessions, next, err
	})
}

func (s *Server) getSession(ctx context.Context, r *request) (httpResponse, error) {
	return okResult(s.cfg.Sessions.Get(ctx, r.caller.OrganizationID, r.param("id")))
}

func (s *Server) listMessages(ctx context.Context, r *request) (httpResponse, error) {
	return pageResult(ctx, r, func(ctx context.Context, organizationID string, page database.Page) ([]agent.Message, string, error) {
		messages, next, err := s.cfg.Sessions.Messages(ctx, organizationID, r.param("id"), page)
		for i, m := range messages { // show the tool's result, not the text that the model got
			if m.Role == openai.RoleTool && len(m.Results) == 1 {
				messages[i].Content, messages[i].Results = string(m.Results[0]), nil
			}
		}
		return messages, next, err
	})
}

func (s *Server) deleteSession(ctx context.Context, r *request) (httpResponse, error) {
	return noContent(s.cfg.Sessions.Delete(ctx, r.caller.OrganizationID, r.param("id")))
}
