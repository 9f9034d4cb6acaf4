package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/tools"
)

func (s *Server) listTools(_ context.Context, r *request) (httpResponse, error) {
	return pageOf(r, s.cfg.Tools)
}

func (s *Server) getTool(_ context.Context, r *request) (httpResponse, error) {
	return okResult(s.findTool(r.param("name")))
}

func (s *Server) findTool(name string) (tools.Tool, error) {
	for _, t := range s.cfg.Tools {
		if t.Name == name {
			return t, nil
		}
	}
	return tools.Tool{}, problem.NotFoundIn("GET /api/v1/tools lists the tools.", fmt.Sprintf("There is no tool %q", name))
}

// executeBody reads the body of a request to execute a tool or a connector's action.
func (r *request) executeBody() (arguments json.RawMessage, connectionID string, err error) {
	var body struct {
		Arguments    json.RawMessage `json:"arguments"`
		ConnectionID string          `json:"connection_id"`
	}
	if err := r.decode(&body); err != nil {
		return nil, "", err
	}
	connectionID, err = r.connection(connectionParameter, body.ConnectionID)
	return body.Arguments, connectionID, err
}

func (s *Server) executeTool(ctx context.Context, r *request) (httpResponse, error) {
	t, err := s.findTool(r.param("name"))
	if err != nil {
		return httpResponse{}, err
	}
	arguments, connectionID, err := r.executeBody()
	if err != nil {
		return httpResponse{}, err
	}
	account, err := s.cfg.Accounts.Open(ctx, r.caller, connectionID)
	if err != nil {
		return httpResponse{}, err
	}
	r.record.account = account.ID
	session, err := r.header("X-Session-Id")
	if err != nil {
		return httpResponse{}, err
	}
	ctx = s.cfg.Sessions.WithReports(ctx, r.caller.OrganizationID, session)
	result, err := s.cfg.Accounts.Execute(ctx, r.caller, t, account, arguments)
	if err != nil {
		return httpResponse{}, err
	}
	r.record.noteTool(result)
	if t.Kind == tools.Draft {
		return httpResponse{status: http.StatusAccepted, value: result}, nil
	}
	return ok(result)
}

func (r *record) noteTool(result *tools.Result) {
	r.tools = append(r.tools, result.Tool)
	r.upstreamCalls += result.UpstreamCalls
	r.account = result.AccountID
}
