package agent

import (
	"context"
	"errors"
	"strings"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
	lctools "github.com/tmc/langchaingo/tools"

	"github.com/kopeck/kopeck/agent/grounding"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// maxTurns is how often a model may speak in one run. In the last turn it is offered no tools, so that it answers.
const maxTurns = 12

// takeTurns lets langchaingo's executor alternate between the model and its tools until there is an answer.
//
// The executor runs actions one after another, ends the run at a tool's error and does not look at the context. So one
// action is a whole turn, whose calls run side by side and whose errors are answers for the model; and the state is here,
// because an action carries nothing but texts.
func (r *run) takeTurns(ctx context.Context) error {
	executor := agents.NewExecutor(&turns{run: r}, agents.WithMaxIterations(maxTurns+1))
	_, err := executor.Call(ctx, map[string]any{})
	if r.out.stopped {
		return errStopped
	}
	return err
}

// turns is a langchaingo agent, and the one tool of it: a turn's calls.
type turns struct {
	*run
	taken      int
	calls      []openai.ToolCall // of the turn that has just been planned
	said       bool              // whose figures they are
	objections bool              // an answer has failed its check; the next failure is the last
	pressing   bool              // the model has answered without the call that the client wants
}

const turnAction = "turn"

var (
	_ agents.Agent = (*turns)(nil)
	_ lctools.Tool = (*turns)(nil)
)

// Plan asks the model for its next turn: tools to run, or the answer, which has left by then.
func (t *turns) Plan(ctx context.Context, _ []schema.AgentStep, _ map[string]string, _ ...chains.ChainCallOption) ([]schema.AgentAction, *schema.AgentFinish, error) {
	finish := &schema.AgentFinish{ReturnValues: map[string]any{}}
	for {
		if len(t.clients) > 0 { // our calls of that turn have been run; the rest is the client's
			problems := t.judgeCalls()
			if len(problems) == 0 {
				return nil, finish, nil
			}
			if t.clients = nil; !t.object(problems) {
				return nil, finish, t.replace()
			}
		}
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		said, problems, err := t.ask(ctx)
		if err != nil {
			return nil, finish, t.recovered(ctx, err)
		}
		if t.reason == openai.FinishLength && t.limit() > 0 {
			return nil, finish, nil
		}
		if t.calls, t.clients = t.toolset.divide(said.ToolCalls); t.want.single && len(t.clients) > 1 {
			t.clients = t.clients[:1]
		}
		switch {
		case len(t.calls) > 0:
			return []schema.AgentAction{{Tool: turnAction}}, nil, nil
		case len(t.clients) > 0:
		case t.want.call && !t.pressing:
			t.pressing = true
		case len(problems) == 0 && !t.want.call:
			return nil, finish, nil
		case t.want.call || !t.object(problems):
			return nil, finish, t.replace()
		}
	}
}

// object has the model write again what did not pass, once.
func (t *turns) object(problems []grounding.Problem) bool {
	if t.objections || t.taken >= maxTurns {
		return false
	}
	t.objections, t.verdict = true, Rewritten
	t.messages = append(t.messages, objection(problems, t.read.String()))
	return true
}

// ask gives the model one turn. Its text leaves through the check as it comes, or at the end if it has a format; problems
// tell what was held back.
func (t *turns) ask(ctx context.Context) (said openai.Message, problems []grounding.Problem, err error) {
	limit := t.limit()
	if limit > 0 && t.usage.CompletionTokens >= limit {
		t.reason = openai.FinishLength
		return said, nil, nil
	}
	t.taken++
	t.spoken = false
	h := &hearing{stop: t.request.Stop}
	if t.format == nil && !t.want.call {
		h.gate = t.check.Gate(t.release)
	}
	options := append(drawing(t.request), llms.WithStreamingFunc(func(_ context.Context, text []byte) error {
		more := h.write(string(text))
		if t.out.stopped {
			return errStopped
		}
		if !more {
			return errEnough
		}
		return nil
	}))
	if limit > 0 {
		options = append(options, llms.WithMaxTokens(limit-t.usage.CompletionTokens))
	}
	response, err := t.Model.GenerateContent(ctx, toModel(t.messages), append(options, t.offer()...)...)
	if h.over && !t.out.stopped {
		response, err = h.response(), nil
	}
	if err != nil {
		return said, nil, err
	}
	said, t.reason = fromModel(response), stopReason(response)
	t.usage = sum(t.usage, usageOf(response, t.messages))
	if t.taken >= maxTurns {
		said.ToolCalls = nil // it was told to answer
	}
	problems = t.judge(h, said)
	if t.out.stopped {
		return said, nil, errStopped
	}
	return said, problems, nil
}

// judge tells what did not pass of what the model has said. JSON that passes is said.
func (t *turns) judge(h *hearing, said openai.Message) []grounding.Problem {
	cut := t.reason == openai.FinishLength && t.limit() > 0
	problems := h.end(cut)
	switch {
	case cut, len(said.ToolCalls) > 0, t.want.call, len(problems) > 0:
	case strings.TrimSpace(h.text.String()) == "" && !h.over:
		return []grounding.Problem{{Reason: "the answer was empty"}}
	case t.format != nil:
		var shown string
		if shown, problems = t.format.judge(t.check, h.text.String()); len(problems) == 0 {
			_ = t.say(shown) // that nobody listens is seen at the next step
		}
	}
	return problems
}

// limit is how many tokens the client lets the model write in all its turns; 0 is no limit.
func (t *turns) limit() int {
	for _, most := range []*int{t.request.MaxCompletionTokens, t.request.MaxTokens} {
		if most != nil {
			return *most
		}
	}
	return 0
}

// release says a piece of text that has passed. A text after an earlier turn's is a paragraph of its own.
func (t *turns) release(text string) {
	say := t.say
	if !t.spoken {
		say = t.sayApart
	}
	t.spoken = true
	_ = say(text) // that nobody listens is seen at the next step
}

// offer is the tools that the model has in this turn, and the form that its answer must have.
func (t *turns) offer() []llms.CallOption {
	var options []llms.CallOption
	if t.format != nil {
		options = append(options, provider.WithField("response_format", t.format.asked))
	}
	switch {
	case len(t.toolset.offered) == 0:
		return options
	case t.taken >= maxTurns:
		return append(options, t.toolset.option, llms.WithToolChoice("none"))
	case t.pressing:
		return append(options, llms.WithTools(t.toolset.clientTools()), llms.WithToolChoice(t.want.choice(t.toolset.modelName)))
	}
	return append(options, t.toolset.option, llms.WithToolChoice("auto"))
}

// recovered makes an answer after all when the model went away in the middle of one: the results are there.
func (t *turns) recovered(ctx context.Context, err error) error {
	if !errors.Is(err, provider.ErrUnavailable) || !t.spoken || len(t.results) == 0 {
		return err
	}
	t.Log.WarnContext(ctx, "the model went away in the middle of its answer; the results are rendered", "error", err)
	return t.replace()
}

// Call runs the calls of the planned turn.
func (t *turns) Call(ctx context.Context, _ string) (string, error) {
	outcomes, err := t.callAll(ctx, t.calls)
	if err != nil {
		return "", err
	}
	asked := openai.Message{Role: openai.RoleAssistant, ToolCalls: t.calls}
	t.messages = append(t.messages, asked)
	t.kept = append(t.kept, told([]openai.Message{asked})...)
	for _, o := range outcomes {
		t.take(o)
	}
	return "", t.sayWhose()
}

// sayWhose says, with the first figures, which of several accounts they are of.
func (t *turns) sayWhose() error {
	if t.said || len(t.results) == 0 || t.format != nil || t.want.call {
		return nil
	}
	t.said = true
	return t.sayApart(about(t.lang, t.name))
}

// take adds a call's outcome to what the model knows and to what an answer may rest on.
func (t *turns) take(o outcome) {
	content := ""
	if o.err != nil {
		content = t.check.Redact(problemForModel(o.err, t.lang, t.notRead(o.call, o.err)))
		t.failure = o.err
		if wrong := (*tools.ArgumentError)(nil); errors.As(o.err, &wrong) {
			t.check.AddNames(wrong.Names())
		}
	} else {
		content = t.check.Redact(resultForModel(o.encoded))
		delete(t.unread, callOf(o.call))
		t.results = append(t.results, o.result)
		t.encoded = append(t.encoded, o.encoded)
		t.check.Add(o.result)
	}
	answer := openai.Message{Role: openai.RoleTool, Name: o.call.Function.Name, ToolCallID: o.call.ID, Content: openai.Content(content)}
	t.messages = append(t.messages, answer)
	answer.Content = openai.Content(provider.Compact(content)) // the whole result is kept beside the answer
	t.kept = append(t.kept, told([]openai.Message{answer})...)
}

// Name names the only action.
func (t *turns) Name() string { return turnAction }

// Description is for prompts that langchaingo would write; it writes none here.
func (t *turns) Description() string { return "" }

// GetInputKeys is empty: nothing goes through the executor.
func (t *turns) GetInputKeys() []string { return nil }

// GetOutputKeys is empty too.
func (t *turns) GetOutputKeys() []string { return nil }

// GetTools is the one action.
func (t *turns) GetTools() []lctools.Tool { return []lctools.Tool{t} }

func sum(a, b openai.Usage) openai.Usage {
	return openai.Usage{
		PromptTokens:     a.PromptTokens + b.PromptTokens,
		CompletionTokens: a.CompletionTokens + b.CompletionTokens,
		TotalTokens:      a.TotalTokens + b.TotalTokens,
	}
}
