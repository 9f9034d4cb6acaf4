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

// Bounds of the search for a session.
const (
	mostAnswersTried = 4 // of a history, the newest first
	mostCandidates   = 8 // sessions that have the same answer
)

// IsSessionID tells whether an id has the form of a session's. Clients send ids of their own in the same header.
func IsSessionID(id string) bool {
	parsed, err := uuid.Parse(id)
	return err == nil && parsed.Version() == 7 && parsed.String() == id
}

// find gives the session that a request names, or the place in one up to which its history tells it; none if it is new.
func (a *Agent) find(ctx context.Context, who keys.Caller, req Request, history []Message, tail []openai.Message) (place, error) {
	if IsSessionID(req.SessionID) {
		if _, err := a.Sessions.Get(ctx, who.OrganizationID, req.SessionID); err != nil {
			return place{}, err
		}
		return place{req.SessionID, req.Messages}, nil
	}
	told := telling(history, tail)
	for tried := 0; tried < mostAnswersTried && len(told) > 0; told = told[1:] {
		if told[0].asked {
			continue
		}
		tried++
		at, found, err := a.Sessions.findBy(ctx, who, told)
		if err != nil || found {
			return at, err
		}
	}
	return place{}, nil
}

// visible is a message as both sides of a conversation see it, by its marks.
type visible struct {
	asked bool // by the user
	marks []mark
}

func (v visible) is(other visible) bool {
	return slices.ContainsFunc(v.marks, func(m mark) bool {
		return slices.ContainsFunc(other.marks, func(n mark) bool { return n.text == m.text })
	})
}

// telling are the visible messages of a client's history, the newest first. Where a history has been cut down to what the
// client's tools gave, that names the calls.
func telling(history []Message, tail []openai.Message) []visible {
	var all []visible
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
			all = append(all, visible{m.Role == openai.RoleUser, marks})
		}
	}
	return all
}

// candidate is a place that a history may have come to, and how much of the history is there.
type candidate struct {
	place
	agreed int  // messages in a row, from the place back
	clean  bool // none differs
	asked  bool // a question is among them
	whole  bool // and so is the beginning of the session: nothing is there that the history does not tell
	moved  bool // the session has gone on
}

// findBy finds the place of the first of these messages, an answer. One that anybody may have been given counts only
// together with the question before. If several sessions have it, the one that agrees with
// the history best is taken; among equals the one that the history tells whole; otherwise none, since they may be different people's.
func (s *Store) findBy(ctx context.Context, who keys.Caller, told []visible) (at place, found bool, err error) {
	same, err := s.alike(ctx, who, told[0].marks)
	if err != nil {
		return place{}, false, err
	}
	var all []candidate
	for _, m := range same {
		if slices.ContainsFunc(all, func(c candidate) bool { return c.sessionID == m.sessionID }) || len(all) == mostCandidates {
			continue
		}
		c, err := s.compare(ctx, who, m.place, told)
		if err != nil {
			return place{}, false, err
		}
		specific := slices.ContainsFunc(told[0].marks, func(t mark) bool { return t.specific && t.text == m.text })
		if specific || c.clean && c.asked {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return place{}, false, nil
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(agreeing(b, a), first(a.whole, b.whole), first(!a.moved, !b.moved))
	})
	if len(all) > 1 && !all[0].whole && agreeing(all[0], all[1]) == 0 {
		return place{}, false, nil
	}
	return all[0].place, true, nil
}

// agreeing compares how much of a history is in two sessions.
func agreeing(a, b candidate) int {
	return cmp.Or(first(b.clean, a.clean), cmp.Compare(a.agreed, b.agreed))
}

// first orders what is so before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// compare goes back through a session and a history together, from an answer that both have.
func (s *Store) compare(ctx context.Context, who keys.Caller, at place, told []visible) (candidate, error) {
	c := candidate{place: at, clean: true}
	marks, err := s.marksUpTo(ctx, who.OrganizationID, at)
	if err != nil {
		return c, err
	}
	var kept []visible
	oldest := 0
	for _, m := range marks {
		if m.position != oldest {
			kept = append(kept, visible{})
			oldest = m.position
		}
		last := &kept[len(kept)-1]
		last.marks = append(last.marks, m)
		last.asked = m.text[:1] == userSaid
	}
	for c.agreed < min(len(kept), len(told)) {
		if c.clean = kept[c.agreed].is(told[c.agreed]); !c.clean {
			break
		}
		c.asked = c.asked || told[c.agreed].asked
		c.agreed++
	}
	c.whole = c.clean && c.agreed == len(kept) && oldest == 1
	if c.moved, err = s.movedOn(ctx, who.OrganizationID, at); err != nil {
		return c, fmt.Errorf("compare with session %q: %w", at.sessionID, err)
	}
	return c, nil
}
