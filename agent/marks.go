package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/openai"
)

// mark shows that a client's history knows a message of a session: by its text, the id of a call that the client got, or the code of a
// draft.
type mark struct {
	place           // the message; its session is known of marks that were read
	text     string // a letter for its kind, and a digest
	specific bool   // it is not in two conversations by chance
}

// The kinds of marks.
const (
	userSaid      = "u" // the only one of what the service has not issued: it tells alike answers apart
	assistantSaid = "a"
	calledClient  = "c"
	calledWith    = "w" // what was called, for clients that name calls otherwise or not at all
	showedDraft   = "d"
)

// Bounds from which a text or an id is no chance: answers with figures are longer, greetings are shorter; providers' ids
// are longer, counted ones shorter.
const (
	specificText = 64 // characters, without white space
	specificID   = 16
)

// draftCode is how the service writes the code of a draft.
var draftCode = expression.Of(`\b[A-Z]{2}-[0-9A-HJKMNP-TV-Z]{6}\b`)

// marksOf are the marks of a message; its calls have some only if they were handed to the client.
func marksOf(m Message, toClient bool) []mark {
	var marks []mark
	add := func(kind, what string, specific bool) {
		sum := sha256.Sum256([]byte(what))
		marks = append(marks, mark{place{position: m.position}, kind + hex.EncodeToString(sum[:16]), specific})
	}
	text := essence(m.Content)
	switch m.Role {
	case openai.RoleUser:
		if text != "" {
			add(userSaid, text, false)
		}
	case openai.RoleAssistant:
		if text != "" {
			add(assistantSaid, text, utf8.RuneCountInString(text) >= specificText)
		}
		for _, at := range draftCode.FindAllStringIndex(m.Content, -1) {
			add(showedDraft, m.Content[at[0]:at[1]], true)
		}
		for i := 0; toClient && i < len(m.ToolCalls); i++ {
			add(calledClient, m.ToolCalls[i].ID, len(m.ToolCalls[i].ID) >= specificID)
			add(calledWith, callEssence(m.ToolCalls[i]), false)
		}
	}
	return marks
}

// essence is a text without what clients change in it unasked: white space, which Markdown does not mind, characters that
// are not seen, and other ways of writing the same letter.
func essence(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(text))
}

func callEssence(call openai.ToolCall) string {
	return call.Function.Name + " " + essence(call.Function.Arguments)
}

// mostMarked is how many marks one statement inserts.
const mostMarked = 100

func (t *turn) insertMarks(ctx context.Context, conn database.Conn, keyID string, marks []mark) error {
	for len(marks) > 0 {
		some := marks[:min(len(marks), mostMarked)]
		marks = marks[len(some):]
		values := make([]string, len(some))
		args := []any{t.organizationID, t.sessionID, keyID}
		for i, m := range some {
			args = append(args, m.text)
			values[i] = fmt.Sprintf("($1, $2, %d, $%d, $3)", m.position, len(args))
		}
		_, err := conn.ExecContext(ctx, `INSERT INTO marks (organization_id, session_id, position, mark, key_id)
			VALUES `+strings.Join(values, ", ")+` ON CONFLICT DO NOTHING`, args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// mostMarksRead are those of some hundred questions and answers.
const mostMarksRead = 256

// marksUpTo are the last marks of a session up to a place, newest first.
func (s *Store) marksUpTo(ctx context.Context, organizationID string, p place) ([]mark, error) {
	return s.marks(ctx, `session_id = $2 AND position <= $3 ORDER BY position DESC LIMIT $4`,
		organizationID, p.sessionID, p.position, mostMarksRead)
}

// alike are those of the key's messages, newest session first, that have one of these marks.
func (s *Store) alike(ctx context.Context, who keys.Caller, marks []mark) ([]mark, error) {
	const most = 64
	args := []any{who.OrganizationID, who.KeyID, most}
	in := make([]string, len(marks))
	for i, m := range marks {
		args = append(args, m.text)
		in[i] = fmt.Sprintf("$%d", len(args))
	}
	return s.marks(ctx, `key_id = $2 AND mark IN (`+strings.Join(in, ", ")+`) ORDER BY session_id DESC, position DESC LIMIT $3`, args...)
}

func (s *Store) marks(ctx context.Context, which string, args ...any) (marks []mark, err error) {
	marks, err = database.Rows(ctx, s.db, func(row database.Row) (m mark, err error) {
		return m, row.Scan(&m.sessionID, &m.position, &m.text)
	}, `SELECT session_id, position, mark FROM marks WHERE organization_id = $1 AND `+which, args...)
	if err != nil {
		return nil, fmt.Errorf("read marks of sessions: %w", err)
	}
	return marks, nil
}

// movedOn tells whether there are answers in a session after a place.
func (s *Store) movedOn(ctx context.Context, organizationID string, p place) (moved bool, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM marks
		WHERE organization_id = $1 AND session_id = $2 AND position > $3 AND mark NOT LIKE $4)`,
		organizationID, p.sessionID, p.position, userSaid+"%").Scan(&moved)
	if err != nil {
		return false, fmt.Errorf("see whether a session has moved on: %w", err)
	}
	return moved, nil
}
