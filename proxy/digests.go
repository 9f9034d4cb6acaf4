package proxy

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/digests"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

func (s *Server) addDigest(ctx context.Context, r *request) (httpResponse, error) {
	var body digests.NewDigest
	if err := r.decode(&body); err != nil {
		return httpResponse{}, err
	}
	if body.ConnectionID != "" {
		if _, err := s.cfg.Keys.Connection(ctx, r.caller.OrganizationID, body.ConnectionID); err != nil {
			return httpResponse{}, err
		}
	} else if all, err := s.cfg.Accounts.Candidates(ctx, r.caller); err != nil {
		return httpResponse{}, err
	} else if len(all) > 1 { // when the digest runs, nobody can be asked
		return httpResponse{}, &tools.AmbiguousError{Accounts: all}
	}
	d, err := s.cfg.Digests.Add(ctx, r.caller, body)
	if err != nil {
		return httpResponse{}, err
	}
	return created(d)
}

func (s *Server) listDigests(ctx context.Context, r *request) (httpResponse, error) {
	rows, err := s.cfg.Digests.List(ctx, r.caller.OrganizationID)
	if err != nil {
		return httpResponse{}, err
	}
	return pageOf(r, rows)
}

func (s *Server) getDigest(ctx context.Context, r *request) (httpResponse, error) {
	d, err := s.cfg.Digests.Get(ctx, r.caller.OrganizationID, r.param("id"))
	if err != nil {
		return httpResponse{}, err
	}
	return ok(d)
}

func (s *Server) deleteDigest(ctx context.Context, r *request) (httpResponse, error) {
	if err := s.cfg.Digests.Delete(ctx, r.caller, r.param("id")); err != nil {
		return httpResponse{}, err
	}
	return httpResponse{status: http.StatusNoContent}, nil
}

func (s *Server) askDigest(ctx context.Context, r *request) (httpResponse, error) {
	d, err := s.cfg.Digests.RunNow(ctx, r.caller.OrganizationID, r.param("id"))
	if err != nil {
		return httpResponse{}, err
	}
	return httpResponse{status: http.StatusAccepted, value: d}, nil
}

// Ask answers a digest's question in a new conversation, with the current permissions of the key. It is this server's
// [digests.AnswerFunc]; the text of its error is the API's.
func (s *Server) Ask(ctx context.Context, organizationID, keyID, connectionID, question string) (digests.Answer, error) {
	caller, err := s.cfg.Keys.CallerForKey(ctx, organizationID, keyID)
	if errors.Is(err, keys.ErrRevoked) || errors.Is(err, keys.ErrExpired) || errors.Is(err, keys.ErrAltered) {
		//nolint:staticcheck // shown to people
		return digests.Answer{}, errors.New("The key that made the digest is no longer valid. Make the digest again with another.")
	}
	var said digests.Answer
	if err == nil {
		said, err = s.runToEnd(ctx, caller, agent.Request{ConnectionID: connectionID, Chat: openai.ChatRequest{
			Model: agent.ModelName, Messages: []openai.Message{{Role: openai.RoleUser, Content: openai.Content(question)}},
		}})
	}
	if err != nil {
		p := problemOf(ctx, err)
		s.cfg.Log.Warn("a digest is not answered", "organization", organizationID, "code", p.detail.Code, "error", err)
		return digests.Answer{}, errors.New(strings.TrimSpace(p.detail.Message + " " + p.detail.Hint))
	}
	return said, nil
}

// runToEnd returns the agent's complete answer.
func (s *Server) runToEnd(ctx context.Context, caller keys.Caller, req agent.Request) (digests.Answer, error) {
	var said digests.Answer
	var text strings.Builder
	estimate := expectedTokens{defaultAnswer: defaultAnswerTokens}.limitEstimate(s.agentPrices(req.Chat.Model))
	admission, err := s.admitToModel(ctx, caller, req.Chat.Model, estimate)
	if err != nil {
		return said, err
	}
	for event, err := range s.withSpend(caller, req.Chat.Model, admission, s.cfg.Agent.Run(ctx, caller, req)) {
		if err != nil {
			return digests.Answer{}, err
		}
		switch e := event.(type) {
		case agent.Started:
			said.SessionID = e.SessionID
		case agent.Text:
			text.WriteString(e.Delta)
		}
	}
	said.Text = text.String()
	return said, nil
}
