package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/answer/evidence"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// run is one answer in progress.
type run struct {
	*Agent
	who          keys.Caller
	request      openai.ChatRequest
	conversation conversation
	accountChoice
	lang       string
	toolset    toolset
	format     *format // nil means text
	toolChoice toolChoice
	out        *output

	book           *reference.Book
	earlierReports []*reference.Report // of earlier turns
	newReports     []*reference.Report // of this run
	candidates     []string            // names that tools suggested for an unclear argument
	ruleNames      []string            // names from the account that a rule-based model writes
	byRules        bool                // a rule-based model writes this turn
	answerer       provider.Answerer   // of the last call of the model
	userTexts      []string            // the user's messages
	clientResults  []string            // results of the client's tools

	messages      []openai.Message  // the conversation with the model
	record        []Message         // messages to save in the session
	actionResults []json.RawMessage // results of actions, see [Agent.RunAction]
	draftStates   []*tools.Result   // current drafts of the conversation
	lastFailure   error             // error of the last tool call that failed
	readFailures  map[string]string // callKey → explanation for the user
	shown         shownText
	said          []string          // the user's numbers that the answer repeats and no report has
	repeated      []answer.Figure   // those that a report has
	closed        bool              // ended by a stop sequence, a limit or our own text
	clientCalls   []openai.ToolCall // calls of the client's tools
	reason        string
	usage         openai.Usage
}

// converse answers a question in its session.
func (a *Agent) converse(ctx context.Context, who keys.Caller, req Request, out *output) error {
	format, err := readFormat(req.Chat.ResponseFormat)
	if err != nil {
		return err
	}
	clientChoice, err := readToolChoice(req.Chat)
	if err != nil {
		return err
	}
	if err := a.Sessions.Storage.Check(ctx, who.OrganizationID); err != nil {
		return err
	}
	conversation, err := a.loadConversation(ctx, who, req)
	if err != nil {
		return err
	}
	if conversation.turn != nil {
		var leave func()
		ctx, leave = conversation.turn.hold(ctx)
		defer leave()
	}
	choice := accountChoice{}
	if choice.reply, err = conversation.replyWithCommand(ctx, a, who, req); err == nil && choice.reply == "" {
		choice, err = a.openAccount(ctx, who, req, &conversation)
	}
	if err != nil {
		return err
	}
	if conversation.turn == nil {
		if err := conversation.createSession(ctx, a, who, choice.account); err != nil {
			return err
		}
		var leave func()
		ctx, leave = conversation.turn.hold(ctx)
		defer leave()
	}
	if err := out.emit(Started{conversation.session.ID}); err != nil {
		return err
	}
	r := &run{
		Agent: a, who: who, request: req.Chat, conversation: conversation, accountChoice: choice, out: out,
		lang:   conversation.language(),
		format: format, toolChoice: clientChoice, reason: openai.FinishStop, readFailures: map[string]string{},
	}
	return r.answer(ctx)
}

// answer answers the question, or sends the reply about the account, and saves the session.
func (r *run) answer(ctx context.Context) (err error) {
	if r.account != nil {
		r.account.SessionID, r.account.MinRows = r.conversation.session.ID, wholeRows
		err = r.rememberAccount(ctx)
	}
	switch {
	case err != nil:
	case r.reply != "":
		err = r.sayInstead(r.reply)
	default:
		err = r.answerWithModel(ctx)
	}
	r.save(ctx)
	if err != nil {
		return turnError(ctx, err)
	}
	if len(r.clientCalls) > 0 {
		if err := r.out.emit(ClientToolCalls{renamed(r.clientCalls, r.toolset.clientName)}); err != nil {
			return err
		}
	}
	return r.out.emit(Finished{r.reason, r.usage, r.answerer.BuiltInInstead()})
}

// rememberAccount stores the account in the session, for questions that do not name one.
func (r *run) rememberAccount(ctx context.Context) error {
	if known := r.conversation.session.ConnectionID; known != nil && *known == r.account.ConnectionID {
		return nil
	}
	return r.Sessions.setAccount(ctx, r.who.OrganizationID, r.conversation.session.ID, r.account.ConnectionID, r.account.ID)
}

func (r *run) answerWithModel(ctx context.Context) error {
	r.toolset = r.allTools
	if r.format != nil {
		r.toolset = r.readTools
	}
	if offered := r.toolChoice.offered(r.request.Tools); len(offered) > 0 {
		r.toolset = r.toolset.withClientTools(offered)
	}
	if err := r.openBook(); err != nil {
		return err
	}
	if err := r.prepareMessages(ctx); err != nil {
		return err
	}
	if err := r.runSteps(ctx); err != nil {
		return err
	}
	if len(r.clientCalls) > 0 {
		r.reason = openai.FinishToolCalls
		return nil
	}
	if r.format != nil {
		return nil
	}
	return r.finishAnswer(ctx)
}

// prepareMessages collects the messages for the model, without secrets.
func (r *run) prepareMessages(ctx context.Context) error {
	drafts, err := r.loadDraftStates(ctx)
	if err != nil {
		return err
	}
	r.userTexts, r.clientResults = r.conversation.clientTexts(r.toolset.isOurs)
	for _, text := range r.instructions(drafts) {
		if text != "" {
			r.messages = append(r.messages, openai.Message{Role: openai.RoleSystem, Content: openai.Content(text)})
		}
	}
	history := append(historyForModel(r.conversation.history), r.conversation.currentMessages()...)
	r.messages = append(r.messages, completeCalls(history)...)
	for i, m := range r.messages {
		r.messages[i].Content = openai.Content(redact.Text(string(m.Content)))
	}
	return nil
}

// evidence configures what the figures in the answer may be based on.
func (r *run) evidence() answer.Config {
	names := slices.Clone(r.candidates)
	if r.accountName != "" {
		names = append(names, r.accountName)
	}
	for _, result := range r.draftStates {
		if d, err := readDraft(result); err == nil && d.Document != nil {
			names = append(names, d.Document.Name)
		}
	}
	return answer.Config{
		Sources: evidence.Sources{Book: r.book, Now: r.Now(), Said: r.userTexts, Given: r.clientResults, Names: names}, Lang: r.lang,
	}
}

// countReferences adds the references of an answer to the metrics.
func (r *run) countReferences(c answer.Counts) {
	if r.CountReferences != nil {
		r.CountReferences(c)
	}
}

// saveTimeout limits the wait for the database. SQLite has one writer at a time, so many answers that end together wait
// for each other.
const saveTimeout = time.Minute

// save stores the run in the session. It also stores an incomplete answer, because the user has seen it.
func (r *run) save(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	messages := fromClient(r.conversation.newMessages)
	messages = append(messages, r.record...)
	if r.shown.length > 0 || len(r.clientCalls) > 0 {
		last := openai.Message{Role: openai.RoleAssistant, Content: openai.Content(r.shown.text.String()), ToolCalls: r.clientCalls}
		messages = append(messages, fromClient([]openai.Message{last})...)
		messages[len(messages)-1].Results, messages[len(messages)-1].Figures = r.actionResults, r.clientFigures(r.shown.figures)
	}
	if err := r.conversation.turn.save(ctx, r.who.KeyID, r.conversation.copyFrom, messages); err != nil {
		// The user has the answer, so the run does not fail.
		r.Log.ErrorContext(ctx, "save session", "session", r.conversation.session.ID, "error", err)
	}
}

// title returns a session's title, made from its first question.
func title(question string) string {
	const most, read = 80, 4 << 10
	question = question[:min(len(question), read)]
	question = strings.ToValidUTF8(strings.ReplaceAll(question, "\x00", ""), "") // PostgreSQL texts cannot contain U+0000
	// Redact before cutting, since a part of a secret may not be recognized.
	line, _, _ := strings.Cut(redact.Text(strings.TrimSpace(question)), "\n")
	if runes := []rune(line); len(runes) > most {
		return strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return line
}
