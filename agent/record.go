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

// Limits on what is read from a session at once.
const (
	maxHistoryBytes = 160 << 10 // texts; a model also gets at most this much
	maxResultBytes  = 4 << 20   // results
	readBatch       = 32        // messages in a query
)

// recent is the last part of a session.
type recent struct {
	Messages       []Message // oldest first
	EarlierResults int       // number of results before those in Messages
}

// recent reads the last messages of a session up to a position, 0 for the end. Results beyond maxResultBytes are left
// out of the older messages and counted in EarlierResults. A session that does not exist has no messages.
func (s *Store) recent(ctx context.Context, organizationID, id string, upTo int) (recent, error) {
	const all = 1<<31 - 1
	var r recentReader
	for upTo = cmp.Or(upTo, all); upTo > 0 && !r.full; {
		page, err := database.Rows(ctx, s.db, r.read, selectMessages+`AND position <= $3 ORDER BY position DESC LIMIT $4`,
			organizationID, id, upTo, readBatch)
		if err != nil {
			return recent{}, fmt.Errorf("read session's messages: %w", err)
		}
		if len(page) == 0 {
			break
		}
		upTo = page[len(page)-1] - 1
	}
	if len(r.messages) == 0 {
		return recent{Messages: []Message{}}, nil
	}
	total, err := s.resultsUpTo(ctx, organizationID, id, r.messages[0].position)
	if err != nil {
		return recent{}, err
	}
	slices.Reverse(r.messages)
	return recent{r.messages, total - r.results}, nil
}

// recentReader collects the messages of a session, newest first, up to the limits.
type recentReader struct {
	messages               []Message
	textBytes, resultBytes int
	results                int
	full, skipResults      bool
}

// read adds a message and returns its position.
func (r *recentReader) read(row database.Row) (position int, err error) {
	m, err := scanMessage(row)
	if err != nil {
		return 0, err
	}
	r.textBytes += len(m.Content)
	for _, call := range m.ToolCalls {
		r.textBytes += len(call.Function.Arguments)
	}
	if r.full = r.full || r.textBytes > maxHistoryBytes; r.full {
		return m.position, nil
	}
	for _, result := range m.Results {
		r.resultBytes += len(result)
	}
	if r.skipResults = r.skipResults || r.resultBytes > maxResultBytes; r.skipResults {
		m.Results = nil
	}
	r.results += len(m.Results)
	r.messages = append(r.messages, m)
	return m.position, nil
}

const (
	messageColumns = `SELECT position, role, content, tool_calls, tool_call_id, results, figures, created_at FROM messages `
	selectMessages = messageColumns + `WHERE organization_id = $1 AND session_id = $2 `
)

// Messages returns a page of a session's messages, and the cursor of the next page, as [database.ReadPage] does. It lists the
// oldest first, so the number of a message's key is its negative position. The error can wrap [ErrNotFound].
func (s *Store) Messages(ctx context.Context, organizationID, id string, page database.Page) ([]Message, string, error) {
	if _, err := s.Get(ctx, organizationID, id); err != nil {
		return nil, "", err
	}
	return database.ReadPage(ctx, s.db, page, "the session's messages", scanMessage,
		func(m Message) database.RowKey { return database.RowKey{Number: -int64(m.position)} },
		messageColumns+`WHERE organization_id = $4 AND session_id = $5 AND position > -CAST($1 AS BIGINT) AND $2 = ''
		ORDER BY position LIMIT $3`, organizationID, id)
}

func scanMessage(row database.Row) (Message, error) {
	var m Message
	var calls, callID, results, figures sql.NullString
	var created int64
	if err := row.Scan(&m.position, &m.Role, &m.Content, &calls, &callID, &results, &figures, &created); err != nil {
		return m, err
	}
	m.ToolCallID, m.CreatedAt = callID.String, database.Moment(created)
	return m, errors.Join(database.FromJSON(calls.String, &m.ToolCalls), database.FromJSON(results.String, &m.Results),
		database.FromJSON(figures.String, &m.Figures))
}

// resultsUpTo counts the results of a session up to and including a position. Older versions stored no count, so their
// messages are read.
func (s *Store) resultsUpTo(ctx context.Context, organizationID, id string, position int) (count int, err error) {
	from := 0
	err = s.db.QueryRowContext(ctx, `SELECT position, results_so_far FROM messages
		WHERE organization_id = $1 AND session_id = $2 AND position <= $3 AND results_so_far IS NOT NULL
		ORDER BY position DESC LIMIT 1`, organizationID, id, position).Scan(&from, &count)
	if err != nil && !errors.Is(err, sql.ErrNoRows) || from == position {
		return count, err
	}
	stored, err := database.Rows(ctx, s.db, func(row database.Row) (results []json.RawMessage, err error) {
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
	for _, results := range stored {
		count += len(results)
	}
	return count, nil
}

// place is a position in a session.
type place struct {
	sessionID string
	position  int // 0 means before the first message
}

// save appends the turn's messages and ends the turn. If copyFrom is set, the session begins with a copy of another
// one. Marks let the same key find the session again. If the turn was lost, nothing is saved and the error wraps
// [ErrSessionBusy].
func (t *turn) save(ctx context.Context, keyID string, copyFrom place, messages []Message) error {
	last, results, err := t.lastPosition(ctx, copyFrom)
	if err != nil {
		return fmt.Errorf("save messages: %w", err)
	}
	var marks []mark
	for i := range messages {
		last++
		messages[i].position = last
		// Only calls of the last message can be the client's.
		marks = append(marks, marksOf(messages[i], i == len(messages)-1)...)
	}
	firstTitle := ""
	if i := slices.IndexFunc(messages, func(m Message) bool { return m.Role == openai.RoleUser }); i >= 0 {
		firstTitle = title(messages[i].Content)
	}
	now := t.store.now().UnixMicro()
	err = database.InTx(ctx, t.store.db, func(conn *sql.Tx) error {
		// The update comes first because it locks the session: otherwise a lost turn and its successor could use the same
		// positions.
		if err := t.requireOne(conn.ExecContext(ctx, `UPDATE sessions SET updated_at = $1, turn_until = 0,
			title = CASE WHEN title = '' THEN $5 ELSE title END
			WHERE organization_id = $2 AND id = $3 AND turn_fence = $4`, now, t.organizationID, t.sessionID, t.fence, firstTitle)); err != nil {
			return err
		}
		if copyFrom.position > 0 {
			if err := t.copy(ctx, conn, copyFrom); err != nil {
				return err
			}
		}
		sum, bytes := results, int64(0)
		for some := range slices.Chunk(messages, insertBatch) {
			inserted, err := t.insert(ctx, conn, some, sum, now)
			if err != nil {
				return err
			}
			sum, bytes = inserted.results, bytes+inserted.bytes
		}
		if err := t.addBytes(ctx, conn, copyFrom.position, bytes); err != nil {
			return err
		}
		return t.insertMarks(ctx, conn, keyID, marks)
	})
	if err != nil {
		return fmt.Errorf("save messages: %w", err)
	}
	t.released = true
	return nil
}

// lastPosition returns the position of the last message before the turn, and the number of results up to it.
func (t *turn) lastPosition(ctx context.Context, copyFrom place) (last, results int, err error) {
	of := copyFrom.sessionID
	if last = copyFrom.position; last == 0 {
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

// copy begins the session with another session's messages. Their marks stay with the other session.
func (t *turn) copy(ctx context.Context, conn database.Conn, from place) error {
	_, err := conn.ExecContext(ctx, `INSERT INTO messages
		(organization_id, session_id, position, role, content, tool_calls, tool_call_id, results, figures, created_at, results_so_far)
		SELECT organization_id, $1, position, role, content, tool_calls, tool_call_id, results, figures, created_at, results_so_far
		FROM messages WHERE organization_id = $2 AND session_id = $3 AND position <= $4`,
		t.sessionID, t.organizationID, from.sessionID, from.position)
	return err
}

// rowBytes is the approximate size of a session or message without its texts.
const rowBytes = 256

// addBytes adds the size of the inserted messages, and of those copied up to a position, to the session's size.
func (t *turn) addBytes(ctx context.Context, conn database.Conn, copied int, inserted int64) error {
	_, err := conn.ExecContext(ctx, `UPDATE sessions SET bytes = bytes + $1 + (
			SELECT coalesce(sum($2 + octet_length(content) + coalesce(octet_length(tool_calls), 0)
				+ coalesce(octet_length(results), 0) + coalesce(octet_length(figures), 0)), 0)
			FROM messages m WHERE m.organization_id = sessions.organization_id AND m.session_id = sessions.id AND m.position <= $3)
		WHERE organization_id = $4 AND id = $5`, inserted, rowBytes, copied, t.organizationID, t.sessionID)
	return err
}

// inserted is the number of results in the session after an insert, and the size of the inserted messages.
type inserted struct {
	results int
	bytes   int64
}

// insertBatch limits the messages in one INSERT statement. Most questions with their answers have fewer.
const insertBatch = 16

// insert appends messages to a session that has the given number of results.
func (t *turn) insert(ctx context.Context, conn database.Conn, messages []Message, results int, now int64) (inserted, error) {
	sum := inserted{results: results}
	values := make([]string, len(messages))
	args := []any{t.organizationID, t.sessionID, now}
	for i, m := range messages {
		calls, wrongCalls := optionalJSON(m.ToolCalls)
		encoded, wrongResults := optionalJSON(m.Results)
		figures, wrongFigures := optionalJSON(m.Figures)
		if err := errors.Join(wrongCalls, wrongResults, wrongFigures); err != nil {
			return sum, err
		}
		sum.results += len(m.Results)
		sum.bytes += int64(rowBytes + len(m.Content) + len(calls) + len(encoded) + len(figures))
		n := len(args)
		values[i] = fmt.Sprintf("($1, $2, %d, $%d, $%d, $%d, $%d, $%d, $%d, $3, %d)", m.position, n+1, n+2, n+3, n+4, n+5, n+6, sum.results)
		// PostgreSQL texts cannot contain U+0000.
		args = append(args, m.Role, redact.Text(strings.ReplaceAll(m.Content, "\x00", "")), database.OrNull(calls),
			database.OrNull(redact.Text(m.ToolCallID)), database.OrNull(encoded), database.OrNull(figures))
	}
	_, err := conn.ExecContext(ctx, `INSERT INTO messages
		(organization_id, session_id, position, role, content, tool_calls, tool_call_id, results, figures, created_at, results_so_far)
		VALUES `+strings.Join(values, ", "), args...)
	return sum, err
}

// optionalJSON returns an empty text for an empty list.
func optionalJSON[T any](list []T) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	text, err := json.Marshal(list)
	return redact.Text(string(text)), err
}
