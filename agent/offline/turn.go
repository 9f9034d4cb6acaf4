package offline

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/render"
)

// turn is what the conversation asks for now.
type turn struct {
	now      time.Time
	lang     string
	question string
	tooLong  bool // the question is only the message's end
	reply
	earlier  []utterance // the user's messages before
	waiting  []string    // codes of drafts of this conversation that nobody has confirmed
	outcomes []outcome
	offer    offer
}

// utterance is a message of the user.
type utterance struct {
	text string
	reply
	goods string // that were found in the place of the warehouse that it seemed to name
}

// readTurn goes through a conversation: what is asked now, what was asked and called before it, and what waits for a word.
func readTurn(now time.Time, messages []llms.MessageContent, offered offer, book *answer.Book) *turn {
	t := &turn{now: now.In(moscow), offer: offered}
	heard, calls, settled := "", map[string]call{}, map[string]bool{}
	for _, m := range messages {
		switch m.Role {
		case llms.ChatMessageTypeHuman:
			if t.question != "" {
				t.earlier = append(t.earlier, utterance{t.question, t.reply, goodsInstead(t.outcomes)})
			}
			t.outcomes, t.reply = nil, askedFor(heard)
			t.question, t.tooLong = ending(text(m))
			t.question = inRussianLetters(t.question)
			heard = ""
		case llms.ChatMessageTypeAI:
			heard = text(m)
			for _, draft := range shownDraft.FindAllStringSubmatch(heard, -1) {
				if code := draft[1]; !settled[code] && !slices.Contains(t.waiting, code) {
					t.waiting = append(t.waiting, code)
				}
			}
			for _, part := range m.Parts {
				if c, ok := part.(llms.ToolCall); ok && c.FunctionCall != nil {
					calls[c.ID] = readCall(c.FunctionCall)
				}
			}
		case llms.ChatMessageTypeSystem:
			for _, draft := range settledDraft.FindAllStringSubmatch(text(m), -1) {
				settled[draft[1]] = true
			}
		case llms.ChatMessageTypeTool:
			for _, part := range m.Parts {
				if r, ok := part.(llms.ToolCallResponse); ok {
					t.outcomes = append(t.outcomes, readOutcome(calls[r.ToolCallID], resultIn(book, r.Content)))
				}
			}
		}
	}
	t.lang = render.Language(t.question)
	return t
}

// resultIn is the JSON of the report that a tool's answer begins with the name of; any other answer is JSON already.
func resultIn(book *answer.Book, content string) string {
	name, _, _ := strings.Cut(content, " ")
	for _, report := range book.Reports() {
		if report.Name == name {
			text, err := json.Marshal(map[string]any{"data": report.Result})
			if err != nil {
				return content
			}
			return string(text)
		}
	}
	return content
}

var (
	shownDraft   = expression.Of(`\*\*(?:подтверждаю|confirm) ([A-Z]{2}-[0-9A-Z]{6})\*\*`)
	settledDraft = expression.Of(`(?m)^([A-Z]{2}-[0-9A-Z]{6}): `) // as the service tells what has become of drafts
)

func text(m llms.MessageContent) string {
	var b strings.Builder
	for _, part := range m.Parts {
		if t, ok := part.(llms.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// mostHeard is how many bytes of a message are gone through: a hundred thousand would take a second.
const mostHeard = 16 << 10

// ending is the end of a message that is too long, enough to tell its language.
func ending(message string) (end string, tooLong bool) {
	if len(message) <= mostHeard {
		return message, false
	}
	return strings.ToValidUTF8(message[len(message)-mostHeard:], ""), true
}

// calls are the tools to run next: for the question, or again where a call went wrong in a way that can be mended.
func (t *turn) calls() []call {
	if len(t.outcomes) > 0 {
		return t.mended()
	}
	if t.tooLong { // half of an order is none
		return nil
	}
	return t.callsOf(t.meant())
}
