package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/openai"
)

// mark identifies a message of a session in a client's history: by its text, by the id of a call that the client got,
// or by the code of a draft.
type mark struct {
	place           // of the message; sessionID is set when read from the database
	text     string // a letter for the kind, then a hash
	specific bool   // unlikely to occur in two conversations
}

// The kinds of marks.
const (
	userText      = "u" // distinguishes sessions with equal answers
	assistantText = "a"
	clientCallID  = "c"
	clientCall    = "w" // for clients that change or drop the ids of calls
	draftShown    = "d"
)

// A text or an id of at least this length is unlikely to occur in two conversations. Answers with figures are longer
// than that and greetings are shorter; random ids of providers are longer and counters are shorter.
const (
	specificText = 64 // characters without white space
	specificID   = 16
)

var draftCode = regexp.MustCompile(`\b[A-Z]{2}-[0-9A-HJKMNP-TV-Z]{6}\b`)

// marksOf returns the marks of a message. Its calls have marks only if they were passed to the client.
func marksOf(m Message, toClient bool) []mark {
	var marks []mark
	add := func(kind, what string, specific bool) {
		sum := sha256.Sum256([]byte(what))
		marks = append(marks, mark{place{position: m.position}, kind + hex.EncodeToString(sum[:16]), specific})
	}
	text := normalize(m.Content)
	switch m.Role {
	case openai.RoleUser:
		if text != "" {
			add(userText, text, false)
		}
	case openai.RoleAssistant:
		if text != "" {
			add(assistantText, text, utf8.RuneCountInString(text) >= specificText)
		}
		for _, at := range draftCode.FindAllStringIndex(m.Content, -1) {
			add(draftShown, m.Content[at[0]:at[1]], true)
		}
		for i := 0; toClient && i < len(m.ToolCalls); i++ {
			add(clientCallID, m.ToolCalls[i].ID, len(m.ToolCalls[i].ID) >= specificID)
			add(clientCall, normalizeCall(m.ToolCalls[i]), false)
		}
	}
	return marks
}

// normalize removes what clients change in a text: white space, invisible characters, and different encodings of the
// same letter.
func normalize(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(text))
}

func normalizeCall(call openai.ToolCall) string {
	return call.Function.Name + " " + normalize(call.Function.Arguments)
}

// marksPerInsert limits the marks in one INSERT statement.
const marksPerInsert = 100

func (t *turn) insertMarks(ctx context.Context, conn database.Conn, keyID string, marks []mark) error {
	for len(marks) > 0 {
		some := marks[:min(len(marks), marksPerInsert)]
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

// maxMarksRead is enough for about a hundred questions and answers.
const maxMarksRead = 256

// marksUpTo returns the last marks of a session up to a place, newest first.
func (s *Store) marksUpTo(ctx context.Context, organizationID string, p place) ([]mark, error) {
	return s.marks(ctx, `session_id = $2 AND position <= $3 ORDER BY position DESC LIMIT $4`,
		organizationID, p.sessionID, p.position, maxMarksRead)
}

// findMarks returns the messages of the caller's key that have one of the marks, newest session first.
func (s *Store) findMarks(ctx context.Context, who keys.Caller, marks []mark) ([]mark, error) {
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

func (s *Store) hasLaterAnswers(ctx context.Context, organizationID string, p place) (moved bool, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM marks
		WHERE organization_id = $1 AND session_id = $2 AND position > $3 AND mark NOT LIKE $4)`,
		organizationID, p.sessionID, p.position, userText+"%").Scan(&moved)
	if err != nil {
		return false, fmt.Errorf("look for later answers: %w", err)
	}
	return moved, nil
}
