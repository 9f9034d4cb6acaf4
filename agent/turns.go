package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
	lctools "github.com/tmc/langchaingo/tools"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys/redact"
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
	taken    int
	calls    []openai.ToolCall // of the turn that has just been planned
	whose    bool              // it has been said whose figures they are
	revised  bool              // an answer was asked for again; the next failure is the last
	pressing bool              // the model has answered without the call that the client wants
}

const turnAction = "turn"

var (
	_ agents.Agent = (*turns)(nil)
	_ lctools.Tool = (*turns)(nil)
)

// Plan asks the model for its next turn: tools to run, or the answer, which has left by then.
func (t *turns) Plan(
	ctx context.Context, _ []schema.AgentStep, _ map[string]string, _ ...chains.ChainCallOption,
) ([]schema.AgentAction, *schema.AgentFinish, error) {
	finish := &schema.AgentFinish{ReturnValues: map[string]any{}}
	for {
		if len(t.clients) > 0 { // our calls of that turn have been run; the rest is the client's
			problems := t.writeCalls(ctx)
			if len(problems) == 0 {
				return nil, finish, nil
			}
			if t.clients = nil; !t.revise(problems) {
				return nil, finish, t.sayInstead(t.whyNot(problems))
			}
		}
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		said, problems, err := t.ask(ctx)
		if errors.Is(err, answer.ErrForm) {
			return nil, finish, t.sayInstead(needsModel.In(t.lang))
		}
		if err != nil {
			return nil, finish, err
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
		case t.want.call || !t.revise(problems):
			return nil, finish, t.sayInstead(t.whyNot(problems))
		}
	}
}

// revise has the model write again, once, what nobody has seen: JSON, a call's arguments, or an answer that was empty.
func (t *turns) revise(problems []answer.Problem) bool {
	if t.revised || t.taken >= maxTurns {
		return false
	}
	t.revised = true
	t.messages = append(t.messages, revision(problems))
	return true
}

// ask gives the model one turn. Its text is written as it comes, or at the end if it has a format; problems tell why
// there is no answer.
func (t *turns) ask(ctx context.Context) (said openai.Message, problems []answer.Problem, err error) {
	limit := t.limit()
	if limit > 0 && t.usage.CompletionTokens >= limit {
		t.reason = openai.FinishLength
		return said, nil, nil
	}
	t.taken++
	t.sure = false
	h := &hearing{stop: t.request.Stop}
	if t.format == nil && !t.want.call {
		h.writer = t.newWriter()
	}
	options := append(drawing(t.request), llms.WithStreamingFunc(func(ctx context.Context, text []byte) error {
		more, err := h.write(ctx, string(text))
		if err == nil && !more {
			err = errEnough
		}
		return err
	}))
	if limit > 0 {
		options = append(options, llms.WithMaxTokens(limit-t.usage.CompletionTokens))
	}
	response, err := t.model().GenerateContent(ctx, toModel(t.messages), append(options, t.offer()...)...)
	if h.over && !t.out.stopped {
		response, err = h.response(), nil
	}
	if err != nil {
		if h.heard() {
			err = errors.Join(err, t.use(h.response(), t.messages))
		}
		return said, nil, errors.Join(err, h.end(ctx, true))
	}
	said, t.reason = fromModel(response), stopReason(response)
	if err := t.use(response, t.messages); err != nil {
		return said, nil, err
	}
	if t.taken >= maxTurns {
		said.ToolCalls = nil // it was told to answer
	}
	problems, err = t.finishText(ctx, h, said)
	return said, problems, err
}

// use adds what one answer of the model has used.
func (t *turns) use(response *llms.ContentResponse, asked []openai.Message) error {
	t.usage = sum(t.usage, usageOf(response, asked))
	return t.out.emit(Used{t.usage})
}

// emptyAnswer is the cause of a problem with a model that said nothing.
const emptyAnswer = "nothing_said"

// finishText ends what the model has said in a turn. JSON is written now.
func (t *turns) finishText(ctx context.Context, h *hearing, said openai.Message) ([]answer.Problem, error) {
	cut := t.reason == openai.FinishLength && t.limit() > 0
	t.ended = cut || h.over
	if err := h.end(ctx, cut); err != nil {
		return nil, err
	}
	if h.writer != nil {
		t.count(h.writer.Counts())
	}
	switch {
	case cut, len(said.ToolCalls) > 0, t.want.call:
	case strings.TrimSpace(h.text.String()) == "" && !h.over:
		return []answer.Problem{{Expression: "the answer", Cause: emptyAnswer, Text: "it was empty"}}, nil
	case t.format != nil:
		written, figures, problems := t.format.written(ctx, t.evidence(), h.text.String())
		if len(problems) > 0 {
			return problems, nil
		}
		return nil, t.tell(answer.Piece{Text: written, Figures: figures})
	}
	return nil, nil
}

// newWriter writes a turn's text, as a paragraph of its own after what was said before.
func (t *turns) newWriter() *answer.Writer {
	c := t.evidence()
	c.Mend, c.Cited, c.Sure = t.mend, func() []string { return t.cited }, func() bool { return t.sure }
	begun, base := false, 0
	c.Emit = func(p answer.Piece) error {
		if !begun {
			begun = true
			if err := t.say(t.parting()); err != nil {
				return err
			}
			base = t.read.length
		}
		return t.tell(p.Moved(base))
	}
	return answer.NewWriter(c)
}

// model is the model of the run; one that is no provider's reads the reports themselves.
func (t *turns) model() llms.Model {
	c := answer.Conversation{Book: t.book, Lang: t.lang, Now: t.Now(), Form: t.format != nil || t.want.call,
		Cite: func(names ...string) { t.cited = append(t.cited, names...) }, Writes: func() { t.sure = true }}
	if t.account.Books != nil {
		c.Names = t.account.Called()
	}
	return answer.ReadBy(t.Model, c)
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
	if t.whose || len(t.results) == 0 || t.format != nil || t.want.call {
		return nil
	}
	t.whose = true
	return t.sayApart(about(t.lang, t.name))
}

// take adds a call's outcome to what the model knows and to what an answer may refer to.
func (t *turns) take(o outcome) {
	message := openai.Message{Role: openai.RoleTool, Name: o.call.Function.Name, ToolCallID: o.call.ID}
	kept := Message{Role: openai.RoleTool, ToolCallID: o.call.ID}
	if o.err != nil {
		message.Content = openai.Content(redact.Text(problemForModel(o.err, t.lang, t.notRead(o.call, o.err))))
		kept.Content = string(message.Content)
		t.failure = o.err
		if wrong := (*tools.ArgumentError)(nil); errors.As(o.err, &wrong) {
			t.candidates = append(t.candidates, wrong.Names()...)
			t.given = append(t.given, boundsIn(wrong, t.lang)...)
		}
	} else {
		delete(t.unread, callOf(o.call))
		report := t.book.Add(o.result, o.result.Arguments)
		t.results = append(t.results, report)
		message.Content = openai.Content(redact.Text(report.Show()))
		kept.Content, kept.Results = redact.Text(report.Recall()), []json.RawMessage{o.encoded}
	}
	t.messages = append(t.messages, message)
	t.kept = append(t.kept, kept)
}

// boundsIn are the service's own words of what is wrong with arguments, such as the bounds that there are, without names of
// the books.
func boundsIn(wrong *tools.ArgumentError, lang string) []string {
	words := make([]string, len(wrong.Problems))
	for i, p := range wrong.Problems {
		words[i] = p.Wrong.In(lang)
		for _, name := range p.Wrong.Names() {
			words[i] = strings.ReplaceAll(words[i], name, "")
		}
	}
	return words
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
