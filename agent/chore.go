package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/answer/document"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/openai"
)

// chore is what a chat UI asks for itself, about a conversation that it gives: a title, tags, what to ask next. It is
// answered without tools and outside of any session, by the model if it writes what fits and passes the check, else by
// rules.
type chore struct {
	kind   string // a key of wanted
	key    string // the field of the JSON object that is asked for; empty: plain text
	talk   string // the conversation
	topic  string // what the user said in it first
	lang   string
	format *format
}

type kindOfChore struct {
	kind  string
	words *expression.Expression
}

// wanted are the words by which the things that UIs ask for are known, the more special first.
var wanted = []kindOfChore{
	{"follow_ups", expression.Of(`(?i)follow[- _]?ups?`)},
	{"tags", expression.Of(`(?i)\btags?\b|тег`)},
	{"queries", expression.Of(`(?i)\bquer(y|ies)\b`)},
	{"title", expression.Of(`(?i)\btitles?\b|заголов|назови бесед|название (бесед|чата)|标题`)},
	{"text", expression.Of(`(?i)autocomplet`)},
	{"emoji", expression.Of(`(?i)\bemoji\b`)},
	{"summary", expression.Of(`(?i)\bsummar|резюм|总结|摘要`)},
}

// do has a chore done.
func (a *Agent) do(ctx context.Context, c chore, chat openai.ChatRequest, out *output) error {
	var err error
	if c.format, err = readFormat(chat.ResponseFormat); err != nil {
		return err
	}
	if err := out.emit(Started{}); err != nil {
		return err
	}
	messages := sound(chat.Messages)
	evidence := answer.Config{Book: reference.NewBook(c.lang), Lang: c.lang, Now: a.Now()}
	for i, m := range messages {
		messages[i].Content = openai.Content(redact.Text(string(m.Content)))
		evidence.Given = append(evidence.Given, string(m.Content))
	}
	options := drawing(chat)
	if c.format != nil {
		options = append(options, provider.WithField("response_format", c.format.asked))
	}
	response, err := a.Model.GenerateContent(ctx, toModel(messages), options...)
	text, usage := "", openai.Usage{}
	switch {
	case err == nil:
		usage = usageOf(response, messages)
		if err := out.emit(Used{usage}); err != nil {
			return err
		}
		text = c.fitting(ctx, evidence, string(fromModel(response).Content))
	case ctx.Err() != nil || !errors.Is(err, provider.ErrUnavailable) && !errors.Is(err, provider.ErrRefused):
		return err
	}
	if text == "" {
		text = redact.Text(c.byRules())
	}
	if err := out.emit(Text{Delta: text}); err != nil {
		return err
	}
	return out.emit(Finished{openai.FinishStop, usage})
}

// longestTitle is in characters: UIs cut longer ones, and a model that writes more has not understood.
const longestTitle = 100

// fitting is what the model wrote, as it may be shown; empty if it does not fit, or has figures that the transcript does
// not have.
func (c chore) fitting(ctx context.Context, evidence answer.Config, said string) string {
	said = unfenced(said)
	switch {
	case c.format != nil:
		return withoutProblems(c.format.written(ctx, evidence, said))
	case c.key != "":
		var fields map[string]json.RawMessage
		if json.Unmarshal([]byte(said), &fields) != nil || len(fields[c.key]) == 0 {
			return ""
		}
		return withoutProblems(document.Write(ctx, evidence, nil, said))
	}
	said = strings.Trim(said, `"«»`)
	if c.kind != "summary" && (strings.Contains(said, "\n") || len([]rune(said)) > longestTitle) {
		return ""
	}
	return plainly(evidence, said)
}

func withoutProblems(written string, _ []answer.Figure, problems []answer.Problem) string {
	if len(problems) > 0 {
		return ""
	}
	return written
}

// byRules is what can be said without a model.
func (c chore) byRules() string {
	if c.format != nil {
		return c.byFormat()
	}
	var value any
	switch c.kind {
	case "follow_ups":
		value = nextQuestions[c.lang]
	case "tags":
		value = []string{bilingual.Text{RU: "Учёт", EN: "Books"}.In(c.lang)}
	case "queries":
		value = []string{}
	case "text":
		value = ""
	case "emoji":
		value = "📊"
	case "summary":
		return c.talk
	default:
		value = title(c.topic)
	}
	if text, plain := value.(string); plain && c.key == "" {
		return text
	}
	return asJSON(map[string]any{cmp.Or(c.key, c.kind): value})
}

// byFormat fills the texts of a schema: UIs ask for a title and, it may be, its language.
func (c chore) byFormat() string {
	var schema struct{ Properties map[string]json.RawMessage }
	filled := map[string]string{}
	if json.Unmarshal(c.format.shape, &schema) == nil {
		for name := range schema.Properties {
			filled[name] = title(c.topic)
			if strings.Contains(strings.ToLower(name), "lang") {
				filled[name] = bilingual.Text{RU: "Russian", EN: "English"}.In(c.lang)
			}
		}
	}
	return asJSON(filled)
}

// nextQuestions are such as the tools answer.
var nextQuestions = map[string][]string{
	"ru": {"Что ниже неснижаемого остатка?", "Сколько денег заморожено в неликвиде?", "Сколько денег на счетах и кто нам должен?"},
	"en": {"What is below its minimum, per warehouse?", "How much money is frozen in dead stock?", "How much cash is there, and who owes us?"},
}

// asJSON is JSON of texts, which always encode.
func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
