package agent

import (
	"context"
	"fmt"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
)

// Create creates an empty session. The error may be a [*keys.StorageFullError].
func (s *Store) Create(ctx context.Context, who keys.Caller) (Session, error) {
	if err := s.Storage.Check(ctx, who.OrganizationID); err != nil {
		return Session{}, err
	}
	session, turn, err := s.create(ctx, who, "", nil)
	if err != nil {
		return Session{}, err
	}
	turn.release(ctx)
	return session, nil
}

// Position returns the message's number in its session, from 1.
func (m Message) Position() int { return m.position }

// VisibleMessages returns at most limit messages of the user and the assistant, oldest or newest first. after is the
// position of the last message of the previous page, 0 for the first page. The error wraps [ErrNotFound].
func (s *Store) VisibleMessages(ctx context.Context, organizationID, id string, limit, after int, newest bool) ([]Message, error) {
	if _, err := s.Get(ctx, organizationID, id); err != nil {
		return nil, err
	}
	which := `position > $3 ORDER BY position`
	switch {
	case newest && after > 0:
		which = `position < $3 ORDER BY position DESC`
	case newest:
		which += ` DESC`
	}
	page, err := database.Rows(ctx, s.db, scanMessage,
		selectMessages+`AND role IN ('user', 'assistant') AND content <> '' AND `+which+` LIMIT $4`, organizationID, id, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read visible messages: %w", err)
	}
	return page, nil
}
