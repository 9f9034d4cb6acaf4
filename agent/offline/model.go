package offline

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
)

// New returns the model. It is an [answer.Reader]. Without a conversation it knows no names and no reports. "Last month" counts from
// now.
func New(now func() time.Time) llms.Model {
	return &model{now: now, indexes: &indexes{all: map[weak.Pointer[tools.Goods]]*index{}}}
}

type model struct {
	now     func() time.Time
	indexes *indexes
	answer.Conversation
	hearing *hearing // nil: the model is not of one answer
}

// hearing is how the messages before an answer were understood. The model reads them for the calls, and again for the answer.
type hearing struct {
	asked []message
	turn  *turn
}

// message is a message of the user.
type message struct {
	text     string
	unpriced int // the line, from 1 on, whose price the draft of the answer before it lacked; 0: none
}

// Reading returns the model for one answer.
func (m *model) Reading(c answer.Conversation) llms.Model {
	return &model{m.now, m.indexes, c, &hearing{}}
}

// Call answers a single text.
func (m *model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// GenerateContent plays one turn. It returns the calls for a question, or the answer from their results.
func (m *model) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	var asked llms.CallOptions
	for _, option := range options {
		option(&asked)
	}
	if m.Book == nil && (asked.ToolChoice == "none" || len(asked.Tools) == 0) { // not about the books: a title, or a text to mend
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{StopReason: "stop"}}}, nil
	}
	if m.Form {
		return nil, answer.ErrForm
	}
	t := m.turn(ctx, messages)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	t.offered = offered(asked)
	t.fill()
	calls := t.needed()
	if slices.ContainsFunc(calls, func(c call) bool { return t.outcome(c) == nil }) {
		return calling(calls, len(messages)), nil
	}
	said, err := t.say()
	if err != nil {
		return nil, err
	}
	if m.Writes != nil {
		m.Writes()
	}
	text, reason := within(asked.MaxTokens, said)
	if asked.StreamingFunc != nil {
		if err := asked.StreamingFunc(ctx, []byte(text)); err != nil {
			return nil, err
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text, StopReason: reason}}}, nil
}

// offered returns the tools that may be called.
func offered(asked llms.CallOptions) map[string]bool {
	tools := map[string]bool{}
	for _, tool := range asked.Tools {
		if tool.Function != nil && asked.ToolChoice != "none" {
			tools[tool.Function.Name] = true
		}
	}
	return tools
}

func calling(calls []call, messages int) *llms.ContentResponse {
	choice := &llms.ContentChoice{StopReason: "tool_calls"}
	for i, c := range calls {
		choice.ToolCalls = append(choice.ToolCalls, llms.ToolCall{
			ID: fmt.Sprintf("call_%d_%d", messages, i), Type: "function",
			FunctionCall: &llms.FunctionCall{Name: c.tool, Arguments: c.encoded()},
		})
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}
}

// within cuts a text to a number of tokens of about four bytes each, and returns why the text ends. 0 means no limit.
func within(tokens int, text string) (cut, reason string) {
	const bytesPerToken = 4
	if most := tokens * bytesPerToken; tokens > 0 && len(text) > most {
		return strings.ToValidUTF8(text[:most], ""), "length"
	}
	return text, "stop"
}

// indexes keeps one index for each set of cards that is still in use.
type indexes struct {
	mu  sync.Mutex
	all map[weak.Pointer[tools.Goods]]*index
}

// index finds the goods of a set of cards, and their suppliers once these have been read.
type index struct {
	goods     *naming.Goods
	suppliers atomic.Pointer[naming.List]
}

// of returns the goods and the suppliers by their names. What cannot be read is nil.
func (x *indexes) of(ctx context.Context, names answer.Names) (*naming.Goods, *naming.List) {
	cards, err := names.Goods(ctx)
	if err != nil {
		return nil, nil
	}
	own := x.own(cards)
	if own.suppliers.Load() == nil {
		if suppliers, err := names.Suppliers(ctx); err == nil {
			own.suppliers.Store(naming.NewList(suppliers))
		}
	}
	return own.goods, own.suppliers.Load()
}

func (x *indexes) own(cards *tools.Goods) *index {
	x.mu.Lock()
	defer x.mu.Unlock()
	key := weak.Make(cards)
	if x.all[key] == nil {
		maps.DeleteFunc(x.all, func(old weak.Pointer[tools.Goods], _ *index) bool { return old.Value() == nil })
		x.all[key] = &index{goods: naming.NewGoods(cards.All())}
	}
	return x.all[key]
}

// turn is the question to answer now, with the results of its calls.
type turn struct {
	ctx      context.Context
	book     *reference.Book
	talk     *talk
	frames   []*frame
	lang     string
	question string
	offered  map[string]bool // the tools that may be called
	made     []madeCall
	cite     func(names ...string)
}

// outcome is the result of a call. Both fields are empty if it is neither a report nor an error.
type outcome struct {
	report  string   // its name in the book
	Problem *problem `json:"error"`
}

var reportName = regexp.MustCompile(`^R\d+\b`)

func readOutcome(content string) *outcome {
	o := &outcome{report: reportName.FindString(content)}
	if o.report == "" && json.Unmarshal([]byte(content), o) != nil {
		return &outcome{}
	}
	return o
}

// problem is why a call failed.
type problem struct {
	Message string `json:"message"`
	Fields  []struct {
		Field, Problem string
		Candidates     []string
	} `json:"fields"`
}

const (
	mostHeard    = 1 << 10 // bytes of a message that are read
	mostMessages = 12      // the last messages of the user; follow-ups do not refer to earlier ones
)

func (m *model) turn(ctx context.Context, messages []llms.MessageContent) *turn {
	var asked []message
	var made []madeCall
	for _, m := range messages {
		if m.Role == llms.ChatMessageTypeHuman {
			asked, made = append(asked, message{written(m), unpriced(made)}), nil
		} else {
			made = withCalls(made, m)
		}
	}
	t := m.heard(ctx, asked[max(0, len(asked)-mostMessages):])
	t.made = made
	return t
}

// unpriced returns the line, from 1 on, whose price a draft lacks because the product's card has none; 0 if there is none.
func unpriced(made []madeCall) int {
	for _, one := range made {
		if one.outcome == nil || one.outcome.Problem == nil {
			continue
		}
		for _, f := range one.outcome.Problem.Fields {
			if place, of := strings.CutPrefix(f.Field, "lines."); of && strings.HasSuffix(place, ".price") {
				n, _ := strconv.Atoi(strings.TrimSuffix(place, ".price"))
				return n + 1
			}
		}
	}
	return 0
}

// heard reads the messages of the user.
func (m *model) heard(ctx context.Context, asked []message) *turn {
	if m.hearing != nil && m.hearing.turn != nil && slices.Equal(m.hearing.asked, asked) {
		m.hearing.turn.ctx = ctx
		return m.hearing.turn
	}
	now := m.Now
	if now.IsZero() {
		now = m.now()
	}
	k := &known{ctx: ctx, names: m.Names, index: m.indexes.of}
	t := &turn{ctx: ctx, book: m.Book, cite: m.Cite}
	if t.cite == nil {
		t.cite = func(...string) {}
	}
	t.talk = &talk{catalog: loaded(), known: k, today: calendar.Today(now, tools.Moscow)}
	t.talk.shown = t.shown
	for _, message := range asked {
		if ctx.Err() != nil { // nobody waits for the answer
			break
		}
		t.question, t.lang = message.text, cmp.Or(m.Lang, render.Language(message.text))
		t.talk.lackPrice(message.unpriced)
		t.frames = t.talk.hear(message.text, t.lang)
	}
	if m.hearing != nil && ctx.Err() == nil {
		*m.hearing = hearing{asked, t}
	}
	return t
}

// madeCall is a call of this turn: the offline model's own, or one of the model in whose place it answers.
type madeCall struct {
	call
	id      string
	outcome *outcome
}

// withCalls adds the calls of a message, or their outcomes.
func withCalls(made []madeCall, message llms.MessageContent) []madeCall {
	for _, part := range message.Parts {
		switch p := part.(type) {
		case llms.ToolCall:
			one := madeCall{id: p.ID}
			if p.FunctionCall != nil && json.Unmarshal([]byte(p.FunctionCall.Arguments), &one.arguments) == nil { // else it is not ours
				one.tool = p.FunctionCall.Name
				made = append(made, one)
			}
		case llms.ToolCallResponse:
			at := slices.IndexFunc(made, func(one madeCall) bool { return one.id == p.ToolCallID && one.outcome == nil })
			if at >= 0 {
				made[at].outcome = readOutcome(p.Content)
			}
		}
	}
	return made
}

// outcome returns the outcome of a call of this turn, or nil.
func (t *turn) outcome(c call) *outcome {
	for _, one := range t.made {
		if one.outcome != nil && one.same(c) {
			return one.outcome
		}
	}
	return nil
}

// shown reads the list that a frame has shown, or the lines of its draft.
func (t *turn) shown(f *frame) shownList {
	reads := t.before(f)
	if len(reads) == 0 {
		return func(int, string) string { return "" }
	}
	told := t.telling(f, reads)
	rows := func(int) string { return "R.lines" }
	if f.report != nil {
		told.findParty()
		told.narrow()
		if f.Ranks != "" && f.goods == nil {
			told.rows = f.Ranks
		}
		rows = told.ordered // of a list of the largest, no more may be asked for than it has
	}
	return func(place int, field string) string {
		v, err := told.value(fmt.Sprintf("%s[%d].%s", rows(place), place, field))
		if err == nil && v.IsNumber() {
			return v.Decimal().String()
		}
		return v.Text()
	}
}

// fill makes lines of what was read for the transfers of everything short.
func (t *turn) fill() {
	for _, f := range t.frames {
		movable := t.talk.movable(f)
		if movable == nil || len(t.reads(movable)) == 0 || t.book == nil {
			continue
		}
		told := t.telling(movable, t.reads(movable))
		told.narrow()
		for i := range told.count(told.whole) {
			row := fmt.Sprintf("%s[%d]", told.whole, i+1)
			name, _ := told.value(row + ".name")
			units, known := told.decimal("filter(" + row + ".transferable, .warehouse == " + quoted(movable.source) + ")[1].units")
			if goods := t.talk.named(name.Text()).Active(); known && goods != nil {
				f.draft.lines = append(f.draft.lines, line{goods: goods, amount: &units})
			} else {
				f.draft.skipped = append(f.draft.skipped, name.Text())
			}
		}
	}
}

// written returns the text of a message: the end of a long one, where the question usually is.
func written(m llms.MessageContent) string {
	var b strings.Builder
	for _, part := range m.Parts {
		if text, ok := part.(llms.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	text := b.String()
	return strings.ToValidUTF8(text[max(0, len(text)-mostHeard):], "")
}

// needed returns the calls whose results the answer is written from, each once.
func (t *turn) needed() (calls []call) {
	for _, f := range t.frames {
		if t.asking(f) != nil {
			continue
		}
		for _, c := range t.talk.calls(f) {
			if t.offered[c.tool] || c.tool == "calculate" {
				calls = added(calls, c)
			}
		}
	}
	return calls
}
