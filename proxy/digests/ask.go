package digests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/kopeck/kopeck/proxy/places"
	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/schemas/database"
)

const (
	beat         = 5 * time.Second  // between looks for what is due
	longestAsk   = 5 * time.Minute  // for one answer
	lease        = 10 * time.Minute // for one answer with its recording
	betweenTries = 5 * time.Minute
	mostTries    = 3
	mostAtOnce   = 16
	mostOfOne    = 2 // of them for one organization, on all replicas
	mostFailures = 5 // times in a row that a digest may be due and not answered, before it stops
)

// Answer is what the agent said, and in which conversation, where its figures have their sources.
type Answer struct{ Text, SessionID string }

// Ask answers a digest's question under the rights of the key that made it. The error's text is shown to the organization.
type Ask func(ctx context.Context, organizationID, keyID, connectionID, question string) (Answer, error)

// Asker asks what is due. Any number of askers may share a database: each answer is sent once.
type Asker struct {
	store *Store
	ask   Ask
	log   *slog.Logger

	running sync.WaitGroup
	places  chan struct{}
}

// NewAsker asks what store keeps.
func NewAsker(store *Store, ask Ask, log *slog.Logger) *Asker {
	return &Asker{store: store, ask: ask, log: log, places: make(chan struct{}, mostAtOnce)}
}

// Run asks what is due until ctx ends. A question that is cut off by the end is asked again by whoever comes next.
func (a *Asker) Run(ctx context.Context) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	defer a.running.Wait()
	for {
		if err := a.step(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("digests wait", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Step asks what is due now, once, and waits for the answers.
func (a *Asker) Step(ctx context.Context) error {
	defer a.running.Wait()
	return a.step(ctx)
}

func (a *Asker) step(ctx context.Context) error {
	claimed, err := a.claim(ctx, cap(a.places)-len(a.places))
	if err != nil {
		return err
	}
	for _, d := range claimed {
		a.places <- struct{}{}
		a.running.Go(func() {
			defer func() { <-a.places }()
			caught.Logged(a.log, "a digest", func() {
				if err := a.answer(ctx, d); err != nil {
					a.log.Warn("digest", "digest", d.ID, "error", err)
				}
			})
		})
	}
	return nil
}

// due are the digests that may be asked.
var due = places.Line{
	Table: "digests", Waiting: "stopped_at IS NULL", Due: "next_at", Lane: "organization_id", InLane: mostOfOne, Each: mostOfOne,
}

func (a *Asker) claim(ctx context.Context, most int) ([]Digest, error) {
	now := a.store.now()
	claimed, err := database.Rows(ctx, a.store.db, scan, `
		UPDATE digests SET fence = fence + 1, attempts = attempts + 1, lease_until = $3
		WHERE next_at <= $1 AND lease_until <= $1 AND stopped_at IS NULL AND id IN (`+due.Next()+`)
		RETURNING `+columns, now.UnixMicro(), most, now.Add(lease).UnixMicro())
	if err != nil {
		return nil, fmt.Errorf("claim digests: %w", err)
	}
	return claimed, nil
}

// errDefect is what its owner reads of a question that panicked.
var errDefect = errors.New("The service failed on this question because of a defect of its own.") //nolint:staticcheck // shown to people

// answer asks once. A failure is tried again a few minutes later, and told when the last try has failed too.
func (a *Asker) answer(ctx context.Context, d Digest) error {
	limited, cancel := context.WithTimeout(ctx, longestAsk)
	defer cancel()
	said, err := Answer{}, errDefect
	caught.Logged(a.log, "the question of a digest", func() {
		said, err = a.ask(limited, d.organizationID, d.CreatedBy, d.ConnectionID, d.Question)
	})
	switch {
	case ctx.Err() != nil: // stopping: the lease ends by itself
		return ctx.Err()
	case err != nil && d.attempts < mostTries:
		a.log.Info("a digest is asked again later", "digest", d.ID, "attempt", d.attempts)
		_, err := a.store.db.ExecContext(ctx, `UPDATE digests SET lease_until = $1 WHERE id = $2 AND fence = $3`,
			a.store.now().Add(betweenTries).UnixMicro(), d.ID, d.fence)
		return err
	}
	return a.store.settle(context.WithoutCancel(ctx), d, said, err)
}

// told is what a webhook hears of a digest.
type told struct {
	DigestID     string    `json:"digest_id"`
	Question     string    `json:"question"`
	DueAt        time.Time `json:"due_at"`
	ConnectionID string    `json:"connection_id"`
	SessionID    string    `json:"session_id,omitempty"`
	Answer       string    `json:"answer,omitempty"` // Markdown
	Problem      string    `json:"problem,omitempty"`
	Stopped      bool      `json:"stopped,omitempty"` // it is not asked any more
}

// settle plans the next time and hands the answer to the webhooks, both or neither, unless another has done so. A digest that
// fails again and again, or has no next time, stops; it says so in its problem and in the message.
func (s *Store) settle(ctx context.Context, d Digest, said Answer, failed error) error {
	now := s.now()
	next := d.nextAfter(now)
	event, data := webhooks.DigestAnswered, told{DigestID: d.ID, Question: d.Question, DueAt: d.due, ConnectionID: d.ConnectionID,
		SessionID: said.SessionID, Answer: said.Text}
	d.failures++
	if failed == nil {
		d.failures = 0
	} else {
		event, data.Problem = webhooks.DigestFailed, failed.Error()
	}
	var stopped sql.Null[int64]
	if next.IsZero() || d.failures >= mostFailures {
		why := fmt.Sprintf(
			"It was not answered %d times in a row, so it is not asked any more. Ask it by hand to start it again.", mostFailures,
		)
		if next.IsZero() {
			next, why = d.due, "Its schedule names no time that comes, so it is not asked any more. Make it again with another schedule."
		}
		stopped = sql.Null[int64]{V: now.UnixMicro(), Valid: true}
		data.Stopped, data.Problem = true, strings.TrimSpace(data.Problem+" "+why)
	}
	problem := sql.Null[string]{V: data.Problem, Valid: data.Problem != ""}
	session := sql.Null[string]{V: said.SessionID, Valid: failed == nil}
	return database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		settled, err := tx.ExecContext(ctx, `
			UPDATE digests SET next_at = $1, last_at = $2, last_session_id = $3, last_problem = $4, lease_until = 0, attempts = 0,
				failures = $5, stopped_at = $6
			WHERE id = $7 AND fence = $8`,
			next.UnixMicro(), d.due.UnixMicro(), session, problem, d.failures, stopped, d.ID, d.fence)
		if err != nil {
			return err
		}
		if n, err := settled.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return s.webhooks.Enqueue(ctx, tx, d.organizationID, event, now, data)
	})
}
