package agent

import (
	"context"
	"fmt"

	"github.com/kopeck/kopeck/keys"
)

// Open opens a session in which nothing has been said yet.
func (s *Store) Open(ctx context.Context, who keys.Caller) (Session, error) {
	session, turn, err := s.begin(ctx, who, "", nil)
	if err != nil {
		return Session{}, err
	}
	turn.leave(ctx)
	return session, nil
}

// Position is a kept message's number in its session, from 1.
func (m Message) Position() int { return m.position }

// Said gives what the user and the assistant said in a session, oldest or newest first, at most that many. after is the
// position of the message before those, 0 for none. The error wraps [ErrNotFound].
func (s *Store) Said(ctx context.Context, organizationID, id string, limit, after int, newest bool) (said []Message, err error) {
	if _, err := s.Get(ctx, organizationID, id); err != nil {
		return nil, err
	}
	which := `role IN ('user', 'assistant') AND content <> '' AND `
	switch {
	case newest && after > 0:
		which += `position < $3 ORDER BY position DESC LIMIT $4`
	case newest:
		which += `position > $3 ORDER BY position DESC LIMIT $4`
	default:
		which += `position > $3 ORDER BY position LIMIT $4`
	}
	_, err = s.messages(ctx, which, func(m Message) { said = append(said, m) }, organizationID, id, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read what was said: %w", err)
	}
	return said, nil
}
