package agent

import (
	"cmp"
	"context"
	"slices"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// conversation is a request's conversation: the history as far as it is known, and the new messages.
type conversation struct {
	session        Session // without an id if it is new
	turn           *turn   // nil if the session is new
	created        bool    // the session was created for this request
	copyFrom       place   // a new session begins with a copy of another one up to here
	history        []Message
	earlierResults int              // results of the session before those in history
	newMessages    []openai.Message // after the last answer: the question, or results of the client's tools
	systemMessages []openai.Message // of the client
	replacement    []openai.Message // the new messages without the account's name, or with an earlier question; nil if they are unchanged
	unreported     int              // number of results since the last answer
}

// loadConversation finds the session of a request. Messages that the client's history shares with the session are taken
// from the session, which has the tool results too; all others are taken as the client sent them. A history that ends
// at an earlier answer than the session starts a new session with a copy of the earlier part.
func (a *Agent) loadConversation(ctx context.Context, who keys.Caller, req Request) (conversation, error) {
	var c conversation
	rules, sent, tail := splitRequest(req.Chat.Messages)
	c.systemMessages, c.newMessages = rules, tail
	history := fromClient(sent)
	for i, m := range history { // all calls in a client's history are of its tools
		history[i].ToolCalls = renamed(m.ToolCalls, a.allTools.modelName)
	}
	at, err := a.findPlace(ctx, who, req, history, tail)
	if err != nil {
		return c, err
	}
	if at.sessionID == "" {
		c.history = withoutRefused(history)
		return c, nil
	}
	if c.turn, err = a.Sessions.takeTurn(ctx, who.OrganizationID, at.sessionID); err != nil {
		return c, err
	}
	if err := c.load(ctx, a.Sessions, at, history); err != nil {
		c.turn.release(ctx)
		return c, err
	}
	if c.copyFrom.position > 0 {
		c.turn.release(ctx)
		c.turn = nil
	}
	return c, nil
}

// load reads the session up to a place and merges it with the client's history.
func (c *conversation) load(ctx context.Context, store *Store, at place, history []Message) (err error) {
	organizationID := c.turn.organizationID
	if c.session, err = store.Get(ctx, organizationID, at.sessionID); err != nil {
		return err
	}
	if at.position > 0 {
		moved, err := store.hasLaterAnswers(ctx, organizationID, at)
		if err != nil {
			return err
		}
		if moved {
			c.copyFrom = at
		}
	}
	recent, err := store.recent(ctx, organizationID, at.sessionID, c.copyFrom.position)
	if err != nil {
		return err
	}
	c.history, c.earlierResults, c.unreported = recent.Messages, recent.EarlierResults, countUnreported(recent.Messages)
	if at.position > 0 { // drop later questions, which got no answer
		after := slices.IndexFunc(c.history, func(m Message) bool { return m.position > at.position })
		if after >= 0 {
			c.history = slices.Concat(c.history[:after], resultsOnly(c.history[after:]))
		}
	}
	if len(history) > 0 {
		c.adoptCallIDs(history)
		c.history = merge(c.history, history)
		restoreImages(c.history, history)
	}
	c.history = withoutRefused(c.history)
	return nil
}

// adoptCallIDs gives the calls in a client's history the ids that they have in the session. Some clients change the
// ids. Calls of the same function with the same arguments are matched, the last ones first.
func (c *conversation) adoptCallIDs(history []Message) {
	var recorded []openai.ToolCall // the last first
	known := map[string]bool{}
	for _, m := range slices.Backward(c.history) {
		for _, call := range slices.Backward(m.ToolCalls) {
			recorded = append(recorded, call)
			known[call.ID] = true
		}
	}
	ids := map[string]string{}
	for _, m := range slices.Backward(history) {
		for i, call := range slices.Backward(m.ToolCalls) {
			if known[call.ID] {
				continue
			}
			same := slices.IndexFunc(recorded, func(k openai.ToolCall) bool { return normalizeCall(k) == normalizeCall(call) })
			if same < 0 {
				continue
			}
			ids[call.ID], m.ToolCalls[i].ID = recorded[same].ID, recorded[same].ID
			recorded = recorded[same+1:]
		}
	}
	if len(ids) == 0 {
		return
	}
	for i, m := range history {
		history[i].ToolCallID = cmp.Or(ids[m.ToolCallID], m.ToolCallID)
	}
	c.newMessages = slices.Clone(c.newMessages)
	for i, m := range c.newMessages {
		c.newMessages[i].ToolCallID = cmp.Or(ids[m.ToolCallID], m.ToolCallID)
	}
}

// merge combines a session with a client's history. Messages that only the history has are inserted, and messages that
// both have are taken from the session. Results are kept even if their messages are not.
func merge(recorded, sent []Message) []Message {
	answers := map[string][]int{} // mark of an answer in recorded → indexes
	for i, m := range recorded {
		if m.Role == openai.RoleAssistant {
			for _, mark := range marksOf(m, true) {
				answers[mark.text] = append(answers[mark.text], i)
			}
		}
	}
	var parts [][]Message // the last first
	before, sentBefore := len(recorded), len(sent)
	for i, m := range slices.Backward(sent) {
		at := -1
		for _, mark := range marksOf(m, true) {
			for _, there := range answers[mark.text] {
				if there < before {
					at = max(at, there)
				}
			}
		}
		if at < 0 {
			continue
		}
		parts = append(parts, mergeGap(recorded[at+1:before], sent[i+1:sentBefore], len(parts) == 0), recorded[at:at+1])
		before, sentBefore = at, i
	}
	parts = append(parts, mergeGap(recorded[:before], sent[:sentBefore], len(parts) == 0))
	slices.Reverse(parts)
	return slices.Concat(parts...)
}

// restoreImages copies the images of a client's history to the same messages of the session, which does not store
// images.
func restoreImages(recorded, sent []Message) {
	at := len(recorded)
	for _, m := range slices.Backward(sent) {
		if len(m.images) == 0 {
			continue
		}
		for i, k := range slices.Backward(recorded[:at]) {
			if k.Role == m.Role && normalize(k.Content) == normalize(m.Content) {
				recorded[i].images, at = m.images, i
				break
			}
		}
	}
}

// mergeGap merges what a session and a history have between two common answers. A question that differs was changed by
// the client, so the session's is used. An answer that differs was edited or is another model's, so the history is
// used. The history is also used after the last common answer.
func mergeGap(recorded, sent []Message, last bool) []Message {
	has := func(messages []Message, role string) bool {
		return slices.ContainsFunc(messages, func(m Message) bool { return m.Role == role })
	}
	switch {
	case last || has(sent, openai.RoleAssistant):
		return append(resultsOnly(recorded), sent...)
	case has(recorded, openai.RoleUser):
		return recorded
	}
	questions := slices.DeleteFunc(slices.Clone(sent), func(m Message) bool { return m.Role != openai.RoleUser })
	return append(questions, recorded...)
}

func (c *conversation) createSession(ctx context.Context, a *Agent, who keys.Caller, account *tools.Account) (err error) {
	c.session, c.turn, err = a.Sessions.create(ctx, who, title(c.question()), account)
	c.created = true
	return err
}

// splitRequest divides a request into system messages, the history up to the last answer, and the new messages.
func splitRequest(messages []openai.Message) (system, history, newMessages []openai.Message) {
	for _, m := range messages {
		switch m.Role {
		case openai.RoleSystem, openai.RoleDeveloper:
			system = append(system, m)
		case openai.RoleAssistant:
			history, newMessages = append(append(history, newMessages...), m), nil
		default:
			newMessages = append(newMessages, m)
		}
	}
	return system, history, newMessages
}

// fromClient converts messages of a client to messages of a session.
func fromClient(sent []openai.Message) []Message {
	messages := make([]Message, 0, len(sent))
	for _, m := range sent {
		messages = append(
			messages, Message{Role: m.Role, Content: string(m.Content), ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID, images: m.Images},
		)
	}
	return messages
}

// resultsOnly drops everything but the results, because an edited history can still quote their figures.
func resultsOnly(recorded []Message) []Message {
	var results []Message
	for _, m := range recorded {
		if len(m.Results) > 0 {
			results = append(results, Message{Results: m.Results})
		}
	}
	return results
}

// countUnreported counts the results since the last answer. If a call of the client's tools
// followed them, their notes and sources have not been shown yet.
func countUnreported(recorded []Message) (results int) {
	for _, m := range slices.Backward(recorded) {
		if m.Role == openai.RoleAssistant && len(m.ToolCalls) == 0 {
			return results
		}
		results += len(m.Results)
	}
	return results
}

// clientTexts returns the user's messages and the results of the client's tools. ours reports whether a tool is the
// service's own.
func (c conversation) clientTexts(ours func(tool string) bool) (userTexts, toolResults []string) {
	names := map[string]string{} // call id → tool; ids can repeat, and the last call counts
	for _, m := range append(c.history, fromClient(c.newMessages)...) {
		for _, call := range m.ToolCalls {
			names[call.ID] = call.Function.Name
		}
		switch {
		case m.Role == openai.RoleUser:
			userTexts = append(userTexts, m.Content)
		case m.Role == openai.RoleTool && len(m.Results) == 0 && !ours(names[m.ToolCallID]) && !isToolError(m.Content):
			toolResults = append(toolResults, m.Content)
		}
	}
	return userTexts, toolResults
}

// draftTexts returns the user's messages since the last draft that can specify the next one: the first that asks to write something
// and those after it, at most four. If none asks for it, only the last message counts. correct reports whether the first of them follows
// the last draft, so that it can correct it.
func (c conversation) draftTexts(isDraft func(tool string) bool) (texts []string, correct bool) {
	const most = 4
	names := map[string]string{} // call id → tool
	drafted, skipped := false, 1
	for _, m := range slices.Concat(c.history, fromClient(c.currentMessages())) {
		for _, call := range m.ToolCalls {
			names[call.ID] = call.Function.Name
		}
		switch {
		case m.Role == openai.RoleUser && drafted:
			texts, drafted, skipped = []string{m.Content}, false, 0
		case m.Role == openai.RoleUser:
			texts = append(texts, m.Content)
		case len(m.Results) > 0 && isDraft(names[m.ToolCallID]):
			drafted = true
		}
	}
	skipped += max(0, len(texts)-most)
	texts = texts[max(0, len(texts)-most):]
	first := slices.IndexFunc(texts, asksToWrite)
	if first < 0 {
		first = max(0, len(texts)-1)
	}
	return texts[first:], skipped+first == 0
}

// currentMessages returns the messages that the model is to answer.
func (c conversation) currentMessages() []openai.Message {
	if c.replacement != nil {
		return c.replacement
	}
	return c.newMessages
}

// questions returns the user's messages, the last one last.
func (c conversation) questions() (texts []string) {
	for _, m := range c.history {
		if m.Role == openai.RoleUser {
			texts = append(texts, m.Content)
		}
	}
	for _, m := range c.currentMessages() {
		if m.Role == openai.RoleUser {
			texts = append(texts, string(m.Content))
		}
	}
	return texts
}

// question returns the user's last message, or the earlier one that it refers to.
func (c conversation) question() string {
	texts := c.questions()
	if len(texts) == 0 {
		return ""
	}
	return texts[len(texts)-1]
}

// language returns the language in which to answer the last message.
func (c conversation) language() string {
	texts := c.questions()
	return render.Language(c.question(), texts[:max(0, len(texts)-1)]...)
}

// historyForModel converts the recent part of a history for the model.
func historyForModel(history []Message) []openai.Message {
	var messages []openai.Message
	for _, m := range history[recentFrom(history):] {
		if m.Role == "" {
			continue
		}
		messages = append(messages, openai.Message{
			Role: m.Role, Content: openai.Content(m.Content), ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID, Images: m.images,
		})
	}
	return messages
}

// recentFrom returns the index of the first message that fits. It is a user's message, so that older questions are
// dropped together with their answers.
func recentFrom(messages []Message) int {
	from, size := len(messages), 0
	for i, m := range slices.Backward(messages) {
		if size += len(m.Content); size > maxHistoryBytes {
			break
		}
		if m.Role == openai.RoleUser {
			from = i
		}
	}
	return from
}

// completeCalls drops tool messages without a call and adds an error for each call without a tool message, because
// providers reject both.
func completeCalls(messages []openai.Message) []openai.Message {
	var out []openai.Message
	var open []string
	settle := func() {
		for _, id := range open {
			out = append(
				out, openai.Message{Role: openai.RoleTool, ToolCallID: id, Content: `{"error":{"message":"this call was not run"}}`},
			)
		}
		open = nil
	}
	for _, m := range messages {
		if m.Role == openai.RoleTool {
			if i := slices.Index(open, m.ToolCallID); i >= 0 {
				open = slices.Delete(open, i, i+1)
				out = append(out, m)
			}
			continue
		}
		settle()
		out = append(out, m)
		for _, call := range m.ToolCalls {
			open = append(open, call.ID)
		}
	}
	settle()
	return out
}
