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

// questions bounds how many questions of one organization run at once. This process counts its own exactly; those of
// other replicas are the turns of sessions that they hold, so that questions which begin on two replicas in the same
// moment may each find the last place free.
type questions struct {
	most     int
	sessions *agent.Store
	here     *places.Queue
}

func newQuestions(most int, sessions *agent.Store) *questions {
	return &questions{most: most, sessions: sessions, here: places.New(0, most, 0)}
}

// whenFree is how long a question that finds no place should wait. Most take some seconds.
const whenFree = 2 * time.Second

// whenTested is how long to wait with another test message: until the next attempt at those before it.
const whenTested = 5 * time.Minute

// bounded runs a question if there is a place for it.
func (q *questions) bounded(ctx context.Context, who keys.Caller, run iter.Seq2[agent.Event, error]) iter.Seq2[agent.Event, error] {
	if q.most == 0 {
		return run
	}
	return func(yield func(agent.Event, error) bool) {
		leave, err := q.enter(ctx, who.OrganizationID)
		if err != nil {
			yield(nil, err)
			return
		}
		defer leave()
		run(yield)
	}
}

// enter takes a place, which leave gives back.
func (q *questions) enter(ctx context.Context, organizationID string) (leave func(), err error) {
	leave, ok := q.here.TryEnter(organizationID)
	if ok {
		everywhere, err := q.sessions.Running(ctx, organizationID)
		if err == nil && everywhere < q.most {
			return leave, nil
		}
		leave()
		if err != nil {
			return nil, err
		}
	}
	return nil, rateLimited(fmt.Sprintf("%d questions of the organization are running, which is as many as may.", q.most),
		"Ask again when one of them is answered.", whenFree).
		inRussian(
			fmt.Sprintf("Уже готовятся ответы на %d вопросов организации, больше сразу нельзя.", q.most),
			"Спросите снова, когда один из них будет готов.",
		)
}

// crowdProblem knows the errors of bounds that an organization has.
func crowdProblem(err error) *problem {
	var full *keys.StorageFullError
	switch {
	case errors.As(err, &full):
		return fullProblem(full)
	case errors.Is(err, places.ErrFull):
		return rateLimited("Too many tools run for the organization.", "Call again when some of them have answered.", whenFree).
			inRussian("Для организации уже работает слишком много инструментов.", "Повторите, когда часть из них ответит.")
	case errors.Is(err, webhooks.ErrTooManyTests):
		return rateLimited(
			capital(err.Error())+".", "See that the address answers 2xx to those that were sent, then test again.", whenTested,
		)
	}
	return nil
}

func fullProblem(full *keys.StorageFullError) *problem {
	stored, most := full.StoredBytes>>20, full.LimitBytes>>20
	return refuse(
		http.StatusUnprocessableEntity,
		"STORAGE_FULL",
		fmt.Sprintf("The organization has stored %d MiB of conversations and drafts, and may store %d MiB.", stored, most),
		"Delete sessions that are no longer needed with DELETE /api/v1/sessions/{id}, or have the operator raise KOPECK_STORAGE or set KOPECK_SESSION_RETENTION.",
	).
		inRussian(
			fmt.Sprintf("Организация хранит %d МиБ разговоров и черновиков, а может хранить %d МиБ.", stored, most),
			"Удалите ненужные разговоры или попросите того, кто ведёт сервис, увеличить KOPECK_STORAGE или задать KOPECK_SESSION_RETENTION.",
		)
}
