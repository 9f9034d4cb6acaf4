// Package digests answers questions of organizations on a schedule. The answers go to the organization's webhooks.
package digests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/robfig/cron/v3"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
)

const (
	maxDigests  = 20 // per organization
	maxQuestion = 2000
	defaultZone = "Europe/Moscow" // the upstream's time zone
	minInterval = time.Hour
)

// Digest is a question that is answered on a schedule, with the permissions of the key that created it. If that key becomes
// invalid, the digest fails.
type Digest struct {
	ID            string     `json:"id"`
	Question      string     `json:"question"`
	Cron          string     `json:"cron"`
	TimeZone      string     `json:"time_zone"`
	ConnectionID  string     `json:"connection_id"` // empty means the organization's only connection
	CreatedAt     time.Time  `json:"created_at"`
	CreatedBy     string     `json:"created_by"`
	NextAt        *time.Time `json:"next_at"`         // nil if the digest was stopped
	LastAt        *time.Time `json:"last_at"`         // when it was last due
	LastSessionID *string    `json:"last_session_id"` // the conversation with its last answer
	LastProblem   *string    `json:"last_problem"`    // why the last run failed
	StoppedAt     *time.Time `json:"stopped_at"`      // when it was stopped after repeated failures; running it manually starts it again

	due            time.Time // when it is due, even if it was stopped
	organizationID string
	fence          int64
	attempts       int
	failures       int // in a row
}

// Store holds the digests of organizations.
type Store struct {
	db       *sql.DB
	keys     *keys.Store
	webhooks *webhooks.Store
	now      func() time.Time
}

// NewStore returns a store that records changes in the audit of keyStore and sends answers to the webhooks in
// hookStore.
func NewStore(db *sql.DB, keyStore *keys.Store, hookStore *webhooks.Store, now func() time.Time) *Store {
	return &Store{db: db, keys: keyStore, webhooks: hookStore, now: now}
}

const columns = `id, organization_id, question, cron, time_zone, connection_id, created_at, created_by, next_at, fence, attempts, last_at,
	last_session_id, last_problem, failures, stopped_at`

func scan(r database.Row) (Digest, error) {
	var d Digest
	var created, next int64
	var last, stopped sql.Null[int64]
	err := r.Scan(&d.ID, &d.organizationID, &d.Question, &d.Cron, &d.TimeZone, &d.ConnectionID, &created, &d.CreatedBy, &next, &d.fence,
		&d.attempts, &last, &d.LastSessionID, &d.LastProblem, &d.failures, &stopped)
	d.CreatedAt, d.due, d.LastAt = database.Moment(created), database.Moment(next), database.OptionalMoment(last)
	if d.StoppedAt = database.OptionalMoment(stopped); d.StoppedAt == nil {
		d.NextAt = &d.due
	}
	return d, err
}

// NewDigest describes a digest to create. The default time zone is Moscow's.
type NewDigest struct {
	Question     string `json:"question"`
	Cron         string `json:"cron"`
	TimeZone     string `json:"time_zone"`
	ConnectionID string `json:"connection_id"`
}

var (
	wrongLength = check.NewWording("must be 1 to %s characters", "допустимо от 1 до %s знаков")
	tooMany     = check.NewWording("is one too many: an organization may have %s digests; delete one first",
		"дайджестов у организации может быть %s: сначала удалите один")
	neverDue  = check.NewWording("must have a future time", "по этому расписанию время не наступит")
	tooOften  = check.NewWording("must be due at most once an hour, not at %s and %s", "не чаще раза в час, а здесь %s и %s")
	wrongPart = check.NewWording("has %s as its %s, which must be %s, or several with , - / and *",
		"указано %s, а в поле «%s» может быть %s или несколько значений со знаками , - / и *")
	notCron = check.NewWording(`must be five fields of cron such as "0 9 * * *"`, "нужно расписание cron из пяти полей, например «0 9 * * *»")

	unknownZone = check.NewWording("must be a name such as %s", "нужно название вроде %s")
)

// Add creates a digest. It reports all problems in one [*check.InvalidError].
func (s *Store) Add(ctx context.Context, by keys.Caller, n NewDigest) (Digest, error) {
	if n.TimeZone == "" {
		n.TimeZone = defaultZone
	}
	n.Question, n.ConnectionID = redact.Text(n.Question), redact.Text(n.ConnectionID)
	var wrong check.InvalidError
	if length := utf8.RuneCountInString(n.Question); strings.TrimSpace(n.Question) == "" || length > maxQuestion {
		wrong.Add(wrongLength.At("question", maxQuestion).WithValue(length))
	}
	first := firstAfter(n.Cron, n.TimeZone, s.now(), &wrong).UTC()
	if err := wrong.OrNil(); err != nil {
		return Digest{}, err
	}
	d := Digest{
		ID:             database.NewID(),
		Question:       n.Question,
		Cron:           n.Cron,
		TimeZone:       n.TimeZone,
		ConnectionID:   n.ConnectionID,
		CreatedAt:      database.Moment(s.now().UnixMicro()),
		CreatedBy:      by.KeyID,
		NextAt:         &first,
		due:            first,
		organizationID: by.OrganizationID,
	}
	err := database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		err := s.keys.RecordAudit(
			ctx, tx, by, d.organizationID, s.now(), "digest.added", d.ID, map[string]any{"cron": d.Cron, "time_zone": d.TimeZone},
		)
		if err != nil {
			return err
		}
		var count int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM digests WHERE organization_id = $1`, d.organizationID).Scan(&count); err != nil {
			return err
		}
		if count >= maxDigests {
			return check.Invalid(tooMany.At("question", maxDigests))
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO digests (id, organization_id, question, cron, time_zone, connection_id, created_at, created_by, next_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			d.ID, d.organizationID, d.Question, d.Cron, d.TimeZone, d.ConnectionID, d.CreatedAt.UnixMicro(), d.CreatedBy, d.due.UnixMicro())
		return err
	})
	if err != nil {
		return Digest{}, fmt.Errorf("add the digest: %w", err)
	}
	return d, nil
}

// List returns all of an organization's digests, newest first; there are few.
func (s *Store) List(ctx context.Context, organizationID string) ([]Digest, error) {
	return database.Rows(
		ctx, s.db, scan, `SELECT `+columns+` FROM digests WHERE organization_id = $1 ORDER BY created_at DESC, id DESC`, organizationID,
	)
}

// Get returns one of the organization's digests; the error wraps [keys.ErrNotFound] if there is none.
func (s *Store) Get(ctx context.Context, organizationID, id string) (Digest, error) {
	d, err := scan(s.db.QueryRowContext(ctx, `SELECT `+columns+` FROM digests WHERE organization_id = $1 AND id = $2`, organizationID, id))
	return d, keys.AsNotFound(err, "digest", id)
}

// Delete deletes a digest. If it is running, its answer is not sent.
func (s *Store) Delete(ctx context.Context, by keys.Caller, id string) error {
	if _, err := s.Get(ctx, by.OrganizationID, id); err != nil {
		return err
	}
	return database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		if err := s.keys.RecordAudit(ctx, tx, by, by.OrganizationID, s.now(), "digest.deleted", id, map[string]any{}); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM digests WHERE organization_id = $1 AND id = $2`, by.OrganizationID, id)
		return err
	})
}

// RunNow makes a digest due at once, and starts it again if it was stopped. Its schedule stays the same.
func (s *Store) RunNow(ctx context.Context, organizationID, id string) (Digest, error) {
	_, err := s.db.ExecContext(ctx, `UPDATE digests SET next_at = $1, stopped_at = NULL, failures = 0
		WHERE organization_id = $2 AND id = $3 AND (next_at > $1 OR stopped_at IS NOT NULL)`,
		s.now().UnixMicro(), organizationID, id)
	if err != nil {
		return Digest{}, fmt.Errorf("make the digest due: %w", err)
	}
	return s.Get(ctx, organizationID, id)
}

// firstAfter returns when a schedule is due for the first time. It adds a problem to wrong if the schedule is invalid, or if
// it is due too often at any time in the next year.
func firstAfter(expression, zone string, after time.Time, wrong *check.InvalidError) (first time.Time) {
	next := parseSchedule(expression, zone, wrong)
	if next == nil {
		return first
	}
	if first = next(after); first.IsZero() {
		wrong.Add(neverDue.At("cron").WithValue(expression))
		return first
	}
	for at, year := first, first.AddDate(1, 0, 0); at.Before(year); {
		then := next(at)
		if then.IsZero() {
			break
		}
		if then.Sub(at) < minInterval {
			wrong.Add(tooOften.At("cron", at.Format(time.DateTime), then.Format(time.DateTime)).WithValue(expression))
			break
		}
		at = then
	}
	return first
}

// nextAfter returns when the digest is due next, or zero if never. Unlike Add, it does not check how often that is.
func (d Digest) nextAfter(now time.Time) time.Time {
	if next := parseSchedule(d.Cron, d.TimeZone, new(check.InvalidError)); next != nil {
		return next(now)
	}
	return time.Time{}
}

// parseSchedule returns a function that computes the first due time after a given time, or zero if there is none for years.
// If the schedule is invalid, it adds problems to wrong and returns nil.
func parseSchedule(expression, zone string, wrong *check.InvalidError) func(time.Time) time.Time {
	parsed, err := parseCron(expression)
	if err != nil {
		wrong.Add(cronProblem(expression))
	}
	in, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" {
		wrong.Add(unknownZone.At("time_zone", defaultZone).WithValue(zone))
		return nil
	}
	if parsed == nil {
		return nil
	}
	return func(after time.Time) time.Time { return parsed.Next(after.In(in)) }
}

// cronFields are the fields of an expression, and their values.
var cronFields = []struct{ name, values check.Wording }{
	{check.NewWording("minute", "минута"), check.NewWording("0 to 59", "от 0 до 59")},
	{check.NewWording("hour", "час"), check.NewWording("0 to 23", "от 0 до 23")},
	{check.NewWording("day of the month", "день месяца"), check.NewWording("1 to 31", "от 1 до 31")},
	{check.NewWording("month", "месяц"), check.NewWording("1 to 12", "от 1 до 12")},
	{check.NewWording("day of the week", "день недели"), check.NewWording("0 (Sunday) to 6", "от 0 (воскресенье) до 6")},
}

// cronProblem says which field of an expression is wrong.
func cronProblem(expression string) *check.Problem {
	given := strings.Fields(expression)
	if len(given) == len(cronFields) {
		for i, field := range cronFields {
			alone := []string{"*", "*", "*", "*", "*"}
			alone[i] = given[i]
			if _, err := parseCron(strings.Join(alone, " ")); err != nil {
				return wrongPart.At("cron", check.Name(given[i]), field.name, field.values)
			}
		}
	}
	return notCron.At("cron").WithValue(expression)
}

// parseCron parses an expression with five fields. It rejects a time zone in the expression, because the library can panic
// on one.
func parseCron(expression string) (cron.Schedule, error) {
	if strings.Contains(expression, "=") {
		return nil, errors.New("the time zone must be in the field time_zone")
	}
	return cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(expression)
}
