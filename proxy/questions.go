package proxy

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys"
)

// questions bounds how many questions of one organization run at once. This process counts its own exactly; those of
// other replicas are the turns of sessions that they hold, so that questions which begin on two replicas in the same
// moment may each find the last place free.
type questions struct {
	most     int
	sessions *agent.Store

	mu      sync.Mutex
	running map[string]int // :: organization → questions of this process
}

func newQuestions(most int, sessions *agent.Store) *questions {
	return &questions{most: most, sessions: sessions, running: map[string]int{}}
}

// whenFree is how long a question that finds no place should wait. Most take some seconds.
const whenFree = 2 * time.Second

// bounded runs a question if there is a place for it.
func (q *questions) bounded(ctx context.Context, who keys.Caller, run iter.Seq2[agent.Event, error]) iter.Seq2[agent.Event, error] {
	if q.most == 0 {
		return run
	}
	return func(yield func(agent.Event, error) bool) {
		defer q.leave(who.OrganizationID)
		if err := q.enter(ctx, who.OrganizationID); err != nil {
			yield(nil, err)
			return
		}
		run(yield)
	}
}

// enter takes a place, which [questions.leave] gives back, also when there was none.
func (q *questions) enter(ctx context.Context, organizationID string) error {
	q.mu.Lock()
	q.running[organizationID]++
	full := q.running[organizationID] > q.most
	q.mu.Unlock()
	if !full {
		everywhere, err := q.sessions.Running(ctx, organizationID)
		if err != nil {
			return err
		}
		full = everywhere >= q.most
	}
	if full {
		return rateLimited(fmt.Sprintf("%d questions of the organization are running, which is as many as may.", q.most),
			"Ask again when one of them is answered.", whenFree).
			inRussian(fmt.Sprintf("Уже готовятся ответы на %d вопросов организации, больше сразу нельзя.", q.most), "Спросите снова, когда один из них будет готов.")
	}
	return nil
}

func (q *questions) leave(organizationID string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running[organizationID]--; q.running[organizationID] == 0 {
		delete(q.running, organizationID)
	}
}
