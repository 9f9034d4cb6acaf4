package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/openai"
)

// Limits of the search for a session.
const (
	maxAnswersTried = 4 // the newest answers of a history
	maxMatches      = 8 // sessions with the same answer
)

// IsSessionID reports whether id has the form of our session ids. Some clients send their own ids in the same header.
func IsSessionID(id string) bool {
	parsed, err := uuid.Parse(id)
	return err == nil && parsed.Version() == 7 && parsed.String() == id
}

// findPlace returns the session that a request names, or the place in a session where the request's history ends. It
// returns a zero place for a new conversation.
func (a *Agent) findPlace(ctx context.Context, who keys.Caller, req Request, history []Message, tail []openai.Message) (place, error) {
	if IsSessionID(req.SessionID) {
		if _, err := a.Sessions.Get(ctx, who.OrganizationID, req.SessionID); err != nil {
			return place{}, err
		}
		return place{req.SessionID, req.AfterMessage}, nil
	}
	visible := visibleMessages(history, tail)
	for tried := 0; tried < maxAnswersTried && len(visible) > 0; visible = visible[1:] {
		if visible[0].byUser {
			continue
		}
		tried++
		at, found, err := a.Sessions.findByMessages(ctx, who, visible)
		if err != nil || found {
			return at, err
		}
	}
	return place{}, nil
}

// visibleMessage is a message that the client can see, represented by its marks.
type visibleMessage struct {
	byUser bool
	marks  []mark
}

func (v visibleMessage) matches(other visibleMessage) bool {
	return slices.ContainsFunc(v.marks, func(m mark) bool {
		return slices.ContainsFunc(other.marks, func(n mark) bool { return n.text == m.text })
	})
}

// visibleMessages returns the visible messages of a client's history, newest first. If the client has only sent results
// of its tools, the calls identify the history.
func visibleMessages(history []Message, tail []openai.Message) []visibleMessage {
	var all []visibleMessage
	var called []openai.ToolCall
	for _, m := range tail {
		if m.Role == openai.RoleTool {
			called = append(called, openai.ToolCall{ID: m.ToolCallID})
		}
	}
	if len(history) == 0 && len(called) > 0 {
		history = []Message{{Role: openai.RoleAssistant, ToolCalls: called}}
	}
	for _, m := range slices.Backward(history) {
		if marks := marksOf(m, true); len(marks) > 0 {
			all = append(all, visibleMessage{m.Role == openai.RoleUser, marks})
		}
	}
	return all
}

// match is a session in which a history may continue, and how well the two agree.
type match struct {
	place
	common      int  // equal messages, counted back from the place
	exact       bool // no compared message differs
	hasQuestion bool // a user's message is among the equal ones
	complete    bool // the history contains the whole session
	continued   bool // the session has later answers
}

// findByMessages finds the place of the newest answer, which is the first message of history. An answer that is not
// specific counts only together with the question before it. If several sessions match, the one that agrees best with
// the history wins, then the one that the history contains completely. If that does not decide, none wins, since they
// may belong to different people.
func (s *Store) findByMessages(ctx context.Context, who keys.Caller, history []visibleMessage) (at place, found bool, err error) {
	same, err := s.findMarks(ctx, who, history[0].marks)
	if err != nil {
		return place{}, false, err
	}
	var all []match
	for _, m := range same {
		if slices.ContainsFunc(all, func(c match) bool { return c.sessionID == m.sessionID }) || len(all) == maxMatches {
			continue
		}
		c, err := s.compareHistory(ctx, who, m.place, history)
		if err != nil {
			return place{}, false, err
		}
		specific := slices.ContainsFunc(history[0].marks, func(t mark) bool { return t.specific && t.text == m.text })
		if specific || c.exact && c.hasQuestion {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return place{}, false, nil
	}
	slices.SortStableFunc(all, func(a, b match) int {
		return cmp.Or(compareAgreement(b, a), compareTrueFirst(a.complete, b.complete), compareTrueFirst(!a.continued, !b.continued))
	})
	if len(all) > 1 && !all[0].complete && compareAgreement(all[0], all[1]) == 0 {
		return place{}, false, nil
	}
	return all[0].place, true, nil
}

func compareAgreement(a, b match) int {
	return cmp.Or(compareTrueFirst(b.exact, a.exact), cmp.Compare(a.common, b.common))
}

func compareTrueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// compareHistory compares a session with a history, message by message, backwards from an answer that both have.
func (s *Store) compareHistory(ctx context.Context, who keys.Caller, at place, history []visibleMessage) (match, error) {
	c := match{place: at, exact: true}
	marks, err := s.marksUpTo(ctx, who.OrganizationID, at)
	if err != nil {
		return c, err
	}
	var recorded []visibleMessage
	oldest := 0
	for _, m := range marks {
		if m.position != oldest {
			recorded = append(recorded, visibleMessage{})
			oldest = m.position
		}
		last := &recorded[len(recorded)-1]
		last.marks = append(last.marks, m)
		last.byUser = m.text[:1] == userText
	}
	for c.common < min(len(recorded), len(history)) {
		if c.exact = recorded[c.common].matches(history[c.common]); !c.exact {
			break
		}
		c.hasQuestion = c.hasQuestion || history[c.common].byUser
		c.common++
	}
	c.complete = c.exact && c.common == len(recorded) && oldest == 1
	if c.continued, err = s.hasLaterAnswers(ctx, who.OrganizationID, at); err != nil {
		return c, fmt.Errorf("compare with session %q: %w", at.sessionID, err)
	}
	return c, nil
}
