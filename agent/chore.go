package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/answer/document"
	"github.com/kopeck/kopeck/agent/answer/evidence"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/encoded"
	"github.com/kopeck/kopeck/schemas/openai"
)

// chore is a request that a chat UI makes on its own about a conversation, such as for a title, tags or follow-up
// questions. It runs without tools and without a session. If the model's text has the wrong form or unknown figures, a
// fixed rule answers instead.
type chore struct {
	kind         string // as in choreKinds
	key          string // the property of the requested JSON object; empty means plain text
	transcript   string // the conversation
	firstMessage string // the user's first message in it
	lang         string
	format       *format
}

type choreKind struct {
	kind    string
	pattern *regexp.Regexp
}

// choreKinds lists the known chores, the more specific ones first.
var choreKinds = []choreKind{
	{"follow_ups", regexp.MustCompile(`(?i)follow[- _]?ups?`)},
	{"tags", regexp.MustCompile(`(?i)\btags?\b|тег`)},
	{"queries", regexp.MustCompile(`(?i)\bquer(y|ies)\b`)},
	{"title", regexp.MustCompile(`(?i)\btitles?\b|заголов|назови бесед|название (бесед|чата)|标题`)},
	{"text", regexp.MustCompile(`(?i)autocomplet`)},
	{"emoji", regexp.MustCompile(`(?i)\bemoji\b`)},
	{"summary", regexp.MustCompile(`(?i)\bsummar|резюм|总结|摘要`)},
}

func (a *Agent) runChore(ctx context.Context, c chore, chat openai.ChatRequest, out *output) error {
	var err error
	if c.format, err = readFormat(chat.ResponseFormat); err != nil {
		return err
	}
	if err := out.emit(Started{}); err != nil {
		return err
	}
	messages := completeCalls(chat.Messages)
	config := answer.Config{Sources: evidence.Sources{Book: reference.NewBook(c.lang), Now: a.Now()}, Lang: c.lang}
	for i, m := range messages {
		messages[i].Content = openai.Content(redact.Text(string(m.Content)))
		config.Given = append(config.Given, string(m.Content))
	}
	options := samplingOptions(chat)
	if c.format != nil {
		options = append(options, provider.WithField("response_format", c.format.responseFormat))
	}
	var by provider.Answerer
	response, err := a.Model.GenerateContent(ctx, toModel(messages), append(options, provider.WithAnswerer(&by))...)
	text, usage := "", openai.Usage{}
	switch {
	case err == nil:
		usage = usageOf(response, messages)
		if err := out.emit(ModelAnswered{by, usage}); err != nil {
			return err
		}
		text = c.accept(ctx, config, string(fromModel(response).Content))
	case ctx.Err() != nil || !errors.Is(err, provider.ErrUnavailable) && !errors.Is(err, provider.ErrRefused):
		return err
	}
	if text == "" {
		text = redact.Text(c.fallback())
	}
	if err := out.emit(Text{Delta: text}); err != nil {
		return err
	}
	return out.emit(Finished{openai.FinishStop, usage, false})
}

// maxTitleLength is in characters. UIs cut longer titles, and a longer text shows that the model misunderstood the
// task.
const maxTitleLength = 100

// accept returns the model's text as it may be shown, or "" if it has the wrong form or figures that the conversation
// does not contain.
func (c chore) accept(ctx context.Context, config answer.Config, text string) string {
	text = withoutCodeFence(text)
	switch {
	case c.format != nil:
		return textIfValid(c.format.evaluate(ctx, config, text))
	case c.key != "":
		var fields map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &fields) != nil || len(fields[c.key]) == 0 {
			return ""
		}
		return textIfValid(document.Write(ctx, config, nil, text))
	}
	text = strings.Trim(text, `"«»`)
	if c.kind != "summary" && (strings.Contains(text, "\n") || len([]rune(text)) > maxTitleLength) {
		return ""
	}
	return checkedText(config, text)
}

func textIfValid(written string, _ []answer.Figure, problems []answer.Problem) string {
	if len(problems) > 0 {
		return ""
	}
	return written
}

// fallback returns an answer that needs no model.
func (c chore) fallback() string {
	if c.format != nil {
		return c.fallbackJSON()
	}
	var value any
	switch c.kind {
	case "follow_ups":
		value = strings.Split(nextQuestions.In(c.lang), "\n")
	case "tags":
		value = []string{bilingual.Text{RU: "Учёт", EN: "Books"}.In(c.lang)}
	case "queries":
		value = []string{}
	case "text":
		value = ""
	case "emoji":
		value = "📊"
	case "summary":
		return c.transcript
	default:
		value = title(c.firstMessage)
	}
	if text, plain := value.(string); plain && c.key == "" {
		return text
	}
	return string(encoded.JSON(map[string]any{cmp.Or(c.key, c.kind): value}))
}

// fallbackJSON fills the properties of the requested schema. UIs ask for a title and sometimes for its language.
func (c chore) fallbackJSON() string {
	var schema struct{ Properties map[string]json.RawMessage }
	filled := map[string]string{}
	if json.Unmarshal(c.format.schemaJSON, &schema) == nil {
		for name := range schema.Properties {
			filled[name] = title(c.firstMessage)
			if strings.Contains(strings.ToLower(name), "lang") {
				filled[name] = bilingual.Text{RU: "Russian", EN: "English"}.In(c.lang)
			}
		}
	}
	return string(encoded.JSON(filled))
}

// nextQuestions are questions that the tools can answer, one a line.
var nextQuestions = bilingual.Text{
	RU: "Что ниже неснижаемого остатка?\nСколько денег заморожено в неликвиде?\nСколько денег на счетах и кто нам должен?",
	EN: "What is below its minimum, per warehouse?\nHow much money is frozen in dead stock?\nHow much cash is there, and who owes us?",
}
