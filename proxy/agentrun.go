package proxy

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/proxy/clients"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/caught"
)

// retryGrace is how long a run continues after its client has disconnected, so that a retry can join it. It applies only to
// clients that retry by themselves. OpenAI's clients retry after half a second. Work for a lost client must end within a
// second, so [clients.WatchDelay] plus retryGrace is less than that.
const retryGrace = 800 * time.Millisecond

// retryHeader is the header in which OpenAI's clients number the attempts of a request, starting at 0.
const retryHeader = "X-Stainless-Retry-Count"

// sharedRuns finds the run that a retry can join.
type sharedRuns struct {
	grace time.Duration // how long a shared run waits for a retry

	mu   sync.Mutex
	runs map[string]*agentRun
}

// agentRun is a run of the agent. Any number of requests can follow it, and each gets all events from the first. The run is
// cancelled soon after the last follower has left.
type agentRun struct {
	shared *sharedRuns
	key    string        // in shared.runs; empty if no retry can join this run
	grace  time.Duration // how long to wait for another follower
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu        sync.Mutex
	events    []agent.Event
	err       error
	ended     bool
	changed   chan struct{} // closed on each change
	followers int
}

// follower reads a run for one request.
type follower struct {
	*agentRun
	index int // of the next event to return
}

// followRun returns the run that answers a request. A retry joins the run of its earlier attempt, if that still exists.
// Otherwise a new run starts in the background.
func (s *Server) followRun(r *request, events func(context.Context) iter.Seq2[agent.Event, error]) (f *follower, joined bool) {
	key, retry := r.retryKey()
	s.sharedRuns.mu.Lock()
	defer s.sharedRuns.mu.Unlock()
	if earlier := s.sharedRuns.runs[key]; retry && earlier != nil && !earlier.failed() {
		return earlier.join(), true
	}
	fresh := &agentRun{shared: &s.sharedRuns, key: key, changed: make(chan struct{})}
	if key != "" {
		fresh.grace = s.sharedRuns.grace
		s.sharedRuns.runs[key] = fresh
	}
	limited, end := context.WithTimeout(s.baseContext, s.cfg.Deadline)
	fresh.ctx, fresh.cancel = context.WithCancelCause(trace.ContextWithSpan(limited, r.span))
	s.running.start()
	go func() {
		defer s.running.finish()
		defer end()
		defer fresh.cancel(nil)
		fresh.consume(events(fresh.ctx))
	}()
	return fresh.join(), false
}

// retryKey returns a key that is the same for a request and its retries, and whether this is a retry. The key is "" if the
// client does not number its attempts.
func (r *request) retryKey() (key string, retry bool) {
	number, err := strconv.Atoi(string(r.fast.Request.Header.Peek(retryHeader)))
	if err != nil {
		return "", false
	}
	session := r.fast.Request.Header.Peek("X-Session-Id")
	return fmt.Sprintf("%s %s %q %x", r.caller.OrganizationID, r.caller.KeyID, session, r.hash()), number > 0
}

// consume appends the events to the run until they end. A panic becomes the run's error.
func (r *agentRun) consume(events iter.Seq2[agent.Event, error]) {
	err := errors.New("the agent's run ended without Finished")
	defer func() {
		if err != nil && r.ctx.Err() != nil {
			err = problem.Ended(r.ctx).WithCause(err)
		}
		r.add(nil, err)
	}()
	defer caught.Into(&err)
	for event, eventErr := range events {
		if eventErr != nil {
			err = eventErr
			return
		}
		if _, last := event.(agent.Finished); last {
			err = nil
		}
		r.add(event, nil)
	}
}

// add appends an event, or ends the run if event is nil.
func (r *agentRun) add(event agent.Event, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if event != nil {
		r.events = append(r.events, event)
	} else {
		r.ended, r.err = true, err
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

// failed reports whether the run has ended with an error, so that a retry must start a new one.
func (r *agentRun) failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil
}

func (r *agentRun) join() *follower {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followers++
	return &follower{agentRun: r}
}

// leave stops following the run. If this was the last follower, the run is cancelled after the grace period.
func (f *follower) leave() {
	f.mu.Lock()
	f.followers--
	f.mu.Unlock()
	if f.grace == 0 {
		f.cancelIfAbandoned()
		return
	}
	time.AfterFunc(f.grace, f.cancelIfAbandoned)
}

// cancelIfAbandoned cancels a run that has no followers.
func (r *agentRun) cancelIfAbandoned() {
	r.shared.mu.Lock()
	defer r.shared.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.followers > 0 {
		return
	}
	if r.shared.runs[r.key] == r {
		delete(r.shared.runs, r.key)
	}
	r.cancel(clients.ErrLeft)
}

// errSilence means that no event came for a while.
var errSilence = errors.New("no event came")

// next waits for the next event. It returns nil after the last event, and [errSilence] if silence fires first. ctx is the
// context of the request that follows the run.
func (f *follower) next(ctx context.Context, silence <-chan time.Time) (agent.Event, error) {
	for {
		f.mu.Lock()
		event, err, over, more := agent.Event(nil), f.err, f.ended, f.changed
		if f.index < len(f.events) {
			event = f.events[f.index]
			f.index++
		}
		f.mu.Unlock()
		switch {
		case event != nil:
			return event, nil
		case over:
			return nil, err
		}
		select {
		case <-more:
		case <-silence:
			return nil, errSilence
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// ready reports whether next would return at once.
func (f *follower) ready() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.index < len(f.events) || f.ended
}

// begin reads the first event.
func (f *follower) begin(ctx context.Context) (agent.Started, error) {
	event, err := f.next(ctx, nil)
	if err != nil {
		return agent.Started{}, err
	}
	started, ok := event.(agent.Started)
	if !ok {
		return agent.Started{}, errors.New("the agent's run did not begin with Started")
	}
	return started, nil
}

// rest yields the remaining events. If the run fails, the last pair contains its error.
func (f *follower) rest(ctx context.Context) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for {
			event, err := f.next(ctx, nil)
			if event == nil && err == nil || !yield(event, err) || err != nil {
				return
			}
		}
	}
}
