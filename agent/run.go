package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/redact"
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
	out     *output

	book       *reference.Book
	earlier    []*reference.Report // of the turns before
	results    []*reference.Report // of this run
	candidates []string            // names that tools gave for an argument that fits none or several
	cited      []string            // names of the account that a model of rules writes
	sure       bool                // a model of rules writes this turn
	said       []string            // the user's own words
	given      []string            // what the client's own tools gave

	messages []openai.Message  // what the model has been told and has said
	kept     []Message         // of this run, for the session
	done     []json.RawMessage // results of what the service itself has done, without a call
	became   []*tools.Result   // of the conversation's drafts: what has become of them
	failure  error             // of the last tool call that failed
	unread   map[string]string // what the user is told of calls that could not read the books, by [callOf]
	read     spoken
	ended    bool              // a stop, the limit or the service's own words have ended the answer
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
	r := &run{
		Agent: a, who: who, request: req.Chat, asked: asked, subject: on, lang: render.Language(asked.question()), out: out,
		format: format, want: want, reason: openai.FinishStop, unread: map[string]string{},
	}
	return r.answer(ctx)
}

// answer answers about the subject, or says why there is none, and keeps what was said.
func (r *run) answer(ctx context.Context) (err error) {
	if r.account != nil {
		r.account.SessionID, r.account.WholeRows = r.asked.session.ID, wholeRows
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
		if err := r.out.emit(ClientToolCalls{renamed(r.clients, r.toolset.clientName)}); err != nil {
			return err
		}
	}
	return r.out.emit(Finished{r.reason, r.usage})
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
	if offered := r.want.offered(r.request.Tools); len(offered) > 0 {
		r.toolset = r.toolset.with(offered)
	}
	if err := r.openBook(); err != nil {
		return err
	}
	if err := r.instruct(ctx); err != nil {
		return err
	}
	if err := r.takeTurns(ctx); err != nil {
		return err
	}
	if len(r.clients) > 0 {
		r.reason = openai.FinishToolCalls
		return nil
	}
	if r.format != nil {
		return nil
	}
	return r.close()
}

// instruct sets what the model is told, and what its words may hold beside the reports.
func (r *run) instruct(ctx context.Context) error {
	became, told, err := r.whatBecame(ctx)
	if err != nil {
		return err
	}
	r.became = became
	r.said, r.given = r.asked.clientSide(r.toolset.isOurs)
	history := sound(append(remembered(r.asked.before), r.asked.asks()...))
	r.messages = slices.Concat(instructions(r.Now(), r.asked.rules), r.whose(), told, r.wishes(), history)
	for i, m := range r.messages {
		r.messages[i].Content = openai.Content(redact.Text(string(m.Content)))
	}
	return nil
}

// evidence is what the answer's words and references may rest on.
func (r *run) evidence() answer.Config {
	names := slices.Clone(r.candidates)
	if r.name != "" {
		names = append(names, r.name)
	}
	for _, result := range r.became {
		if d, err := readDraft(result); err == nil && d.Document != nil {
			names = append(names, d.Document.Name)
		}
	}
	return answer.Config{Book: r.book, Lang: r.lang, Now: r.Now(), Said: r.said, Given: r.given, Names: names}
}

// count adds what became of an answer's references to the metrics.
func (r *run) count(c answer.Counts) {
	if r.Written != nil {
		r.Written(c)
	}
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

// keepTimeout is how long a session's record may wait for the database: SQLite has one writer at a time, and an answer is
// longest when many end at once.
const keepTimeout = time.Minute

// keep writes the run into the session, even if it was cut short: the user has seen what it said.
func (r *run) keep(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	messages := told(r.asked.tail)
	messages = append(messages, r.kept...)
	if r.read.length > 0 || len(r.clients) > 0 {
		last := openai.Message{Role: openai.RoleAssistant, Content: openai.Content(r.read.text.String()), ToolCalls: r.clients}
		messages = append(messages, told([]openai.Message{last})...)
		messages[len(messages)-1].Results, messages[len(messages)-1].Figures = r.done, r.read.extended
	}
	if err := r.asked.turn.add(ctx, r.who.KeyID, r.asked.copied, messages); err != nil {
		// The user has the answer; only the record of it is lost.
		r.Log.ErrorContext(ctx, "session is not kept", "session", r.asked.session.ID, "error", err)
	}
}

// title names a session after its first question.
func title(question string) string {
	const most, read = 80, 4 << 10
	question = strings.ToValidUTF8(strings.ReplaceAll(question[:min(len(question), read)], "\x00", ""), "") // PostgreSQL has no U+0000
	line, _, _ := strings.Cut(
		redact.Text(strings.TrimSpace(question)), "\n",
	) // before it is cut: a part is secret too
	if runes := []rune(line); len(runes) > most {
		return strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return line
}
