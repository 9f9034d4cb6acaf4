package digests

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/proxy/tasks"
	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
)

const (
	pollInterval              = 5 * time.Second  // between checks for due digests
	answerTimeout             = 5 * time.Minute  // per answer
	lease                     = 10 * time.Minute // per answer, including storing it
	retryDelay                = 5 * time.Minute
	maxAttempts               = 3
	maxRunning                = 16
	maxRunningPerOrganization = 2 // on all replicas
	maxFailures               = 5 // failed runs in a row after which a digest stops
)

// Answer is the agent's answer and its conversation, which has the sources of its figures.
type Answer struct{ Text, SessionID string }

// AnswerFunc answers a digest's question with the permissions of the key that created it. The organization can read the
// text of the error.
type AnswerFunc func(ctx context.Context, organizationID, keyID, connectionID, question string) (Answer, error)

// Runner runs due digests. Several runners may share a database; each answer is sent only once.
type Runner struct {
	store  *Store
	answer AnswerFunc
	log    *slog.Logger
	tasks  tasks.Runner[Digest]
}

// NewRunner returns a runner of the digests in store.
func NewRunner(store *Store, ask AnswerFunc, log *slog.Logger) *Runner {
	a := &Runner{store: store, answer: ask, log: log}
	a.tasks = tasks.Runner[Digest]{
		DB: store.db, Now: store.now, Log: log, Table: "digests", Columns: columns, Waiting: "stopped_at IS NULL", Due: "next_at",
		OnClaim: "fence = fence + 1, attempts = attempts + 1", Group: "organization_id", MaxInGroup: maxRunningPerOrganization,
		MaxOfOrganization: maxRunningPerOrganization, MaxHere: maxRunning, Lease: lease, Poll: pollInterval, Scan: scan, Do: a.run,
	}
	return a
}

// Run runs due digests until ctx ends. A digest that is running then is interrupted, and runs again later, here or on
// another replica.
func (r *Runner) Run(ctx context.Context) { r.tasks.Run(ctx) }

// RunDue runs the digests that are due now, and waits for them.
func (r *Runner) RunDue(ctx context.Context) error { return r.tasks.RunDue(ctx) }

func (r *Runner) run(ctx context.Context, d Digest) {
	if err := r.attempt(ctx, d); err != nil {
		r.log.Warn("digest", "digest", d.ID, "error", err)
	}
}

// errInternal is shown to the organization after a panic.
//
//nolint:staticcheck // shown to people
var errInternal = errors.New("The service could not answer this question because of an internal error.")

// attempt makes one attempt to answer a digest. A failed attempt is repeated a few minutes later. The failure is reported only
// after the last attempt.
func (r *Runner) attempt(ctx context.Context, d Digest) error {
	limited, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	said, err := Answer{}, errInternal
	caught.Logged(r.log, "the question of a digest", func() {
		said, err = r.answer(limited, d.organizationID, d.CreatedBy, d.ConnectionID, d.Question)
	})
	switch {
	case ctx.Err() != nil: // shutting down; another process takes over when the lease expires
		return ctx.Err()
	case err != nil && d.attempts < maxAttempts:
		r.log.Info("a digest will be retried", "digest", d.ID, "attempt", d.attempts)
		_, err := r.store.db.ExecContext(ctx, `UPDATE digests SET lease_until = $1 WHERE id = $2 AND fence = $3`,
			r.store.now().Add(retryDelay).UnixMicro(), d.ID, d.fence)
		return err
	}
	return r.store.settle(context.WithoutCancel(ctx), d, said, err)
}

// Why a digest was stopped.
var (
	failedTooOften = check.NewWording("It failed %s times in a row and was stopped. Run it manually to start it again.",
		"Не удалось ответить несколько раз подряд (%s), и дайджест остановлен. Чтобы возобновить его, спросите сейчас.")
	neverAgain = check.NewWording("Its schedule has no future time, so it was stopped. Create it again with another schedule.",
		"По расписанию больше нет времени, и дайджест остановлен. Создайте его заново с другим расписанием.")
)

// message is the data of the webhook event.
type message struct {
	DigestID     string    `json:"digest_id"`
	Question     string    `json:"question"`
	DueAt        time.Time `json:"due_at"`
	ConnectionID string    `json:"connection_id"`
	SessionID    string    `json:"session_id,omitempty"`
	Answer       string    `json:"answer,omitempty"` // Markdown
	Problem      string    `json:"problem,omitempty"`
	Stopped      bool      `json:"stopped,omitempty"` // it will not run again
}

// settle plans the next run and passes the answer to the webhooks in one transaction. It does nothing if another replica
// has already done so. A digest stops after maxFailures failed runs, or if its schedule has no future time. Then its last
// problem and the message say so.
func (s *Store) settle(ctx context.Context, d Digest, answer Answer, failed error) error {
	now := s.now()
	next := d.nextAfter(now)
	event, data := webhooks.DigestAnswered, message{DigestID: d.ID, Question: d.Question, DueAt: d.due, ConnectionID: d.ConnectionID,
		SessionID: answer.SessionID, Answer: answer.Text}
	d.failures++
	if failed == nil {
		d.failures = 0
	} else {
		event, data.Problem = webhooks.DigestFailed, failed.Error()
	}
	var stopped sql.Null[int64]
	if next.IsZero() || d.failures >= maxFailures {
		why := failedTooOften.Of(maxFailures)
		if next.IsZero() {
			next, why = d.due, neverAgain.Of()
		}
		stopped = sql.Null[int64]{V: now.UnixMicro(), Valid: true}
		data.Stopped, data.Problem = true, strings.TrimSpace(data.Problem+" "+why.In(render.Language(d.Question)))
	}
	session := sql.Null[string]{V: answer.SessionID, Valid: failed == nil}
	return database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		settled, err := database.Changed(tx.ExecContext(ctx, `
			UPDATE digests SET next_at = $1, last_at = $2, last_session_id = $3, last_problem = $4, lease_until = 0, attempts = 0,
				failures = $5, stopped_at = $6
			WHERE id = $7 AND fence = $8`,
			next.UnixMicro(), d.due.UnixMicro(), session, database.OrNull(data.Problem), d.failures, stopped, d.ID, d.fence))
		if err != nil || !settled {
			return err
		}
		return s.webhooks.Enqueue(ctx, tx, d.organizationID, event, now, data)
	})
}
