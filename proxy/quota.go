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
	filled map[Who]time.Time // :: who → when all that was taken is given back
	sweep  int               // how many make it worth looking for those who have it all back
}

const fewFilled = 10_000

func newQuota[Who comparable](perMinute int) *quota[Who] {
	return &quota[Who]{perMinute: perMinute, filled: map[Who]time.Time{}, sweep: fewFilled}
}

// wait is how long who must wait until there is one to take; 0 when there is.
func (q *quota[Who]) wait(who Who, now time.Time) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waitLocked(who, now)
}

// take takes one, or says how long to wait and takes nothing.
func (q *quota[Who]) take(who Who, now time.Time) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if wait := q.waitLocked(who, now); wait > 0 {
		return wait
	}
	if len(q.filled) >= q.sweep {
		maps.DeleteFunc(q.filled, func(_ Who, until time.Time) bool { return !until.After(now) })
		q.sweep = max(fewFilled, 2*len(q.filled))
	}
	q.filled[who] = q.withOneMoreLocked(who, now)
	return 0
}

func (q *quota[Who]) waitLocked(who Who, now time.Time) time.Duration {
	return max(q.withOneMoreLocked(who, now).Sub(now)-time.Minute, 0)
}

// withOneMoreLocked is when all would be given back after one more is taken.
func (q *quota[Who]) withOneMoreLocked(who Who, now time.Time) time.Time {
	from := q.filled[who]
	if from.Before(now) {
		from = now
	}
	return from.Add(time.Minute / time.Duration(q.perMinute))
}
