// Package clocktest has a clock for tests.
package clocktest

import (
	"sync"
	"time"
)

// Clock shows a time that only the test changes. It is safe for concurrent use.
type Clock struct {
	mu sync.Mutex
	t  time.Time
}

// New returns a clock that shows the current time.
func New() *Clock { return At(time.Now()) }

// At returns a clock that shows a time.
func At(t time.Time) *Clock { return &Clock{t: t} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

// Set changes the time.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = t
}

// Advance adds to the time.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}
