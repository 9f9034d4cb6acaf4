package proxy

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/proxy/limits"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/openai"
)

// answerBuilder builds an answer in the format of one of OpenAI's APIs.
type answerBuilder interface {
	opening() []byte                               // the first frames of a stream
	add(ctx context.Context, e agent.Event) []byte // adds an event and returns its frames
	closing() []byte                               // the last frames of a stream
	failed(p *problem.Problem) []byte              // the frame that reports an error
	whole() any                                    // the complete answer, without a stream
}

// chatCompletions handles chat completions.
func (s *Server) chatCompletions(ctx context.Context, r *request) (httpResponse, error) {
	if r.modelRequest != nil {
		return s.passThrough(ctx, r)
	}
	if err := r.refuseIdempotencyKey(); err != nil {
		return httpResponse{}, err
	}
	req, err := r.readQuestion()
	if err != nil {
		return httpResponse{}, err
	}
	functions, err := convertFunctions(&req.Chat)
	if err != nil {
		return httpResponse{}, err
	}
	err = s.checkImages(req.Chat.Model, len(req.Chat.Messages), func(i int) (string, string, []openai.Image) {
		return req.Chat.Messages[i].Role, fmt.Sprintf("messages.%d.content", i), req.Chat.Messages[i].Images
	})
	if err != nil {
		return httpResponse{}, err
	}
	withUsage := req.Chat.StreamOptions != nil && req.Chat.StreamOptions.IncludeUsage
	return s.answerQuestion(ctx, r, req, func(session string) answerBuilder {
		builder := newCompletionBuilder(req.Chat.Model, session, s.cfg.Now(), withUsage)
		builder.asFunctions = functions
		return builder
	})
}

// answerQuestion answers a question, streamed or not. It waits until the run has started, so that an early error is
// returned with its own status. Later errors are events of the stream.
func (s *Server) answerQuestion(
	ctx context.Context, r *request, req agent.Request, newBuilder func(session string) answerBuilder,
) (httpResponse, error) {
	r.language = req.Language()
	var admission *limits.Admission
	if _, _, decides := draftDecision(req); !decides { // a draft is decided without a model, so no limit of models applies
		var err error
		estimate := questionTokens(r.fast.PostBody()).limitEstimate(s.agentPrices(req.Chat.Model))
		if admission, err = s.admitRequest(ctx, r, req.Chat.Model, estimate); err != nil {
			return httpResponse{}, err
		}
	}
	caller := r.caller
	run, joined := s.followRun(r, func(ctx context.Context) iter.Seq2[agent.Event, error] {
		return s.withSpend(caller, req.Chat.Model, admission, s.questionLimit.limited(ctx, caller, s.answerEvents(ctx, r, req)))
	})
	if joined { // only the request that started the run is charged for it
		admission.Settle()
	}
	started, err := run.begin(ctx)
	if err != nil {
		run.leave()
		return httpResponse{}, err
	}
	// The model is recorded only after the run has started, which shows that it exists: a client may send a secret as its
	// name.
	r.record.model, r.record.session = req.Chat.Model, started.SessionID
	builder := newBuilder(started.SessionID)
	header := map[string]string{}
	if started.SessionID != "" { // empty for requests that a chat UI makes by itself, such as for a title
		header["X-Session-Id"] = started.SessionID
	}
	if req.Chat.Stream {
		return s.streamResponse(ctx, r, run, builder, header), nil
	}
	defer run.leave()
	for event, err := range run.rest(ctx) {
		if err != nil {
			return httpResponse{}, err
		}
		r.record.noteEvent(event)
		builder.add(ctx, event)
	}
	return httpResponse{status: http.StatusOK, header: header, value: builder.whole()}, nil
}

// problemFor returns the problem for an error, in the request's language.
func (r *request) problemFor(ctx context.Context, err error) *problem.Problem {
	return problem.Of(ctx, err).InLanguage(r.language)
}

// readQuestion reads a question for the agent, with its session and connection.
func (r *request) readQuestion() (agent.Request, error) {
	var req agent.Request
	if err := r.decode(&req.Chat); err != nil {
		return req, err
	}
	return r.addContext(req)
}

// addContext adds defaults, and the session and connection that the request names.
func (r *request) addContext(req agent.Request) (agent.Request, error) {
	if req.Chat.Model == "" {
		req.Chat.Model = agent.ModelName
	}
	req.Chat.MaxTokens, req.Chat.MaxCompletionTokens = zeroAsNil(req.Chat.MaxTokens), zeroAsNil(req.Chat.MaxCompletionTokens)
	var err error
	if req.SessionID, err = r.header("X-Session-Id"); err != nil {
		return req, err
	}
	req.ConnectionID, err = r.connection("metadata.connection_id", req.Chat.Metadata["connection_id"])
	return req, err
}

// zeroAsNil returns nil for 0, because OpenAI's own clients send 0 for "no limit".
func zeroAsNil(n *int) *int {
	if n == nil || *n == 0 {
		return nil
	}
	return n
}

// noteEvent records what the log needs from an event.
func (r *record) noteEvent(e agent.Event) {
	switch e := e.(type) {
	case agent.ToolFinished:
		if e.Result != nil {
			r.noteTool(e.Result)
		}
	case agent.Text:
		if r.firstText == 0 {
			r.firstText = time.Since(r.start)
		}
	case agent.Finished:
		r.usage = &e.Usage
	}
}
