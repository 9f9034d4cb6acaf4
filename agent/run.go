package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/grounding"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// run is one answer in the making.
type run struct {
	*Agent
	who     keys.Caller
	request openai.ChatRequest
	asked   conversation
	subject
	lang    string
	toolset toolset
	format  *format // nil: text
	want    want
	check   *grounding.Check
	out     *output

	messages []openai.Message  // what the model has been told and has said
	kept     []Message         // of this run, for the session
	verdict  Verdict           // so far
	results  []*tools.Result   // of this run
	encoded  []json.RawMessage // the same as JSON
	failure  error             // of the last tool call that failed
	unread   map[string]string // what the user is told of calls that could not read the books, by [callOf]
	read     strings.Builder   // what the user has read of the answer
	spoken   bool              // the model's current message has been heard, in part
	clients  []openai.ToolCall // calls that the client must run
	reason   string
	usage    openai.Usage
}

// converse answers as the agent.
func (a *Agent) converse(ctx context.Context, who keys.Caller, req Request, out *output) error {
	format, err := readFormat(req.Chat.ResponseFormat)
	if err != nil {
		return err
	}
	want, err := readWant(req.Chat)
	if err != nil {
		return err
	}
	asked, err := a.conversation(ctx, who, req)
	if err != nil {
		return err
	}
	if asked.turn != nil {
		var leave func()
		ctx, leave = asked.turn.hold(ctx)
		defer leave()
	}
	on, err := a.open(ctx, who, req, &asked)
	if err != nil {
		return err
	}
	if asked.turn == nil {
		if err := asked.begin(ctx, a, who, on.account); err != nil {
			return err
		}
		var leave func()
		ctx, leave = asked.turn.hold(ctx)
		defer leave()
	}
	if err := out.emit(Started{asked.session.ID}); err != nil {
		return err
	}
	r := &run{Agent: a, who: who, request: req.Chat, asked: asked, subject: on, out: out, reason: openai.FinishStop, verdict: Passed, unread: map[string]string{}}
	r.format, r.want = format, want
	r.lang = render.Language(asked.question())
	if r.account != nil {
		r.account.SessionID = asked.session.ID
		err = r.remember(ctx)
	}
	switch {
	case err != nil:
	case r.instead != "":
		err = r.sayInstead(r.instead)
	default:
		err = r.askModel(ctx)
	}
	r.keep(ctx)
	if err != nil {
		return lost(ctx, err)
	}
	if len(r.clients) > 0 {
		if err := out.emit(ClientToolCalls{renamed(r.clients, r.toolset.clientName)}); err != nil {
			return err
		}
	}
	return out.emit(Finished{r.reason, r.usage})
}

// remember keeps the account in the session, for questions that name none.
func (r *run) remember(ctx context.Context) error {
	if known := r.asked.session.ConnectionID; known != nil && *known == r.account.ConnectionID {
		return nil
	}
	return r.Sessions.choose(ctx, r.who.OrganizationID, r.asked.session.ID, r.account.ConnectionID, r.account.ID)
}

// askModel has the question answered by the model and its tools.
func (r *run) askModel(ctx context.Context) error {
	r.toolset = r.all
	if r.format != nil {
		r.toolset = r.reading
	}
	if len(r.request.Tools) > 0 && !r.want.none {
		r.toolset = r.toolset.with(r.request.Tools)
	}
	earlier, err := r.asked.results(r.account.ID)
	if err != nil {
		return fmt.Errorf("read the session's results: %w", err)
	}
	became, told, err := r.whatBecame(ctx)
	if err != nil {
		return err
	}
	said, given := r.asked.clientSide(r.toolset.isOurs)
	r.check = grounding.New(grounding.Evidence{Lang: r.lang, Results: append(earlier, became...), UserTexts: said, ClientTexts: given})
	history := sound(append(remembered(r.asked.before), r.asked.asks()...))
	for i, m := range history {
		history[i].Content = openai.Content(r.check.Redact(string(m.Content)))
		if r.asked.asSent {
			history[i].ToolCalls = renamed(m.ToolCalls, r.toolset.modelName)
		}
	}
	if r.name != "" {
		r.check.AddNames([]string{r.name})
	}
	r.messages = slices.Concat(instructions(r.Now(), r.asked.rules), r.whose(), told, r.wishes(), history)
	if err := r.takeTurns(ctx); err != nil {
		return err
	}
	if r.Checked != nil {
		r.Checked(r.verdict)
	}
	if len(r.clients) > 0 {
		r.reason = openai.FinishToolCalls
		return nil
	}
	if r.format != nil {
		return nil
	}
	if err := r.showDrafts(); err != nil {
		return err
	}
	if missing := r.check.MissingNotes(r.read.String()); missing != "" {
		if err := r.sayApart(missing); err != nil {
			return err
		}
	}
	if err := r.sayApart(r.ofEarlier(earlier)); err != nil {
		return err
	}
	return r.sayUnread()
}

// ofEarlier is what must be said with an answer whose figures are all of earlier answers, once the books may have changed.
func (r *run) ofEarlier(earlier []*tools.Result) string {
	const fresh = 10 * time.Minute
	if len(r.results) > 0 || len(earlier) == 0 {
		return ""
	}
	newest := slices.MaxFunc(earlier, func(a, b *tools.Result) int { return a.AsOf.Compare(b.AsOf) }).AsOf
	if newest.IsZero() || r.Now().Sub(newest) < fresh || !r.check.HasFigures(r.read.String()) {
		return ""
	}
	return fmt.Sprintf(figuresOfEarlier[r.lang], render.Moment(r.lang, newest))
}

var figuresOfEarlier = map[string]string{
	"ru": "Цифры из более раннего ответа этой беседы, данные не новее %s. Спросите ещё раз, чтобы прочитать их заново.",
	"en": "The figures are of an earlier answer of this conversation, no newer than %s. Ask again to have them read anew.",
}

// say hands a piece of checked text to the user.
func (r *run) say(text string) error {
	if text == "" {
		return nil
	}
	r.read.WriteString(text)
	return r.out.emit(Text{text})
}

// sayApart says a text as a paragraph of its own, unless there is none.
func (r *run) sayApart(text string) error {
	if r.read.Len() > 0 && text != "" {
		text = "\n\n" + text
	}
	return r.say(text)
}

// sayOnce says a text as a paragraph of its own, unless it has been said.
func (r *run) sayOnce(text string) error {
	if text = strings.TrimSpace(text); strings.Contains(r.read.String(), text) {
		return nil
	}
	return r.sayApart(text)
}

// wishes tell the model what the client wants of the answer's form.
func (r *run) wishes() []openai.Message {
	var wishes []openai.Message
	if r.format != nil {
		wishes = append(wishes, openai.Message{Role: openai.RoleSystem, Content: openai.Content(r.format.instruction())})
	}
	if r.want.call {
		wishes = append(wishes, openai.Message{Role: openai.RoleSystem, Content: openai.Content(r.want.instruction(r.toolset.modelName))})
	}
	return wishes
}

// replace says what the results say by themselves, in the place of an answer that did not pass its check.
func (r *run) replace() error {
	r.verdict = Replaced
	if len(r.results) == 0 {
		return r.sayInstead(r.whyNot())
	}
	var parts []string
	for _, result := range r.results {
		if text := strings.TrimSpace(render.Result(r.lang, result)); !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return r.sayInstead(strings.Join(parts, "\n\n"))
}

// sayInstead says the service's own words in the place of the model's. They have no format, so a client that asked for
// one gets them as a refusal.
func (r *run) sayInstead(text string) error {
	if r.format == nil {
		return r.sayApart(text)
	}
	if r.check != nil {
		if missing := r.check.MissingNotes(text); missing != "" {
			text += "\n\n" + missing
		}
	}
	r.read.WriteString(text)
	return r.out.emit(Refusal{text})
}

// whyNot says in the service's own words why there is no answer: what was wrong with the last thing that was tried, or
// that nothing fits the question.
func (r *run) whyNot() string {
	if len(r.unread) > 0 {
		return strings.Join(slices.Compact(slices.Sorted(maps.Values(r.unread))), "\n\n")
	}
	var wrong *tools.ArgumentError
	if !errors.As(r.failure, &wrong) {
		return noAnswer[r.lang]
	}
	problems := make([]string, len(wrong.Fields))
	for i, f := range wrong.Fields {
		problems[i] = "- " + render.Inline(f.Field+": "+f.Problem)
	}
	text := notSo[r.lang] + "\n\n" + strings.Join(problems, "\n")
	if _, failed := r.check.Text(text); len(failed) > 0 {
		return noAnswer[r.lang] // a problem quotes the model's own arguments, which may be made up
	}
	return text
}

var notSo = map[string]string{
	"ru": "Так не получается, уточните:",
	"en": "That does not work as asked; please make it precise:",
}

var noAnswer = map[string]string{
	"ru": "Не могу ответить на это по данным учёта. Спросите, например, про остатки, неснижаемые остатки, неликвид, маржу, деньги и долги.",
	"en": "I cannot answer that from the books. Ask, for instance, about stock, minimums, dead stock, margin, money and debts.",
}

// keepTimeout is how long a session's record may wait for the database: SQLite has one writer at a time, and an answer is
// longest when many end at once.
const keepTimeout = time.Minute

// keep writes the run into the session, also one that was cut short: what was said was said.
func (r *run) keep(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	messages := told(r.asked.tail)
	for i, m := range messages {
		messages[i].Content = grounding.Redact(m.Content)
	}
	messages = slices.Concat(r.asked.copied, messages, r.kept)
	seen := digest(r.asked.digest, r.asked.tail)
	if r.read.Len() > 0 || len(r.clients) > 0 {
		last := openai.Message{Role: openai.RoleAssistant, Content: openai.Content(r.read.String()), ToolCalls: r.clients}
		messages = append(messages, told([]openai.Message{last})...)
		messages[len(messages)-1].Results = r.encoded
		seen = digest(seen, []openai.Message{last})
	}
	if err := r.asked.turn.add(ctx, seen, messages); err != nil {
		// The user has the answer; only the record of it is lost.
		r.Log.ErrorContext(ctx, "session is not kept", "session", r.asked.session.ID, "error", err)
	}
}

// title names a session after its first question.
func title(question string) string {
	const most = 80
	line, _, _ := strings.Cut(strings.TrimSpace(question), "\n")
	if runes := []rune(line); len(runes) > most {
		return strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return line
}
