package proxy

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/places"
	"github.com/kopeck/kopeck/proxy/webhooks"
)

// questionLimit limits how many questions of one organization run at once. It counts the questions of this process exactly.
// It counts those of other replicas by the sessions that they have locked. If questions begin on two replicas at the same
// moment, both may get the last place.
type questionLimit struct {
	max      int
	sessions *agent.Store
	local    *places.Queue
}

func newQuestionLimit(limit int, sessions *agent.Store) *questionLimit {
	return &questionLimit{max: limit, sessions: sessions, local: places.New(0, limit, 0)}
}

// retryWhenFree is the Retry-After of a question that was refused. Most questions take a few seconds.
const retryWhenFree = 2 * time.Second

// retryTest is the Retry-After of a test message that was refused. By then, earlier ones have been attempted again.
const retryTest = 5 * time.Minute

// limited runs a question if the organization has a free place.
func (q *questionLimit) limited(ctx context.Context, caller keys.Caller, run iter.Seq2[agent.Event, error]) iter.Seq2[agent.Event, error] {
	if q.max == 0 {
		return run
	}
	return func(yield func(agent.Event, error) bool) {
		leave, err := q.acquire(ctx, caller.OrganizationID)
		if err != nil {
			yield(nil, err)
			return
		}
		defer leave()
		run(yield)
	}
}

// acquire takes a place. Call leave to give it back.
func (q *questionLimit) acquire(ctx context.Context, organizationID string) (leave func(), err error) {
	leave, ok := q.local.TryEnter(organizationID)
	if ok {
		everywhere, err := q.sessions.RunningTurns(ctx, organizationID)
		if err == nil && everywhere < q.max {
			return leave, nil
		}
		leave()
		if err != nil {
			return nil, err
		}
	}
	return nil, rateLimited(fmt.Sprintf("The organization already has %d running questions, which is the limit.", q.max),
		"Ask again when one of them is answered.", retryWhenFree).
		inRussian(fmt.Sprintf("Уже готовятся ответы на %d вопросов организации, больше сразу нельзя.", q.max),
			"Спросите снова, когда один из них будет готов.")
}

// capacityProblem maps errors about limits on what an organization may do at once.
func capacityProblem(err error) *problem {
	var full *keys.StorageFullError
	switch {
	case errors.As(err, &full):
		return fullProblem(full)
	case errors.Is(err, places.ErrFull):
		return rateLimited("Too many tools are running for the organization.", "Call again when some of them have answered.", retryWhenFree).
			inRussian("Для организации уже работает слишком много инструментов.", "Повторите, когда часть из них ответит.")
	case errors.Is(err, webhooks.ErrTooManyTests):
		return rateLimited(
			capitalized(err.Error())+".", "Make sure that the address answers 2xx to the messages that were sent, then test again.", retryTest,
		)
	}
	return nil
}

func fullProblem(full *keys.StorageFullError) *problem {
	stored, limit := full.StoredBytes>>20, full.LimitBytes>>20
	return newProblem(http.StatusUnprocessableEntity, "STORAGE_FULL",
		fmt.Sprintf("The organization has stored %d MiB of conversations and drafts, and may store %d MiB.", stored, limit),
		"Delete sessions that are no longer needed with DELETE /api/v1/sessions/{id}, "+
			"or ask the operator to raise KOPECK_STORAGE or set KOPECK_SESSION_RETENTION.",
	).
		inRussian(fmt.Sprintf("Организация хранит %d МиБ разговоров и черновиков, а может хранить %d МиБ.", stored, limit),
			"Удалите ненужные разговоры или попросите того, кто ведёт сервис, увеличить KOPECK_STORAGE или задать KOPECK_SESSION_RETENTION.")
}
