package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// conversation is what was said before, as far as it is known, and what is asked now.
type conversation struct {
	session Session // without an id if it is new
	turn    *turn   // of the session; nil if it is new
	begun   bool    // the session is new, and now there
	digest  string  // of the visible messages before tail
	before  []Message
	asSent  bool             // before is the client's own copy, in which all calls are of its tools
	tail    []openai.Message // after the last answer: the question, or what the client's tools gave
	rules   []openai.Message // the client's own system messages
	resumed []openai.Message // the question without the account that it names, or the earlier one that tail only chose an account for
	copied  []Message        // of the session that this new one branched off
}

// conversation finds the session of a request. The visible history that a client sends is replaced by the session's own
// record, which has the tool results too, if the two are the same conversation; an edited history stands as it was sent.
func (a *Agent) conversation(ctx context.Context, who keys.Caller, req Request) (conversation, error) {
	var c conversation
	rules, sent, tail := split(req.Chat.Messages)
	c.rules, c.tail, c.digest = rules, tail, digest("", sent)
	if err := a.findSession(ctx, who, req.SessionID, &c, len(sent) > 0); err != nil {
		return c, err
	}
	if c.turn == nil {
		c.before, c.asSent = told(sent), true
		return c, nil
	}
	kept, err := a.Sessions.Messages(ctx, who.OrganizationID, c.session.ID)
	if err != nil {
		c.turn.leave(ctx)
		return c, err
	}
	if req.Messages > 0 && req.Messages < len(kept) {
		c.branch(ctx, kept[:req.Messages])
		return c, nil
	}
	if len(sent) == 0 || c.digest == c.session.digest {
		c.before, c.digest = kept, c.session.digest
		return c, nil
	}
	c.before, c.asSent = append(withoutWords(kept), told(sent)...), true
	return c, nil
}

// branch leaves the session for a new one that begins with these messages of it.
func (c *conversation) branch(ctx context.Context, kept []Message) {
	c.turn.leave(ctx)
	c.turn, c.before, c.copied, c.digest = nil, kept, kept, ""
}

// findSession finds the session that is named, or the one of these earlier messages, and waits for its turn. One that has
// moved on meanwhile is not that of the messages any more.
func (a *Agent) findSession(ctx context.Context, who keys.Caller, named string, c *conversation, earlier bool) error {
	id := named
	if named == "" && earlier {
		found, err := a.Sessions.byHistory(ctx, who, c.digest)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		id = found.ID
	}
	if id == "" {
		return nil
	}
	turn, err := a.Sessions.takeTurn(ctx, who.OrganizationID, id)
	if err != nil {
		return err
	}
	session, err := a.Sessions.Get(ctx, who.OrganizationID, id)
	if err != nil || named == "" && session.digest != c.digest {
		turn.leave(ctx)
		return err
	}
	c.session, c.turn = session, turn
	return nil
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

// digest goes on from the digest of earlier messages. White space around a text does not count: chat UIs trim it.
func digest(before string, messages []openai.Message) string {
	for _, m := range messages {
		hash := sha256.New()
		encoder := json.NewEncoder(hash)
		ids := []string{m.ToolCallID}
		for _, call := range m.ToolCalls {
			ids = append(ids, call.ID)
		}
		if err := encoder.Encode([]any{before, m.Role, strings.TrimSpace(string(m.Content)), ids}); err != nil {
			panic(err) // texts always encode
		}
		before = hex.EncodeToString(hash.Sum(nil))
	}
	return before
}

// told turns messages that a client sent into the form of a session's.
func told(sent []openai.Message) []Message {
	messages := make([]Message, 0, len(sent))
	for _, m := range sent {
		messages = append(messages, Message{Role: m.Role, Content: string(m.Content), ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID})
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

// results are the tool results about an account that the conversation rests on so far.
func (c conversation) results(accountID string) ([]*tools.Result, error) {
	var results []*tools.Result
	for _, m := range c.before {
		for _, encoded := range m.Results {
			decoder := json.NewDecoder(bytes.NewReader(encoded))
			decoder.UseNumber() // figures as they were written
			var r tools.Result
			if err := decoder.Decode(&r); err != nil {
				return nil, err
			}
			if r.AccountID == accountID {
				results = append(results, &r)
			}
		}
	}
	return results, nil
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
		case m.Role == openai.RoleTool && (c.asSent || !ours(names[m.ToolCallID]) && !answeredHere(m.Content)):
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

// maxHistoryBytes is how much of a conversation a model is reminded of; what is older is left out, whole questions at a
// time.
const maxHistoryBytes = 160 << 10

// remembered is the history for the model: recent, and sound, that is every call with its answer and none without.
func remembered(before []Message) []openai.Message {
	var messages []openai.Message
	for _, m := range before[recent(before):] {
		if m.Role == "" {
			continue
		}
		messages = append(messages, openai.Message{Role: m.Role, Content: openai.Content(m.Content), ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID})
	}
	return messages
}

// recent is the index from which messages fit: that of a question.
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
			out = append(out, openai.Message{Role: openai.RoleTool, ToolCallID: id, Content: `{"error":{"message":"this call was not run"}}`})
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
