package proxy

import (
	"maps"
	"sync"
	"time"
)

// quota lets each of many go so many times a minute, all of them at once or spread out. It is this process's own: of
// several replicas each has one.
type quota[Who comparable] struct {
	perMinute int

	mu     sync.Mutex
	latest time.Time         // seen: requests may arrive here in another order than they read the clock
	filled map[Who]time.Time // :: who → when all that was taken is given back
	sweep  int               // at this size, filled is cleared of entries that are full again
}

const fewFilled = 10_000

func newQuota[Who comparable](perMinute int) *quota[Who] {
	return &quota[Who]{perMinute: perMinute, filled: map[Who]time.Time{}, sweep: fewFilled}
}

// wait is how long who must wait for the next request; 0 if there is no need to wait.
func (q *quota[Who]) wait(who Who, now time.Time) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waitLocked(who, 1, q.nowLocked(now))
}

// take takes n requests, or takes none and returns how long to wait. It never grants more than a minute's quota at once.
func (q *quota[Who]) take(who Who, count int, now time.Time) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	now = q.nowLocked(now)
	if wait := q.waitLocked(who, count, now); wait > 0 {
		return wait
	}
	if len(q.filled) >= q.sweep {
		maps.DeleteFunc(q.filled, func(_ Who, until time.Time) bool { return !until.After(now) })
		q.sweep = max(fewFilled, 2*len(q.filled))
	}
	q.filled[who] = q.withMoreLocked(who, count, now)
	return 0
}

func (q *quota[Who]) waitLocked(who Who, count int, now time.Time) time.Duration {
	return max(q.withMoreLocked(who, count, now).Sub(now)-time.Minute, 0)
}

// withMoreLocked is when all would be given back if n more were taken.
func (q *quota[Who]) withMoreLocked(who Who, count int, now time.Time) time.Time {
	from := q.filled[who]
	if from.Before(now) {
		from = now
	}
	return from.Add(time.Duration(count) * (time.Minute / time.Duration(q.perMinute)))
}

// nowLocked is the present time. It never goes back.
func (q *quota[Who]) nowLocked(now time.Time) time.Time {
	if now.After(q.latest) {
		q.latest = now
	}
	return q.latest
}
