package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
	lctools "github.com/tmc/langchaingo/tools"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/openai"
)

// maxSteps limits the steps of the model in one run. In the last one it gets no tools, so that it answers.
const maxSteps = 12

// runSteps uses langchaingo's executor to alternate between the model and its tools until there is an answer.
//
// The executor runs actions one after another, ends at a tool's error and ignores the context. So one action is a whole
// step: its calls run in parallel, and their errors go to the model. State is stored in executorAgent, because an
// action can carry only strings.
func (r *run) runSteps(ctx context.Context) error {
	executor := agents.NewExecutor(&executorAgent{run: r}, agents.WithMaxIterations(maxSteps+1))
	_, err := executor.Call(ctx, map[string]any{})
	if r.out.stopped {
		return errStopped
	}
	return err
}

// executorAgent is a langchaingo agent and its only tool, which runs a step's calls.
type executorAgent struct {
	*run
	count        int
	planned      []openai.ToolCall // calls of the planned step
	accountShown bool              // the answer has named its account
	revised      bool              // an answer was written again; the next failure is final
	forcing      bool              // the model has answered without the required call
}

const stepAction = "step"

var (
	_ agents.Agent = (*executorAgent)(nil)
	_ lctools.Tool = (*executorAgent)(nil)
)

// Plan asks the model for its next step: calls to run, or the answer. The answer has already been sent when Plan
// returns.
func (e *executorAgent) Plan(
	ctx context.Context, _ []schema.AgentStep, _ map[string]string, _ ...chains.ChainCallOption,
) ([]schema.AgentAction, *schema.AgentFinish, error) {
	finish := &schema.AgentFinish{ReturnValues: map[string]any{}}
	for {
		if len(e.clientCalls) > 0 { // our calls of that step have run
			problems := e.writeCalls(ctx)
			if len(problems) == 0 {
				return nil, finish, nil
			}
			if e.clientCalls = nil; !e.revise(problems) {
				return nil, finish, e.sayInstead(e.explainFailure(problems))
			}
		}
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		reply, problems, err := e.askModel(ctx)
		if errors.Is(err, answer.ErrForm) {
			return nil, finish, e.sayInstead(needsModel.In(e.lang))
		}
		if err != nil {
			return nil, finish, err
		}
		if e.reason == openai.FinishLength && e.limit() > 0 {
			return nil, finish, nil
		}
		if e.planned, e.clientCalls = e.toolset.splitCalls(reply.ToolCalls); e.toolChoice.single && len(e.clientCalls) > 1 {
			e.clientCalls = e.clientCalls[:1]
		}
		switch {
		case len(e.planned) > 0:
			return []schema.AgentAction{{Tool: stepAction}}, nil, nil
		case len(e.clientCalls) > 0:
		case e.toolChoice.required && !e.forcing:
			e.forcing = true
		case len(problems) == 0 && !e.toolChoice.required:
			return nil, finish, nil
		case e.toolChoice.required || !e.revise(problems):
			return nil, finish, e.sayInstead(e.explainFailure(problems))
		}
	}
}

// revise asks the model once to rewrite output that nobody has seen yet: JSON, the arguments of a call, or an empty
// answer.
func (e *executorAgent) revise(problems []answer.Problem) bool {
	if e.revised || e.count >= maxSteps {
		return false
	}
	e.revised = true
	e.messages = append(e.messages, revisionRequest(problems))
	return true
}

// askModel runs one step of the model. Its text is sent as it comes, or at the end if it has a format. problems says why
// there is no answer.
func (e *executorAgent) askModel(ctx context.Context) (reply openai.Message, problems []answer.Problem, err error) {
	limit := e.limit()
	if limit > 0 && e.usage.CompletionTokens >= limit {
		e.reason = openai.FinishLength
		return reply, nil, nil
	}
	e.count++
	e.byRules = false
	h := &modelText{stop: e.request.Stop}
	if e.format == nil && !e.toolChoice.required {
		h.writer = e.newWriter()
	}
	options := append(samplingOptions(e.request), llms.WithStreamingFunc(func(ctx context.Context, text []byte) error {
		more, err := h.write(ctx, string(text))
		if err == nil && !more {
			err = errStopReached
		}
		return err
	}))
	if limit > 0 {
		options = append(options, llms.WithMaxTokens(limit-e.usage.CompletionTokens))
	}
	options = append(options, provider.WithAnswerer(&e.answerer))
	response, err := e.model().GenerateContent(ctx, toModel(e.messages), append(options, e.stepOptions()...)...)
	if h.stopped && !e.out.stopped {
		response, err = h.response(), nil
	}
	if err != nil {
		if h.hasText() {
			err = errors.Join(err, e.recordUsage(e.answerer, h.response(), e.messages))
		}
		return reply, nil, errors.Join(err, h.close(ctx, true))
	}
	reply, e.reason = fromModel(response), stopReason(response)
	if err := e.recordUsage(e.answerer, response, e.messages); err != nil {
		return reply, nil, err
	}
	if e.count >= maxSteps {
		reply.ToolCalls = nil // the last step must answer
	}
	problems, err = e.finishText(ctx, h, reply)
	return reply, problems, err
}

func (e *executorAgent) recordUsage(by provider.Answerer, response *llms.ContentResponse, asked []openai.Message) error {
	used := usageOf(response, asked)
	e.usage = sumUsage(e.usage, used)
	return e.out.emit(ModelAnswered{by, used})
}

// emptyAnswer is the problem's cause if the model wrote nothing.
const emptyAnswer = "nothing_said"

// finishText ends the model's text of a step, and sends it if it is JSON.
func (e *executorAgent) finishText(ctx context.Context, h *modelText, reply openai.Message) ([]answer.Problem, error) {
	cut := e.reason == openai.FinishLength && e.limit() > 0
	e.closed = cut || h.stopped
	if err := h.close(ctx, cut); err != nil {
		return nil, err
	}
	if h.writer != nil {
		e.countReferences(h.writer.Counts())
		if !e.byRules {
			said, figures := h.writer.Said()
			e.said = append(e.said, said...)
			base := e.shown.length - utf8.RuneCountInString(h.writer.Text())
			e.repeated = append(e.repeated, answer.Piece{Figures: figures}.Moved(base).Figures...)
		}
	}
	switch {
	case cut, len(reply.ToolCalls) > 0, e.toolChoice.required:
	case strings.TrimSpace(h.text.String()) == "" && !h.stopped:
		return []answer.Problem{{Expression: "the answer", Cause: emptyAnswer, Text: "it was empty"}}, nil
	case e.format != nil:
		written, figures, problems := e.format.evaluate(ctx, e.evidence(), h.text.String())
		if len(problems) > 0 {
			return problems, nil
		}
		return nil, e.sayPiece(answer.Piece{Text: written, Figures: figures})
	}
	return nil, nil
}

// newWriter returns a writer that begins a new paragraph.
func (e *executorAgent) newWriter() *answer.Writer {
	c := e.evidence()
	c.Mend, c.Cited, c.Sure = e.mend, func() []string { return e.ruleNames }, func() bool { return e.byRules }
	begun, base := false, 0
	c.Emit = func(p answer.Piece) error {
		if !begun {
			begun = true
			if err := e.say(e.paragraphBreak()); err != nil {
				return err
			}
			base = e.shown.length
		}
		return e.sayPiece(p.Moved(base))
	}
	return answer.NewWriter(c)
}

// model returns the model of the run. A rule-based model also gets the conversation's reports.
func (e *executorAgent) model() llms.Model {
	c := answer.Conversation{Book: e.book, Lang: e.lang, Now: e.Now(), Form: e.format != nil || e.toolChoice.required,
		Cite: func(names ...string) { e.ruleNames = append(e.ruleNames, names...) }, Writes: func() { e.byRules = true }}
	if e.account.Cache != nil {
		c.Names = e.account.Names()
	}
	return answer.ReadBy(e.Model, c)
}

// limit returns the client's token limit for all steps together, or 0 if there is none.
func (e *executorAgent) limit() int {
	for _, most := range []*int{e.request.MaxCompletionTokens, e.request.MaxTokens} {
		if most != nil {
			return *most
		}
	}
	return 0
}

// stepOptions returns the tools of this step and the format of its answer.
func (e *executorAgent) stepOptions() []llms.CallOption {
	var options []llms.CallOption
	if e.format != nil {
		options = append(options, provider.WithField("response_format", e.format.responseFormat))
	}
	switch {
	case len(e.toolset.offered) == 0:
		return options
	case e.count >= maxSteps:
		return append(options, e.toolset.option, llms.WithToolChoice("none"))
	case e.forcing:
		return append(options, llms.WithTools(e.toolset.offeredClientTools()), llms.WithToolChoice(e.toolChoice.forced(e.toolset.modelName)))
	}
	return append(options, e.toolset.option, llms.WithToolChoice("auto"))
}

func (e *executorAgent) Call(ctx context.Context, _ string) (string, error) {
	results, err := e.callAll(ctx, e.planned)
	if err != nil {
		return "", err
	}
	asked := openai.Message{Role: openai.RoleAssistant, ToolCalls: e.planned}
	e.messages = append(e.messages, asked)
	e.record = append(e.record, fromClient([]openai.Message{asked})...)
	for _, c := range results {
		e.addResult(c)
	}
	return "", e.sayAccount()
}

// sayAccount names the account before the first figure if there are several accounts.
func (e *executorAgent) sayAccount() error {
	if e.accountShown || len(e.newReports) == 0 || e.format != nil || e.toolChoice.required {
		return nil
	}
	e.accountShown = true
	return e.sayParagraph(accountLine(e.lang, e.accountName))
}

// addResult adds the result of a call to the model's messages and to the book.
func (e *executorAgent) addResult(c callResult) {
	message := openai.Message{Role: openai.RoleTool, Name: c.call.Function.Name, ToolCallID: c.call.ID}
	stored := Message{Role: openai.RoleTool, ToolCallID: c.call.ID}
	if c.err != nil {
		message.Content = openai.Content(redact.Text(errorForModel(c.err, e.lang, e.explainReadFailure(c.call, c.err))))
		stored.Content = string(message.Content)
		e.lastFailure = c.err
		if wrong := (*check.InvalidError)(nil); errors.As(c.err, &wrong) {
			e.candidates = append(e.candidates, wrong.Names()...)
			e.clientResults = append(e.clientResults, argumentTexts(wrong, e.lang)...)
		}
	} else {
		delete(e.readFailures, callKey(c.call))
		report := e.book.Add(c.result, c.result.Arguments)
		e.newReports = append(e.newReports, report)
		message.Content = openai.Content(redact.Text(report.Show()))
		stored.Content, stored.Results = redact.Text(report.Recall()), []json.RawMessage{c.encoded}
	}
	e.messages = append(e.messages, message)
	e.record = append(e.record, stored)
}

// argumentTexts returns our explanations of wrong arguments, such as their limits, without names from the account's
// data.
func argumentTexts(wrong *check.InvalidError, lang string) []string {
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
func (e *executorAgent) Name() string { return stepAction }

// Description implements tools.Tool. It only appears in langchaingo's own prompts, which we do not use.
func (e *executorAgent) Description() string { return "" }

// GetInputKeys implements agents.Agent.
func (e *executorAgent) GetInputKeys() []string { return nil }

// GetOutputKeys implements agents.Agent.
func (e *executorAgent) GetOutputKeys() []string { return nil }

// GetTools implements agents.Agent.
func (e *executorAgent) GetTools() []lctools.Tool { return []lctools.Tool{e} }

func sumUsage(a, b openai.Usage) openai.Usage {
	return openai.Usage{
		PromptTokens:     a.PromptTokens + b.PromptTokens,
		CompletionTokens: a.CompletionTokens + b.CompletionTokens,
		TotalTokens:      a.TotalTokens + b.TotalTokens,
		CachedTokens:     a.CachedTokens + b.CachedTokens,
		Estimated:        a.Estimated || b.Estimated,
	}
}
