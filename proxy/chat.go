package proxy

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/proxy/limits"
	"github.com/kopeck/kopeck/schemas/openai"
)

// telling is an answer in the making, in the form of one of OpenAI's APIs.
type telling interface {
	opening() []byte                               // the frames that come first
	add(ctx context.Context, e agent.Event) []byte // takes an event in and gives its frames
	closing(ctx context.Context) []byte            // the frames that come last
	failed(p *problem) []byte                      // the frame that tells of an error instead
	whole(ctx context.Context) any                 // the answer without a stream
}

// complete answers a conversation by chat completions.
func (s *Server) complete(ctx context.Context, r *request) (answer, error) {
	if r.plain != nil {
		return s.pass(ctx, r)
	}
	req, err := r.question()
	if err != nil {
		return answer{}, err
	}
	functions, err := modern(&req.Chat)
	if err != nil {
		return answer{}, err
	}
	err = s.look(req.Chat.Model, len(req.Chat.Messages), func(i int) (string, string, []openai.Image) {
		return req.Chat.Messages[i].Role, fmt.Sprintf("messages.%d.content", i), req.Chat.Messages[i].Images
	})
	if err != nil {
		return answer{}, err
	}
	withUsage := req.Chat.StreamOptions != nil && req.Chat.StreamOptions.IncludeUsage
	return s.answer(ctx, r, req, func(session string) telling {
		made := newCompletion(req.Chat.Model, session, s.cfg.Now(), withUsage)
		made.functions = functions
		return made
	})
}

// answer answers a question, whole or streamed. The run starts before the answer does, so that an error at the start has its
// own status. A later error in a stream is an event of the stream.
func (s *Server) answer(ctx context.Context, r *request, req agent.Request, tellingOf func(session string) telling) (answer, error) {
	r.language = req.Language()
	admission, err := s.limit(ctx, r, req.Chat.Model, ofQuestion(r.fast.PostBody()).looks(s.pricesBehind(req.Chat.Model)))
	if err != nil {
		return answer{}, r.told(ctx, err)
	}
	caller := r.caller
	run, joined := s.follow(r, func(ctx context.Context) iter.Seq2[agent.Event, error] {
		return s.accounted(caller, req.Chat.Model, admission, s.questions.bounded(ctx, caller, s.answers(ctx, r, req)))
	})
	if joined { // what the run uses counts for the request that began it
		admission.Settle(limits.Use{})
	}
	started, err := run.begin(ctx)
	if err != nil {
		run.leave()
		return answer{}, r.told(ctx, err)
	}
	// Only now: what a caller writes in place of a model that there is may be a secret.
	r.record.model, r.record.session = req.Chat.Model, started.SessionID
	made := tellingOf(started.SessionID)
	header := map[string]string{}
	if started.SessionID != "" { // what a chat UI asks for itself has none
		header["X-Session-Id"] = started.SessionID
	}
	if req.Chat.Stream {
		return s.streamed(ctx, r, run, made, header), nil
	}
	defer run.leave()
	for event, err := range run.rest(ctx) {
		if err != nil {
			return answer{}, r.told(ctx, err)
		}
		r.record.event(event)
		made.add(ctx, event)
	}
	return answer{status: http.StatusOK, header: header, value: made.whole(ctx)}, nil
}

// told is an error in the words that the conversation gets.
func (r *request) told(ctx context.Context, err error) *problem {
	return problemOf(ctx, err).in(r.language)
}

// question reads what the agent is asked, and about which session and connection.
func (r *request) question() (agent.Request, error) {
	var req agent.Request
	if err := r.into(&req.Chat); err != nil {
		return req, err
	}
	return r.about(req)
}

// about adds to a question what the request says of its session and connection, and what it leaves unsaid.
func (r *request) about(req agent.Request) (agent.Request, error) {
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
	switch e := e.(type) {
	case agent.ToolFinished:
		if e.Result != nil {
			r.tool(e.Result)
		}
	case agent.Text:
		if r.firstText == 0 {
			r.firstText = time.Since(r.start)
		}
	case agent.Finished:
		r.usage = &e.Usage
	}
}

// models are what a request may name: the agent, the agent over each model that can call tools, and those models.
func (s *Server) models() []string {
	set, all := s.cfg.Models.Set(), agent.Models()
	for _, name := range set.Names() {
		if set.Find(name).Tools {
			all = append(all, agent.Over(name))
		}
	}
	return append(all, set.Names()...)
}

func (s *Server) listModels(ctx context.Context, r *request) (answer, error) {
	list := openai.ModelList{Object: "list", Data: []openai.Model{}}
	names, err := s.allowed(ctx, r)
	if err != nil {
		return answer{}, err
	}
	for _, name := range names {
		list.Data = append(list.Data, s.model(name))
	}
	return ok(list)
}

func (s *Server) getModel(ctx context.Context, r *request) (answer, error) {
	asked := r.unescaped("id")
	names, err := s.allowed(ctx, r)
	if err != nil {
		return answer{}, err
	}
	for _, name := range names {
		if name == asked {
			return ok(s.model(name))
		}
	}
	return answer{}, fmt.Errorf("model %.80q: %w", asked, agent.ErrUnknownModel)
}
