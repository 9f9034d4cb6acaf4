package proxy

import (
	"maps"
	"sync"
	"time"
)

// quota allows a number of requests per key and minute, all at once or spread out. Each process counts separately.
type quota[K comparable] struct {
	perMinute int

	mu        sync.Mutex
	latest    time.Time       // the latest time seen; concurrent requests may pass their times out of order
	fullAt    map[K]time.Time // key → when the quota is full again
	purgeSize int             // number of entries at which those with a full quota are deleted
}

const minPurgeSize = 10_000

func newQuota[K comparable](perMinute int) *quota[K] {
	return &quota[K]{perMinute: perMinute, fullAt: map[K]time.Time{}, purgeSize: minPurgeSize}
}

// wait returns how long to wait before the key's next request; 0 if it may be sent now.
func (q *quota[K]) wait(key K, now time.Time) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waitLocked(key, 1, q.nowLocked(now))
}

// take takes count requests from the key's quota. If it cannot take all of them, it takes none and returns how long to
// wait. It never grants more than the quota of one minute at once.
func (q *quota[K]) take(key K, count int, now time.Time) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	now = q.nowLocked(now)
	if wait := q.waitLocked(key, count, now); wait > 0 {
		return wait
	}
	if len(q.fullAt) >= q.purgeSize {
		maps.DeleteFunc(q.fullAt, func(_ K, until time.Time) bool { return !until.After(now) })
		q.purgeSize = max(minPurgeSize, 2*len(q.fullAt))
	}
	q.fullAt[key] = q.fullAfterLocked(key, count, now)
	return 0
}

func (q *quota[K]) waitLocked(key K, count int, now time.Time) time.Duration {
	return max(q.fullAfterLocked(key, count, now).Sub(now)-time.Minute, 0)
}

// fullAfterLocked returns when the quota would be full again if count more were taken.
func (q *quota[K]) fullAfterLocked(key K, count int, now time.Time) time.Time {
	from := q.fullAt[key]
	if from.Before(now) {
		from = now
	}
	return from.Add(time.Duration(count) * (time.Minute / time.Duration(q.perMinute)))
}

// nowLocked returns the latest time seen, so that time never goes back.
func (q *quota[K]) nowLocked(now time.Time) time.Time {
	if now.After(q.latest) {
		q.latest = now
	}
	return q.latest
}
