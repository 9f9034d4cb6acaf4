package drafts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Upstreams reaches the accounts of connections. It is the one place that hands out what writes.
type Upstreams interface {
	// Writer gives a connection's account. The error wraps [keys.ErrNotFound] when the connection has been deleted.
	Writer(ctx context.Context, organizationID, connectionID string) (*moysklad.Writer, error)
	// Refused records that the upstream has refused the connection's token, and by what error. Until the connection heals, Writer
	// returns an error, unless the token has been replaced meanwhile.
	Refused(ctx context.Context, organizationID, connectionID string, refusal error) error
}

// Creator turns confirmed drafts into documents, each exactly once. Make one of its exported fields.
type Creator struct {
	Store     *Store
	Upstreams Upstreams
	Log       *slog.Logger

	// Lease is how soon another replica takes over from one that has died; it is renewed while an attempt runs. 0 is 30
	// seconds.
	Lease time.Duration
	// Quiet is how long a write that nobody answered may still take effect upstream: until then it is looked for and not
	// repeated. A write is waited for half as long, at most. 0 is 6 minutes, above the 5 that the upstream allows itself.
	Quiet time.Duration
	// Poll is how often confirmed drafts that are not settled are looked for; 0 is 2 seconds.
	Poll time.Duration
	// Patience is how long a confirmation waits for its document before it answers that creating goes on; 0 is 10 seconds.
	Patience time.Duration

	attempts, looks singleflight.Group

	mu      sync.Mutex
	ended   bool
	base    context.Context // of every attempt; ended by giveUp
	giveUp  context.CancelFunc
	running sync.WaitGroup
}

// Bounds of attempts.
const (
	longestAttempt = 10 * time.Minute // 200 prices take less than half of it at the upstream's pace
	leavingTime    = 5 * time.Second  // how long attempts may go on when the service stops
	recordingTime  = 15 * time.Second // for writing down what came of an attempt
)

// Run tries again, until ctx ends, what was confirmed and is not settled: after a crash, a time-out or an outage. Then it
// lets attempts under way end, for a while; what is cut off is found again by the next process.
func (c *Creator) Run(ctx context.Context) {
	tick := time.NewTicker(cmp.Or(c.Poll, 2*time.Second))
	defer tick.Stop()
	defer c.end()
	for {
		due, err := c.Store.due(ctx, c.lease())
		if err != nil && ctx.Err() == nil {
			c.Log.Error("look for confirmed drafts", "error", err)
		}
		for _, id := range due {
			c.start(ctx, id)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// start makes one attempt in the service's own time and tells when it is over; attempts on one draft in this process are
// one.
func (c *Creator) start(ctx context.Context, id string) <-chan singleflight.Result {
	return c.attempts.DoChan(id, func() (any, error) {
		attempting, ok := c.enter()
		if !ok {
			return nil, nil
		}
		defer c.running.Done()
		timed, cancel := context.WithTimeout(attempting, longestAttempt)
		defer cancel()
		err := caught.Call(func() error { return c.try(timed, id) })
		if defect, ok := errors.AsType[*caught.Defect](err); ok {
			c.Log.ErrorContext(
				ctx, "creating a confirmed draft panicked", "draft", id, "panic", fmt.Sprint(defect.Panic), "stack", string(defect.Stack),
			)
		} else if err != nil {
			c.Log.WarnContext(ctx, "create a confirmed draft", "draft", id, "error", err)
		}
		return nil, err
	})
}

// enter admits an attempt, unless the service is stopping.
func (c *Creator) enter() (context.Context, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil, false
	}
	if c.base == nil {
		c.base, c.giveUp = context.WithCancel(context.Background())
	}
	c.running.Add(1)
	return c.base, true
}

func (c *Creator) end() {
	c.mu.Lock()
	c.ended = true
	giveUp := c.giveUp
	c.mu.Unlock()
	if giveUp == nil {
		return // there has been no attempt
	}
	grace := time.AfterFunc(leavingTime, giveUp)
	c.running.Wait()
	grace.Stop()
	giveUp()
}

// try takes a draft and does what is to be done with it, as long as nobody else has taken it.
func (c *Creator) try(ctx context.Context, id string) error {
	held, err := c.Store.lease(ctx, id, c.lease())
	if errors.Is(err, errUnchanged) {
		return nil // settled, or someone else is at it
	}
	if err != nil {
		return err
	}
	a := &attempt{held: held, creator: c}
	attempting, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		if caught.Logged(c.Log, "renewing a draft's lease", func() { c.renew(attempting, held, lost) }) {
			lost(errLost)
		}
	})
	came := a.write(attempting)
	lost(nil)
	renewing.Wait() // what is recorded now is not to be undone by a renewal
	return a.end(ctx, came)
}

// renew keeps the lease until ctx ends. If the lease is lost, or cannot be renewed in time, the attempt ends.
func (c *Creator) renew(ctx context.Context, h held, lost context.CancelCauseFunc) {
	tick := time.NewTicker(c.lease() / 3)
	defer tick.Stop()
	until := time.Now().Add(c.lease())
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asked := time.Now()
		err := c.Store.renew(ctx, h, c.lease())
		switch {
		case err == nil:
			until = asked.Add(c.lease())
		case errors.Is(err, errUnchanged) || !time.Now().Before(until):
			lost(errLost)
			return
		}
	}
}

// errLost ends an attempt whose lease another replica may hold by now.
var errLost = errors.New("the lease is lost")

func (c *Creator) lease() time.Duration { return cmp.Or(c.Lease, 30*time.Second) }
func (c *Creator) quiet() time.Duration { return cmp.Or(c.Quiet, 6*time.Minute) }
