package proxy

import (
	"context"
	"iter"
	"net/http"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/schemas/openai"
)

// complete answers a conversation, whole or streamed. The run is begun before the answer is, so that what is wrong from
// the start has its own status; what goes wrong later in a stream has to be told inside it.
func (s *Server) complete(ctx context.Context, r *request) (answer, error) {
	req, err := r.question()
	if err != nil {
		return answer{}, err
	}
	run := s.follow(r, func(ctx context.Context) iter.Seq2[agent.Event, error] { return s.answers(ctx, r, req) })
	started, err := run.begin(ctx)
	if err != nil {
		run.leave()
		return answer{}, err
	}
	// Only now: what a caller writes in place of a model that there is may be a secret.
	r.record.model, r.record.session = req.Chat.Model, started.SessionID
	made := newCompletion(req.Chat.Model, started.SessionID, s.cfg.Now())
	header := map[string]string{}
	if started.SessionID != "" { // plain proxying has no session
		header["X-Session-Id"] = started.SessionID
	}
	if req.Chat.Stream {
		return s.streamed(ctx, r, run, made, header, req.Chat.StreamOptions), nil
	}
	defer run.leave()
	for event, err := range run.rest(ctx) {
		if err != nil {
			return answer{}, err
		}
		r.record.event(event)
		made.add(ctx, event)
	}
	return answer{status: http.StatusOK, header: header, value: made.whole()}, nil
}

// question reads what the agent is asked, and about which session and connection.
func (r *request) question() (agent.Request, error) {
	var req agent.Request
	if err := r.into(&req.Chat); err != nil {
		return req, err
	}
	if req.Chat.Model == "" {
		req.Chat.Model = agent.ModelName
	}
	req.Chat.MaxTokens, req.Chat.MaxCompletionTokens = limit(req.Chat.MaxTokens), limit(req.Chat.MaxCompletionTokens)
	var err error
	if req.SessionID, err = r.header("X-Session-Id"); err != nil {
		return req, err
	}
	inHeader, err := r.header("X-Connection-Id")
	if err != nil {
		return req, err
	}
	req.ConnectionID = inHeader
	if inBody := req.Chat.Metadata["connection_id"]; inBody != "" {
		if inHeader != "" && inHeader != inBody {
			return req, invalidFields(field{"metadata.connection_id", "must be that of X-Connection-Id, or absent, got " + inBody})
		}
		req.ConnectionID = inBody
	}
	return req, nil
}

// limit is n, or nil for 0: OpenAI's own clients send it and mean none.
func limit(n *int) *int {
	if n == nil || *n == 0 {
		return nil
	}
	return n
}

// event notes what the log wants to know of a run.
func (r *record) event(e agent.Event) {
	if f, ok := e.(agent.ToolFinished); ok && f.Result != nil {
		r.tool(f.Result)
	}
}

func (s *Server) listModels(context.Context, *request) (answer, error) {
	list := openai.ModelList{Object: "list", Data: []openai.Model{}}
	for _, name := range s.cfg.Agent.Models() {
		list.Data = append(list.Data, s.model(name))
	}
	return ok(list)
}

func (s *Server) getModel(_ context.Context, r *request) (answer, error) {
	asked := r.unescaped("id")
	for _, name := range s.cfg.Agent.Models() {
		if name == asked {
			return ok(s.model(name))
		}
	}
	return answer{}, agent.ErrUnknownModel
}
