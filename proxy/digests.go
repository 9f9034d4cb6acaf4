package proxy

import (
	"context"
	"errors"
	"strings"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/digests"
	"github.com/kopeck/kopeck/proxy/problem"
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
	} else if len(all) > 1 { // nobody can choose one when the digest runs
		return httpResponse{}, &tools.AmbiguousError{Accounts: all}
	}
	return createdResult(s.cfg.Digests.Add(ctx, r.caller, body))
}

func (s *Server) listDigests(ctx context.Context, r *request) (httpResponse, error) {
	rows, err := s.cfg.Digests.List(ctx, r.caller.OrganizationID)
	if err != nil {
		return httpResponse{}, err
	}
	return pageOf(r, rows)
}

func (s *Server) getDigest(ctx context.Context, r *request) (httpResponse, error) {
	return okResult(s.cfg.Digests.Get(ctx, r.caller.OrganizationID, r.param("id")))
}

func (s *Server) deleteDigest(ctx context.Context, r *request) (httpResponse, error) {
	return noContent(s.cfg.Digests.Delete(ctx, r.caller, r.param("id")))
}

func (s *Server) askDigest(ctx context.Context, r *request) (httpResponse, error) {
	return acceptedResult(s.cfg.Digests.RunNow(ctx, r.caller.OrganizationID, r.param("id")))
}

// Ask answers a digest's question in a new conversation, with the permissions that the key has now. An empty connectionID
// means the organization's only account. The text of the error is written for users. Ask is a [digests.AnswerFunc].
func (s *Server) Ask(ctx context.Context, organizationID, keyID, connectionID, question string) (digests.Answer, error) {
	caller, err := s.cfg.Keys.CallerForKey(ctx, organizationID, keyID)
	if errors.Is(err, keys.ErrRevoked) || errors.Is(err, keys.ErrExpired) || errors.Is(err, keys.ErrAltered) {
		err = problem.Denied("The key that created the digest is no longer valid.", "Create the digest again with another key.").
			InRussian("Ключ, с которым создан дайджест, больше не действует.", "Создайте дайджест заново с другим ключом.").WithCause(err)
	}
	req := agent.Request{ConnectionID: connectionID, Chat: openai.ChatRequest{
		Model: agent.ModelName, Messages: []openai.Message{{Role: openai.RoleUser, Content: openai.Content(question)}},
	}}
	var answer digests.Answer
	if err == nil {
		answer, err = s.runToEnd(ctx, caller, req)
	}
	if err != nil {
		p := problem.Of(ctx, err).InLanguage(req.Language())
		s.cfg.Log.Warn("digest failed", "organization", organizationID, "code", p.Detail.Code, "error", err)
		return digests.Answer{}, errors.New(strings.TrimSpace(p.Detail.Message + " " + p.Detail.Hint))
	}
	return answer, nil
}

// runToEnd returns the agent's complete answer.
func (s *Server) runToEnd(ctx context.Context, caller keys.Caller, req agent.Request) (digests.Answer, error) {
	var answer digests.Answer
	var text strings.Builder
	estimate := expectedTokens{defaultAnswer: defaultAnswerTokens}.limitEstimate(s.agentPrices(req.Chat.Model))
	admission, err := s.admitToModel(ctx, caller, req.Chat.Model, estimate)
	if err != nil {
		return answer, err
	}
	for event, err := range s.withSpend(caller, req.Chat.Model, admission, s.cfg.Agent.Run(ctx, caller, req)) {
		if err != nil {
			return digests.Answer{}, err
		}
		switch e := event.(type) {
		case agent.Started:
			answer.SessionID = e.SessionID
		case agent.Text:
			text.WriteString(e.Delta)
		}
	}
	answer.Text = text.String()
	return answer, nil
}
