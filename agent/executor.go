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

// maxTurns limits the turns of a model in one run. In the last one it gets no tools, so that it answers.
const maxTurns = 12

// runTurns uses langchaingo's executor to alternate between the model and its tools until there is an answer.
//
// The executor runs actions one after another, ends at a tool's error and ignores the context. So one action is a whole
// turn: its calls run in parallel, and their errors go to the model. State is stored in executorAgent, because an
// action can carry only strings.
func (r *run) runTurns(ctx context.Context) error {
	executor := agents.NewExecutor(&executorAgent{run: r}, agents.WithMaxIterations(maxTurns+1))
	_, err := executor.Call(ctx, map[string]any{})
	if r.out.stopped {
		return errStopped
	}
	return err
}

// executorAgent is a langchaingo agent and its only tool, which runs a turn's calls.
type executorAgent struct {
	*run
	count        int
	planned      []openai.ToolCall // calls of the planned turn
	accountShown bool              // the answer has named its account
	revised      bool              // an answer was written again; the next failure is final
	forcing      bool              // the model has answered without the required call
}

const turnAction = "turn"

var (
	_ agents.Agent = (*executorAgent)(nil)
	_ lctools.Tool = (*executorAgent)(nil)
)

// Plan asks the model for its next turn: calls to run, or the answer. The answer has already been sent when Plan
// returns.
func (t *executorAgent) Plan(
	ctx context.Context, _ []schema.AgentStep, _ map[string]string, _ ...chains.ChainCallOption,
) ([]schema.AgentAction, *schema.AgentFinish, error) {
	finish := &schema.AgentFinish{ReturnValues: map[string]any{}}
	for {
		if len(t.clientCalls) > 0 { // our calls of that turn have run
			problems := t.writeCalls(ctx)
			if len(problems) == 0 {
				return nil, finish, nil
			}
			if t.clientCalls = nil; !t.revise(problems) {
				return nil, finish, t.sayInstead(t.explainFailure(problems))
			}
		}
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		reply, problems, err := t.askTurn(ctx)
		if errors.Is(err, answer.ErrForm) {
			return nil, finish, t.sayInstead(needsModel.In(t.lang))
		}
		if err != nil {
			return nil, finish, err
		}
		if t.reason == openai.FinishLength && t.limit() > 0 {
			return nil, finish, nil
		}
		if t.planned, t.clientCalls = t.toolset.splitCalls(reply.ToolCalls); t.toolChoice.single && len(t.clientCalls) > 1 {
			t.clientCalls = t.clientCalls[:1]
		}
		switch {
		case len(t.planned) > 0:
			return []schema.AgentAction{{Tool: turnAction}}, nil, nil
		case len(t.clientCalls) > 0:
		case t.toolChoice.required && !t.forcing:
			t.forcing = true
		case len(problems) == 0 && !t.toolChoice.required:
			return nil, finish, nil
		case t.toolChoice.required || !t.revise(problems):
			return nil, finish, t.sayInstead(t.explainFailure(problems))
		}
	}
}

// revise asks the model once to rewrite output that nobody has seen yet: JSON, the arguments of a call, or an empty
// answer.
func (t *executorAgent) revise(problems []answer.Problem) bool {
	if t.revised || t.count >= maxTurns {
		return false
	}
	t.revised = true
	t.messages = append(t.messages, revisionRequest(problems))
	return true
}

// askTurn runs one turn of the model. Its text is sent as it comes, or at the end if it has a format. problems says why
// there is no answer.
func (t *executorAgent) askTurn(ctx context.Context) (reply openai.Message, problems []answer.Problem, err error) {
	limit := t.limit()
	if limit > 0 && t.usage.CompletionTokens >= limit {
		t.reason = openai.FinishLength
		return reply, nil, nil
	}
	t.count++
	t.byRules = false
	h := &modelText{stop: t.request.Stop}
	if t.format == nil && !t.toolChoice.required {
		h.writer = t.newWriter()
	}
	options := append(samplingOptions(t.request), llms.WithStreamingFunc(func(ctx context.Context, text []byte) error {
		more, err := h.write(ctx, string(text))
		if err == nil && !more {
			err = errStopReached
		}
		return err
	}))
	if limit > 0 {
		options = append(options, llms.WithMaxTokens(limit-t.usage.CompletionTokens))
	}
	response, err := t.model().GenerateContent(ctx, toModel(t.messages), append(options, t.turnOptions()...)...)
	if h.stopped && !t.out.stopped {
		response, err = h.response(), nil
	}
	if err != nil {
		if h.hasText() {
			err = errors.Join(err, t.recordUsage(h.response(), t.messages))
		}
		return reply, nil, errors.Join(err, h.close(ctx, true))
	}
	reply, t.reason = fromModel(response), stopReason(response)
	if err := t.recordUsage(response, t.messages); err != nil {
		return reply, nil, err
	}
	if t.count >= maxTurns {
		reply.ToolCalls = nil // the last turn must answer
	}
	problems, err = t.finishText(ctx, h, reply)
	return reply, problems, err
}

func (t *executorAgent) recordUsage(response *llms.ContentResponse, asked []openai.Message) error {
	t.usage = sumUsage(t.usage, usageOf(response, asked))
	return t.out.emit(UsageSoFar{t.usage})
}

// emptyAnswer is the problem's cause if the model wrote nothing.
const emptyAnswer = "nothing_said"

// finishText ends the model's text of a turn, and sends it if it is JSON.
func (t *executorAgent) finishText(ctx context.Context, h *modelText, reply openai.Message) ([]answer.Problem, error) {
	cut := t.reason == openai.FinishLength && t.limit() > 0
	t.closed = cut || h.stopped
	if err := h.close(ctx, cut); err != nil {
		return nil, err
	}
	if h.writer != nil {
		t.countReferences(h.writer.Counts())
		if !t.byRules {
			t.said = append(t.said, h.writer.Said()...)
		}
	}
	switch {
	case cut, len(reply.ToolCalls) > 0, t.toolChoice.required:
	case strings.TrimSpace(h.text.String()) == "" && !h.stopped:
		return []answer.Problem{{Expression: "the answer", Cause: emptyAnswer, Text: "it was empty"}}, nil
	case t.format != nil:
		written, figures, problems := t.format.evaluate(ctx, t.evidence(), h.text.String())
		if len(problems) > 0 {
			return problems, nil
		}
		return nil, t.sayPiece(answer.Piece{Text: written, Figures: figures})
	}
	return nil, nil
}

// newWriter returns a writer that begins a new paragraph.
func (t *executorAgent) newWriter() *answer.Writer {
	c := t.evidence()
	c.Mend, c.Cited, c.Sure = t.mend, func() []string { return t.ruleNames }, func() bool { return t.byRules }
	begun, base := false, 0
	c.Emit = func(p answer.Piece) error {
		if !begun {
			begun = true
			if err := t.say(t.paragraphBreak()); err != nil {
				return err
			}
			base = t.shown.length
		}
		return t.sayPiece(p.Moved(base))
	}
	return answer.NewWriter(c)
}

// model returns the model of the run. A rule-based model also gets the conversation's reports.
func (t *executorAgent) model() llms.Model {
	c := answer.Conversation{Book: t.book, Lang: t.lang, Now: t.Now(), Form: t.format != nil || t.toolChoice.required,
		Cite: func(names ...string) { t.ruleNames = append(t.ruleNames, names...) }, Writes: func() { t.byRules = true }}
	if t.account.Books != nil {
		c.Names = t.account.Names()
	}
	return answer.ReadBy(t.Model, c)
}

// limit returns the client's token limit for all turns together, or 0 if there is none.
func (t *executorAgent) limit() int {
	for _, most := range []*int{t.request.MaxCompletionTokens, t.request.MaxTokens} {
		if most != nil {
			return *most
		}
	}
	return 0
}

// turnOptions returns the tools of this turn and the format of its answer.
func (t *executorAgent) turnOptions() []llms.CallOption {
	var options []llms.CallOption
	if t.format != nil {
		options = append(options, provider.WithField("response_format", t.format.responseFormat))
	}
	switch {
	case len(t.toolset.offered) == 0:
		return options
	case t.count >= maxTurns:
		return append(options, t.toolset.option, llms.WithToolChoice("none"))
	case t.forcing:
		return append(options, llms.WithTools(t.toolset.offeredClientTools()), llms.WithToolChoice(t.toolChoice.forced(t.toolset.modelName)))
	}
	return append(options, t.toolset.option, llms.WithToolChoice("auto"))
}

func (t *executorAgent) Call(ctx context.Context, _ string) (string, error) {
	outcomes, err := t.callAll(ctx, t.planned)
	if err != nil {
		return "", err
	}
	asked := openai.Message{Role: openai.RoleAssistant, ToolCalls: t.planned}
	t.messages = append(t.messages, asked)
	t.record = append(t.record, fromClient([]openai.Message{asked})...)
	for _, o := range outcomes {
		t.addOutcome(o)
	}
	return "", t.sayAccount()
}

// sayAccount names the account before the first figure if there are several accounts.
func (t *executorAgent) sayAccount() error {
	if t.accountShown || len(t.newReports) == 0 || t.format != nil || t.toolChoice.required {
		return nil
	}
	t.accountShown = true
	return t.sayParagraph(accountLine(t.lang, t.accountName))
}

// addOutcome adds the outcome of a call to the model's messages and to the book.
func (t *executorAgent) addOutcome(o outcome) {
	message := openai.Message{Role: openai.RoleTool, Name: o.call.Function.Name, ToolCallID: o.call.ID}
	stored := Message{Role: openai.RoleTool, ToolCallID: o.call.ID}
	if o.err != nil {
		message.Content = openai.Content(redact.Text(errorForModel(o.err, t.lang, t.explainReadFailure(o.call, o.err))))
		stored.Content = string(message.Content)
		t.lastFailure = o.err
		if wrong := (*tools.ArgumentError)(nil); errors.As(o.err, &wrong) {
			t.candidates = append(t.candidates, wrong.Names()...)
			t.clientResults = append(t.clientResults, argumentTexts(wrong, t.lang)...)
		}
	} else {
		delete(t.readFailures, callKey(o.call))
		report := t.book.Add(o.result, o.result.Arguments)
		t.newReports = append(t.newReports, report)
		message.Content = openai.Content(redact.Text(report.Show()))
		stored.Content, stored.Results = redact.Text(report.Recall()), []json.RawMessage{o.encoded}
	}
	t.messages = append(t.messages, message)
	t.record = append(t.record, stored)
}

// argumentTexts returns our explanations of wrong arguments, such as their limits, without names from the account's
// data.
func argumentTexts(wrong *tools.ArgumentError, lang string) []string {
	words := make([]string, len(wrong.Problems))
	for i, p := range wrong.Problems {
		words[i] = p.Wrong.In(lang)
		for _, name := range p.Wrong.Names() {
			words[i] = strings.ReplaceAll(words[i], name, "")
		}
	}
	return words
}

// Name implements tools.Tool.
func (t *executorAgent) Name() string { return turnAction }

// Description implements tools.Tool. It only appears in langchaingo's own prompts, which we do not use.
func (t *executorAgent) Description() string { return "" }

// GetInputKeys implements agents.Agent.
func (t *executorAgent) GetInputKeys() []string { return nil }

// GetOutputKeys implements agents.Agent.
func (t *executorAgent) GetOutputKeys() []string { return nil }

// GetTools implements agents.Agent.
func (t *executorAgent) GetTools() []lctools.Tool { return []lctools.Tool{t} }

func sumUsage(a, b openai.Usage) openai.Usage {
	return openai.Usage{
		PromptTokens:     a.PromptTokens + b.PromptTokens,
		CompletionTokens: a.CompletionTokens + b.CompletionTokens,
		TotalTokens:      a.TotalTokens + b.TotalTokens,
	}
}
