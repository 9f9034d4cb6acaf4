package proxy

import (
	"context"
	"fmt"
	"iter"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/places"
	"github.com/kopeck/kopeck/proxy/problem"
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
	return nil, problem.RateLimited(fmt.Sprintf("The organization already has %d running questions, which is the limit.", q.max),
		"Ask again when one of them is answered.", problem.RetryWhenFree).
		InRussian(fmt.Sprintf("Уже готовятся ответы на %d вопросов организации, больше сразу нельзя.", q.max),
			"Спросите снова, когда один из них будет готов.")
}
