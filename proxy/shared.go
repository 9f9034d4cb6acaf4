package proxy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/schemas/caught"
)

// patienceWithRetries is how long the work for a client that left goes on, if the client is one that repeats requests by
// itself: OpenAI's do so after half a second. With watchAfter it is below the second in which the work for a client that
// left must end.
const patienceWithRetries = 800 * time.Millisecond

// retryHeader is how OpenAI's clients number the tries of one request, from 0.
const retryHeader = "X-Stainless-Retry-Count"

// sharing finds the run that a repeated request belongs to.
type sharing struct {
	patience time.Duration // of runs that may be joined

	mu   sync.Mutex
	runs map[string]*run
}

// run is an agent's run. Any number of requests follow it, each from its first event; it ends soon after the last of them
// has left.
type run struct {
	sharing  *sharing
	key      string        // in sharing; empty: it is not shared
	patience time.Duration // with which the next follower is waited for
	ctx      context.Context
	cancel   context.CancelCauseFunc

	mu        sync.Mutex
	events    []agent.Event
	err       error
	over      bool
	more      chan struct{} // closed when there is more
	followers int
}

// follower is one request's reading of a run.
type follower struct {
	*run
	at int // the next event
}

// follow gives the run that answers a request: that of its earlier try, if this is a retry and there is one, which is then joined,
// or a new one, of which events are made in the background.
func (s *Server) follow(r *request, events func(context.Context) iter.Seq2[agent.Event, error]) (f *follower, joined bool) {
	key, retry := r.repeated()
	s.sharing.mu.Lock()
	defer s.sharing.mu.Unlock()
	if earlier := s.sharing.runs[key]; retry && earlier != nil && !earlier.failed() {
		return earlier.join(), true
	}
	fresh := &run{sharing: &s.sharing, key: key, more: make(chan struct{})}
	if key != "" {
		fresh.patience = s.sharing.patience
		if s.sharing.runs == nil {
			s.sharing.runs = map[string]*run{}
		}
		s.sharing.runs[key] = fresh
	}
	fresh.ctx, fresh.cancel = context.WithCancelCause(trace.ContextWithSpan(s.bounded(), r.span))
	s.running.start()
	go func() {
		defer s.running.finish()
		defer fresh.cancel(nil)
		fresh.read(events(fresh.ctx))
	}()
	return fresh.join(), false
}

// repeated returns the name that a request shares with its retries, empty if its client numbers no tries, and whether this is
// a retry.
func (r *request) repeated() (key string, retry bool) {
	number, err := strconv.Atoi(string(r.fast.Request.Header.Peek(retryHeader)))
	if err != nil {
		return "", false
	}
	sum := sha256.New()
	for _, part := range []string{
		r.caller.OrganizationID, r.caller.KeyID, r.path(), string(r.fast.Request.Header.Peek("X-Session-Id")),
		string(r.fast.Request.Header.Peek("X-Connection-Id")), string(r.fast.PostBody()),
	} {
		sum.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return hex.EncodeToString(sum.Sum(nil)), number > 0
}

// read takes the events in. A panic becomes the run's error.
func (r *run) read(events iter.Seq2[agent.Event, error]) {
	err := errors.New("the agent's run ended without Finished")
	defer func() {
		if v := recover(); v != nil {
			err = &caught.Defect{Panic: v, Stack: debug.Stack()}
		}
		if err != nil && r.ctx.Err() != nil {
			err = endedProblem(r.ctx).because(err)
		}
		r.add(nil, err)
	}()
	for event, failed := range events {
		if failed != nil {
			err = failed
			return
		}
		if _, last := event.(agent.Finished); last {
			err = nil
		}
		r.add(event, nil)
	}
}

// add gives the followers an event, or the end.
func (r *run) add(event agent.Event, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if event != nil {
		r.events = append(r.events, event)
	} else {
		r.over, r.err = true, err
	}
	close(r.more)
	r.more = make(chan struct{})
}

// failed reports whether a retry must try again.
func (r *run) failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil
}

func (r *run) join() *follower {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followers++
	return &follower{run: r}
}

// leave ends the following, and the run if nobody follows it any more.
func (f *follower) leave() {
	f.mu.Lock()
	f.followers--
	f.mu.Unlock()
	if f.patience == 0 {
		f.end()
		return
	}
	time.AfterFunc(f.patience, f.end)
}

// end ends a run that nobody follows.
func (r *run) end() {
	r.sharing.mu.Lock()
	defer r.sharing.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.followers > 0 {
		return
	}
	if r.sharing.runs[r.key] == r {
		delete(r.sharing.runs, r.key)
	}
	r.cancel(errLeft)
}

// errSilence: no event came for a while.
var errSilence = errors.New("no event came")

// next waits for the next event, or for silence, which is [errSilence]; none comes after the last or an error. ctx is that of
// the request that follows.
func (f *follower) next(ctx context.Context, silence <-chan time.Time) (agent.Event, error) {
	for {
		f.mu.Lock()
		event, err, over, more := agent.Event(nil), f.err, f.over, f.more
		if f.at < len(f.events) {
			event = f.events[f.at]
			f.at++
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

// ready reports whether the next event, or the end, is there already.
func (f *follower) ready() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at < len(f.events) || f.over
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

// rest are the other events. An error is the last pair.
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
