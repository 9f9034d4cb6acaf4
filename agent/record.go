package agent

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/openai"
)

// Bounds of what is read of a session at once, however long it is.
const (
	maxHistoryBytes = 160 << 10 // of what was said: also as much as a model is reminded of
	maxResultBytes  = 4 << 20   // of the results beside it
	mostRead        = 32        // messages in one query
)

// Recent is the end of a session's record, as much of it as is read at once.
type Recent struct {
	Messages []Message // oldest first
	Earlier  int       // how many results the session has before those in Messages
}

// Recent reads the newest messages of a session up to a position, 0 for all. Results beyond the bound are left out of the
// older messages, and counted as earlier ones. Of a session that is not there it reads nothing.
func (s *Store) Recent(ctx context.Context, organizationID, id string, upTo int) (Recent, error) {
	const all = 1<<31 - 1
	var r reading
	for upTo = cmp.Or(upTo, all); upTo > 0 && !r.full; {
		page, err := s.messages(ctx, `position <= $3 ORDER BY position DESC LIMIT $4`, r.take, organizationID, id, upTo, mostRead)
		if err != nil {
			return Recent{}, err
		}
		if page == 0 {
			break
		}
		upTo = r.lowest - 1
	}
	if len(r.messages) == 0 {
		return Recent{Messages: []Message{}}, nil
	}
	total, err := s.resultsUpTo(ctx, organizationID, id, r.messages[0].position)
	if err != nil {
		return Recent{}, err
	}
	slices.Reverse(r.messages)
	return Recent{r.messages, total - r.results}, nil
}

// reading takes a session's messages in, newest first, until it has enough.
type reading struct {
	messages           []Message
	said, held         int // bytes
	results            int
	lowest             int // position
	full, withoutOlder bool
}

func (r *reading) take(m Message) {
	r.said += len(m.Content)
	for _, call := range m.ToolCalls {
		r.said += len(call.Function.Arguments)
	}
	if r.full = r.full || r.said > maxHistoryBytes; r.full {
		return
	}
	for _, result := range m.Results {
		r.held += len(result)
	}
	if r.withoutOlder = r.withoutOlder || r.held > maxResultBytes; r.withoutOlder {
		m.Results = nil
	}
	r.results += len(m.Results)
	r.lowest = m.position
	r.messages = append(r.messages, m)
}

// Messages gives a page of a session's messages, oldest first, and how many come before the next page, 0 at the end. The
// error wraps [ErrNotFound].
func (s *Store) Messages(ctx context.Context, organizationID, id string, limit, before int) (page []Message, next int, err error) {
	if _, err := s.Get(ctx, organizationID, id); err != nil {
		return nil, 0, err
	}
	page = []Message{}
	_, err = s.messages(ctx, `position > $3 ORDER BY position LIMIT $4`, func(m Message) { page = append(page, m) },
		organizationID, id, before, limit+1)
	if err != nil {
		return nil, 0, err
	}
	if len(page) <= limit {
		return page, 0, nil
	}
	return page[:limit], before + limit, nil
}

// messages reads some of a session's messages, and tells how many they were.
func (s *Store) messages(ctx context.Context, which string, take func(Message), args ...any) (n int, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT position, role, content, tool_calls, tool_call_id, results, figures, created_at FROM messages
		WHERE organization_id = $1 AND session_id = $2 AND `+which, args...)
	if err != nil {
		return 0, fmt.Errorf("read session's messages: %w", err)
	}
	defer rows.Close()
	for ; rows.Next(); n++ {
		m, err := scanMessage(rows)
		if err != nil {
			return 0, fmt.Errorf("read session's messages: %w", err)
		}
		take(m)
	}
	if err := rows.Err(); err != nil {
		return 0, fmt.Errorf("read session's messages: %w", err)
	}
	return n, nil
}

func scanMessage(rows *sql.Rows) (Message, error) {
	var m Message
	var calls, callID, results, figures sql.NullString
	var created int64
	if err := rows.Scan(&m.position, &m.Role, &m.Content, &calls, &callID, &results, &figures, &created); err != nil {
		return m, err
	}
	m.ToolCallID, m.CreatedAt = callID.String, database.Moment(created)
	if calls.Valid {
		if err := json.Unmarshal([]byte(calls.String), &m.ToolCalls); err != nil {
			return m, err
		}
	}
	if results.Valid {
		if err := json.Unmarshal([]byte(results.String), &m.Results); err != nil {
			return m, err
		}
	}
	if figures.Valid {
		return m, json.Unmarshal([]byte(figures.String), &m.Figures)
	}
	return m, nil
}

// resultsUpTo counts the results of a session up to a position and with it. Only messages of older programs have to be
// read for that.
func (s *Store) resultsUpTo(ctx context.Context, organizationID, id string, position int) (count int, err error) {
	from := 0
	err = s.db.QueryRowContext(ctx, `SELECT position, results_so_far FROM messages
		WHERE organization_id = $1 AND session_id = $2 AND position <= $3 AND results_so_far IS NOT NULL
		ORDER BY position DESC LIMIT 1`, organizationID, id, position).Scan(&from, &count)
	if err != nil && !errors.Is(err, sql.ErrNoRows) || from == position {
		return count, err
	}
	kept, err := database.Rows(ctx, s.db, func(row database.Row) (results []json.RawMessage, err error) {
		var text []byte
		if err := row.Scan(&text); err != nil {
			return nil, err
		}
		return results, json.Unmarshal(text, &results)
	}, `SELECT results FROM messages
		WHERE organization_id = $1 AND session_id = $2 AND position > $3 AND position <= $4 AND results IS NOT NULL`,
		organizationID, id, from, position)
	if err != nil {
		return 0, err
	}
	for _, results := range kept {
		count += len(results)
	}
	return count, nil
}

// place is a message of a session, up to which a conversation knows it.
type place struct {
	sessionID string
	position  int // 0: none of it
}

// add appends the turn's messages, after those that it copies of another session, and so ends the turn. By what they say
// the key finds the session again. The error wraps [ErrSessionBusy] when the turn was lost: then nothing is kept.
func (t *turn) add(ctx context.Context, keyID string, copied place, messages []Message) error {
	last, results, err := t.end(ctx, copied)
	if err != nil {
		return fmt.Errorf("keep messages: %w", err)
	}
	var found []mark
	for i := range messages {
		last++
		messages[i].position = last
		// Only the last message's calls are the client's: all others have been run here.
		found = append(found, marksOf(messages[i], i == len(messages)-1)...)
	}
	about := ""
	if i := slices.IndexFunc(messages, func(m Message) bool { return m.Role == openai.RoleUser }); i >= 0 {
		about = title(messages[i].Content)
	}
	now := t.store.now().UnixMicro()
	err = database.InTx(ctx, t.store.db, func(conn *sql.Tx) error {
		// The update comes first: it locks the session, so that a turn that is lost and one that has taken over do not number
		// their messages alike.
		if err := t.only(changed(conn.ExecContext(ctx, `UPDATE sessions SET updated_at = $1, turn_until = 0,
			title = CASE WHEN title = '' THEN $5 ELSE title END
			WHERE organization_id = $2 AND id = $3 AND turn_fence = $4`, now, t.organizationID, t.sessionID, t.fence, about))); err != nil {
			return err
		}
		if copied.position > 0 {
			if err := t.copy(ctx, conn, copied); err != nil {
				return err
			}
		}
		sum, bytes := results, int64(0)
		for some := range slices.Chunk(messages, mostInserted) {
			inserted, err := t.insert(ctx, conn, some, sum, now)
			if err != nil {
				return err
			}
			sum, bytes = inserted.results, bytes+inserted.bytes
		}
		if err := t.grow(ctx, conn, copied.position, bytes); err != nil {
			return err
		}
		return t.insertMarks(ctx, conn, keyID, found)
	})
	if err != nil {
		return fmt.Errorf("keep messages: %w", err)
	}
	t.over = true
	return nil
}

// end is the position of the last message before the turn's, and how many results there are up to it.
func (t *turn) end(ctx context.Context, copied place) (last, results int, err error) {
	of := copied.sessionID
	if last = copied.position; last == 0 {
		of = t.sessionID
		err = t.store.db.QueryRowContext(ctx, `SELECT coalesce(max(position), 0) FROM messages
			WHERE organization_id = $1 AND session_id = $2`, t.organizationID, of).Scan(&last)
	}
	if err != nil || last == 0 {
		return 0, 0, err
	}
	results, err = t.store.resultsUpTo(ctx, t.organizationID, of, last)
	return last, results, err
}

// copy begins the session with another's messages. Their marks stay with that one.
func (t *turn) copy(ctx context.Context, conn database.Conn, from place) error {
	_, err := conn.ExecContext(ctx, `INSERT INTO messages
		(organization_id, session_id, position, role, content, tool_calls, tool_call_id, results, figures, created_at, results_so_far)
		SELECT organization_id, $1, position, role, content, tool_calls, tool_call_id, results, figures, created_at, results_so_far
		FROM messages WHERE organization_id = $2 AND session_id = $3 AND position <= $4`,
		t.sessionID, t.organizationID, from.sessionID, from.position)
	return err
}

// rowBytes is about what a session or a message takes beside its texts.
const rowBytes = 256

// grow adds the messages that were copied, up to a position, and those that were inserted to what the session takes.
func (t *turn) grow(ctx context.Context, conn database.Conn, copied int, inserted int64) error {
	_, err := conn.ExecContext(ctx, `UPDATE sessions SET bytes = bytes + $1 + (
			SELECT coalesce(sum($2 + octet_length(content) + coalesce(octet_length(tool_calls), 0)
				+ coalesce(octet_length(results), 0) + coalesce(octet_length(figures), 0)), 0)
			FROM messages m WHERE m.organization_id = sessions.organization_id AND m.session_id = sessions.id AND m.position <= $3)
		WHERE organization_id = $4 AND id = $5`, inserted, rowBytes, copied, t.organizationID, t.sessionID)
	return err
}

// inserted is how many results there are with those of messages, and how many bytes the messages take.
type inserted struct {
	results int
	bytes   int64
}

// mostInserted is how many messages one statement inserts; a question with its answer is mostly fewer.
const mostInserted = 16

// insert appends messages after so many results.
func (t *turn) insert(ctx context.Context, conn database.Conn, messages []Message, results int, now int64) (inserted, error) {
	sum := inserted{results: results}
	values := make([]string, len(messages))
	args := []any{t.organizationID, t.sessionID, now}
	for i, m := range messages {
		calls, err := optionalJSON(m.ToolCalls)
		if err != nil {
			return sum, err
		}
		encoded, err := optionalJSON(m.Results)
		if err != nil {
			return sum, err
		}
		figures, err := optionalJSON(m.Figures)
		if err != nil {
			return sum, err
		}
		sum.results += len(m.Results)
		sum.bytes += int64(rowBytes + len(m.Content) + len(calls.String) + len(encoded.String) + len(figures.String))
		n := len(args)
		values[i] = fmt.Sprintf("($1, $2, %d, $%d, $%d, $%d, $%d, $%d, $%d, $3, %d)", m.position, n+1, n+2, n+3, n+4, n+5, n+6, sum.results)
		// PostgreSQL has no U+0000 in texts.
		args = append(args, m.Role, redact.Text(strings.ReplaceAll(m.Content, "\x00", "")), calls,
			sql.NullString{String: redact.Text(m.ToolCallID), Valid: m.ToolCallID != ""}, encoded, figures)
	}
	_, err := conn.ExecContext(ctx, `INSERT INTO messages
		(organization_id, session_id, position, role, content, tool_calls, tool_call_id, results, figures, created_at, results_so_far)
		VALUES `+strings.Join(values, ", "), args...)
	return sum, err
}

func optionalJSON[T any](list []T) (sql.NullString, error) {
	if len(list) == 0 {
		return sql.NullString{}, nil
	}
	text, err := json.Marshal(list)
	return sql.NullString{String: redact.Text(string(text)), Valid: true}, err
}
