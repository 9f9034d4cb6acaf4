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
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Upstreams gives access to the accounts of connections. Only it can return a [moysklad.Writer].
type Upstreams interface {
	// Writer returns the client of a connection's account. The error wraps [keys.ErrNotFound] if the connection has been
	// deleted.
	Writer(ctx context.Context, organizationID, connectionID string) (*moysklad.Writer, error)
	// RecordRefusal records that the upstream has refused the connection's token with the error refusal. From then on,
	// Writer returns an error until the upstream accepts the token again. If the token has been replaced in the
	// meantime, nothing is recorded.
	RecordRefusal(ctx context.Context, organizationID, connectionID string, refusal error) error
}

// Creator carries out confirmed drafts, each exactly once. To create one, set the exported fields.
type Creator struct {
	Store     *Store
	Upstreams Upstreams
	Log       *slog.Logger

	// Lease is how long a lease lasts unless it is renewed. It is also how long it takes until another replica takes
	// over from one that has died. 0 means 30 seconds.
	Lease time.Duration
	// Quiet is how long a write that was not answered may still take effect in the upstream. Until then, the write is
	// not repeated; the Creator only looks for the document. A write times out after half of this time. 0 means 6
	// minutes; the upstream's own limit is 5.
	Quiet time.Duration
	// Poll is how often the Creator looks for confirmed drafts that are not settled. 0 means 2 seconds.
	Poll time.Duration
	// Patience is how long a confirmation waits for the document. After that, it returns the draft as Confirmed. 0
	// means 10 seconds.
	Patience time.Duration

	attempts, reads singleflight.Group

	mu             sync.Mutex
	stopping       bool
	underway       int             // running attempts
	underwayAt     map[string]int  // running attempts by account
	baseContext    context.Context // parent of every attempt's context; cancelled by cancelAttempts
	cancelAttempts context.CancelFunc
	running        sync.WaitGroup
}

// Time limits.
const (
	attemptTimeout = 10 * time.Minute // limit for one attempt; at the upstream's pace, 200 prices take less than half of it
	stopGrace      = 5 * time.Second  // how long running attempts may continue when the service stops
	recordTimeout  = 15 * time.Second // limit for recording the outcome of an attempt
)

// Limits of the attempts that run at a time in this process. At an account there are few, because its writes go before its
// reads in the pace.
const (
	attemptsAtOnce     = 50
	attemptsPerAccount = 2
)

// Run makes attempts at confirmed drafts that are not settled, for example after a crash or an outage. When ctx ends,
// it waits a few seconds for running attempts. Attempts that it interrupts are continued by the next process.
func (c *Creator) Run(ctx context.Context) {
	defer c.stop()
	startDue := func(ctx context.Context) error {
		due, err := c.Store.due(ctx, c.lease())
		for _, d := range due {
			c.start(ctx, d)
		}
		return err
	}
	database.Every(ctx, cmp.Or(c.Poll, 2*time.Second), startDue, func(err error) { c.Log.Error("find the confirmed drafts", "error", err) })
}

// start begins an attempt at a draft. When the attempt is over, it sends on the channel. If no further attempt may run
// now, it sends at once, and the draft stays due. The end of ctx does not end the attempt. All callers in this process
// share one attempt at a draft.
func (c *Creator) start(ctx context.Context, d dueDraft) <-chan singleflight.Result {
	return c.attempts.DoChan(d.id, func() (any, error) {
		parent, ok := c.beginAttempt(d.accountID)
		if !ok {
			return nil, nil
		}
		defer c.endAttempt(d.accountID)
		timed, cancel := context.WithTimeout(parent, attemptTimeout)
		defer cancel()
		err := caught.Call(func() error { return c.tryOnce(timed, d.id) })
		if defect, ok := errors.AsType[*caught.Defect](err); ok {
			c.Log.ErrorContext(
				ctx, "creating a confirmed draft panicked", "draft", d.id, "panic", fmt.Sprint(defect.Panic), "stack", string(defect.Stack),
			)
		} else if err != nil {
			c.Log.WarnContext(ctx, "create a confirmed draft", "draft", d.id, "error", err)
		}
		return nil, err
	})
}

// beginAttempt counts an attempt as running and returns its parent context. It returns false if the service is stopping
// or enough attempts are running.
func (c *Creator) beginAttempt(accountID string) (context.Context, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping || c.underway == attemptsAtOnce || c.underwayAt[accountID] == attemptsPerAccount {
		return nil, false
	}
	if c.baseContext == nil {
		c.baseContext, c.cancelAttempts = context.WithCancel(context.Background())
		c.underwayAt = map[string]int{}
	}
	c.underway++
	c.underwayAt[accountID]++
	c.running.Add(1)
	return c.baseContext, true
}

func (c *Creator) endAttempt(accountID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.underway--
	if c.underwayAt[accountID]--; c.underwayAt[accountID] == 0 {
		delete(c.underwayAt, accountID)
	}
	c.running.Done()
}

// stop prevents new attempts and waits for the running ones. After stopGrace it cancels them.
func (c *Creator) stop() {
	c.mu.Lock()
	c.stopping = true
	cancel := c.cancelAttempts
	c.mu.Unlock()
	if cancel == nil {
		return // no attempt has been started
	}
	grace := time.AfterFunc(stopGrace, cancel)
	c.running.Wait()
	grace.Stop()
	cancel()
}

// tryOnce makes one attempt at a draft. It does nothing if the draft is settled or another replica has the lease.
func (c *Creator) tryOnce(ctx context.Context, id string) error {
	leased, err := c.Store.lease(ctx, id, c.lease())
	if errors.Is(err, errUnchanged) {
		return nil
	}
	if err != nil {
		return err
	}
	a := &attempt{leasedDraft: leased, creator: c}
	attempting, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		if caught.Logged(c.Log, "renewing a draft's lease", func() { c.renew(attempting, leased, lost) }) {
			lost(errLeaseLost)
		}
	})
	outcome := a.write(attempting)
	lost(nil)
	renewing.Wait() // a late renewal must not overwrite what is recorded below
	return a.finish(ctx, outcome)
}

// renew renews the lease until ctx ends. If another replica has the lease, or it cannot be renewed in time, renew calls
// lost, which ends the attempt.
func (c *Creator) renew(ctx context.Context, h leasedDraft, lost context.CancelCauseFunc) {
	tick := time.NewTicker(c.lease() / 3)
	defer tick.Stop()
	until := time.Now().Add(c.lease())
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		sentAt := time.Now()
		err := c.Store.renew(ctx, h, c.lease())
		switch {
		case err == nil:
			until = sentAt.Add(c.lease())
		case errors.Is(err, errUnchanged) || !time.Now().Before(until):
			lost(errLeaseLost)
			return
		}
	}
}

// errLeaseLost ends an attempt if another replica may already hold its lease.
var errLeaseLost = errors.New("the lease is lost")

func (c *Creator) lease() time.Duration { return cmp.Or(c.Lease, 30*time.Second) }
func (c *Creator) quiet() time.Duration { return cmp.Or(c.Quiet, 6*time.Minute) }
