package agent

import (
	"cmp"
	"context"
	"slices"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// conversation is what was said before, as far as it is known, and what is asked now.
type conversation struct {
	session Session // without an id if it is new
	turn    *turn   // of the session; nil if it is new
	begun   bool    // the session is new, and now there
	copied  place   // in another session: what this new one begins with
	before  []Message
	earlier int              // results of the session before those in before
	tail    []openai.Message // after the last answer: the question, or what the client's tools gave
	rules   []openai.Message // the client's own system messages
	resumed []openai.Message // the question without the account that it names, or the earlier one that tail only chose an account for
	unsaid  int              // how many of the session's last results the user has read no answer about
}

// conversation finds the session of a request. What the client's history knows of it is taken from the session's own
// record, which has the tool results too; what the record does not have stands as it was sent. One that goes on from an
// earlier answer than the session's last is a new session that begins with a copy.
func (a *Agent) conversation(ctx context.Context, who keys.Caller, req Request) (conversation, error) {
	var c conversation
	rules, sent, tail := split(req.Chat.Messages)
	c.rules, c.tail = rules, tail
	history := told(sent)
	for i, m := range history { // in a client's history all calls are of its tools
		history[i].ToolCalls = renamed(m.ToolCalls, a.all.modelName)
	}
	at, err := a.find(ctx, who, req, history, tail)
	if err != nil {
		return c, err
	}
	if at.sessionID == "" {
		c.before = history
		return c, nil
	}
	if c.turn, err = a.Sessions.takeTurn(ctx, who.OrganizationID, at.sessionID); err != nil {
		return c, err
	}
	if err := c.read(ctx, a.Sessions, at, history); err != nil {
		c.turn.leave(ctx)
		return c, err
	}
	if c.copied.position > 0 {
		c.turn.leave(ctx)
		c.turn = nil
	}
	return c, nil
}

// read reads the session up to a place, and joins it with the client's own history.
func (c *conversation) read(ctx context.Context, store *Store, at place, history []Message) (err error) {
	organizationID := c.turn.organizationID
	if c.session, err = store.Get(ctx, organizationID, at.sessionID); err != nil {
		return err
	}
	if at.position > 0 {
		moved, err := store.movedOn(ctx, organizationID, at)
		if err != nil {
			return err
		}
		if moved {
			c.copied = at
		}
	}
	recent, err := store.Recent(ctx, organizationID, at.sessionID, c.copied.position)
	if err != nil {
		return err
	}
	c.before, c.earlier, c.unsaid = recent.Messages, recent.Earlier, unsaid(recent.Messages)
	if at.position > 0 { // a question after it got no answer
		after := slices.IndexFunc(c.before, func(m Message) bool { return m.position > at.position })
		if after >= 0 {
			c.before = slices.Concat(c.before[:after], withoutWords(c.before[after:]))
		}
	}
	if len(history) > 0 {
		c.identify(history)
		c.before = joined(c.before, history)
		show(c.before, history)
	}
	return nil
}

// identify gives the calls of a client's history the ids that they have in the record, where the client has others: a call
// of the same function with the same arguments is the same, from the last one back.
func (c *conversation) identify(history []Message) {
	var kept []openai.ToolCall // the last first
	known := map[string]bool{}
	for _, m := range slices.Backward(c.before) {
		for _, call := range slices.Backward(m.ToolCalls) {
			kept = append(kept, call)
			known[call.ID] = true
		}
	}
	ids := map[string]string{}
	for _, m := range slices.Backward(history) {
		for i, call := range slices.Backward(m.ToolCalls) {
			if known[call.ID] {
				continue
			}
			same := slices.IndexFunc(kept, func(k openai.ToolCall) bool { return callEssence(k) == callEssence(call) })
			if same < 0 {
				continue
			}
			ids[call.ID], m.ToolCalls[i].ID = kept[same].ID, kept[same].ID
			kept = kept[same+1:]
		}
	}
	if len(ids) == 0 {
		return
	}
	for i, m := range history {
		history[i].ToolCallID = cmp.Or(ids[m.ToolCallID], m.ToolCallID)
	}
	c.tail = slices.Clone(c.tail)
	for i, m := range c.tail {
		c.tail[i].ToolCallID = cmp.Or(ids[m.ToolCallID], m.ToolCallID)
	}
}

// joined is a session's record as a client's history tells it: with what is only in the history in its place, and with the
// words of the record where the history has none or has them in another form. Results stay, whatever the words.
func joined(kept, sent []Message) []Message {
	answers := map[string][]int{} // marks of the record's answers, with their indexes
	for i, m := range kept {
		if m.Role == openai.RoleAssistant {
			for _, mark := range marksOf(m, true) {
				answers[mark.text] = append(answers[mark.text], i)
			}
		}
	}
	var parts [][]Message // the last first
	before, sentBefore := len(kept), len(sent)
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
		parts = append(parts, between(kept[at+1:before], sent[i+1:sentBefore], len(parts) == 0), kept[at:at+1])
		before, sentBefore = at, i
	}
	parts = append(parts, between(kept[:before], sent[:sentBefore], len(parts) == 0))
	slices.Reverse(parts)
	return slices.Concat(parts...)
}

// show puts the images of a client's history back into the messages of the record, which does not have them.
func show(kept, sent []Message) {
	at := len(kept)
	for _, m := range slices.Backward(sent) {
		if len(m.images) == 0 {
			continue
		}
		for i, k := range slices.Backward(kept[:at]) {
			if k.Role == m.Role && essence(k.Content) == essence(m.Content) {
				kept[i].images, at = m.images, i
				break
			}
		}
	}
}

// between is what a record and a history have between two answers that both have. A question that differs is one that the
// client has sent with more or less around it; an answer that differs has been edited, or is another model's. After the
// last common answer the history is what counts.
func between(kept, sent []Message, last bool) []Message {
	has := func(messages []Message, role string) bool {
		return slices.ContainsFunc(messages, func(m Message) bool { return m.Role == role })
	}
	switch {
	case last || has(sent, openai.RoleAssistant):
		return append(withoutWords(kept), sent...)
	case has(kept, openai.RoleUser):
		return kept
	}
	questions := slices.DeleteFunc(slices.Clone(sent), func(m Message) bool { return m.Role != openai.RoleUser })
	return append(questions, kept...)
}

// begin opens a session for a conversation that is new.
func (c *conversation) begin(ctx context.Context, a *Agent, who keys.Caller, about *tools.Account) (err error) {
	c.session, c.turn, err = a.Sessions.begin(ctx, who, title(c.question()), about)
	c.begun = true
	return err
}

// split takes a request's messages apart: the client's rules, everything up to the last answer, and what is new.
func split(messages []openai.Message) (rules, sent, tail []openai.Message) {
	for _, m := range messages {
		switch m.Role {
		case openai.RoleSystem, openai.RoleDeveloper:
			rules = append(rules, m)
		case openai.RoleAssistant:
			sent, tail = append(append(sent, tail...), m), nil
		default:
			tail = append(tail, m)
		}
	}
	return rules, sent, tail
}

// told turns messages that a client sent into the form of a session's.
func told(sent []openai.Message) []Message {
	messages := make([]Message, 0, len(sent))
	for _, m := range sent {
		messages = append(
			messages, Message{Role: m.Role, Content: string(m.Content), ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID, images: m.Images},
		)
	}
	return messages
}

// withoutWords keeps of a session only the results that its figures came from: an edited history may quote them.
func withoutWords(kept []Message) []Message {
	var results []Message
	for _, m := range kept {
		if len(m.Results) > 0 {
			results = append(results, Message{Results: m.Results})
		}
	}
	return results
}

// unsaid counts the results since the last answer: where the client's tools were called instead, what is due with them has
// not been said.
func unsaid(kept []Message) (results int) {
	for _, m := range slices.Backward(kept) {
		if m.Role == openai.RoleAssistant && len(m.ToolCalls) == 0 {
			return results
		}
		results += len(m.Results)
	}
	return results
}

// clientSide is the user's own words, and what the client's own tools gave. ours tells the names of the service's tools.
func (c conversation) clientSide(ours func(tool string) bool) (said, given []string) {
	names := map[string]string{} // of the tools, by the ids of the last calls
	for _, m := range append(c.before, told(c.tail)...) {
		for _, call := range m.ToolCalls {
			names[call.ID] = call.Function.Name
		}
		switch {
		case m.Role == openai.RoleUser:
			said = append(said, m.Content)
		case m.Role == openai.RoleTool && len(m.Results) == 0 && !ours(names[m.ToolCallID]) && !answeredHere(m.Content):
			given = append(given, m.Content)
		}
	}
	return said, given
}

// asks is what the model is to answer.
func (c conversation) asks() []openai.Message {
	if c.resumed != nil {
		return c.resumed
	}
	return c.tail
}

// question is the user's last message, or the one it goes back to.
func (c conversation) question() string {
	for _, m := range slices.Backward(c.asks()) {
		if m.Role == openai.RoleUser {
			return string(m.Content)
		}
	}
	for _, m := range slices.Backward(c.before) {
		if m.Role == openai.RoleUser {
			return m.Content
		}
	}
	return ""
}

// remembered is the history for the model: recent, and sound, that is every call with its answer and none without.
func remembered(before []Message) []openai.Message {
	var messages []openai.Message
	for _, m := range before[recent(before):] {
		if m.Role == "" {
			continue
		}
		messages = append(messages, openai.Message{
			Role: m.Role, Content: openai.Content(m.Content), ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID, Images: m.images,
		})
	}
	return messages
}

// recent is the index from which messages fit: that of a question, so that what is older is left out whole questions at a time.
func recent(messages []Message) int {
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

// sound drops tool messages that answer no call, and answers calls that nobody did: providers refuse both.
func sound(messages []openai.Message) []openai.Message {
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
