package drafts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// attempt is one try at a confirmed draft, under its lease.
type attempt struct {
	held
	creator *Creator
	client  *moysklad.Writer
}

// write brings about what the draft stands for. A nil error means that it is there; one that is or has a [*Failure], that
// it will not be; any other, that it must be tried again.
func (a *attempt) write(ctx context.Context) error {
	if digest, err := digestOf(a.Draft); err != nil || digest != a.Digest {
		return &Failure{Code: codeAltered, Message: "the stored draft is not what its digest stands for", Written: a.mayBeWritten()}
	}
	var err error
	if a.client, err = a.creator.Upstreams.Writer(ctx, a.organizationID, a.ConnectionID); err != nil {
		return err
	}
	if a.payload.Writes[0].ID != "" {
		return a.update(ctx)
	}
	return a.create(ctx, a.payload.Writes[0])
}

// create makes the document, or finds it made by an earlier attempt. A write whose outcome is unknown is not repeated
// while the upstream may still be at it: whether it takes two with one syncId at the same time for one is not documented.
func (a *attempt) create(ctx context.Context, w Write) error {
	if a.mayBeWritten() {
		found, ok, err := a.client.FindBySyncID(ctx, w.Kind, a.syncID)
		if err != nil {
			return fmt.Errorf("look for the document: %w", err)
		}
		if ok {
			return a.created(ctx, w, found)
		}
		if a.mayLand() {
			return errors.New("the document is not there, and the upstream may still be creating it")
		}
		a.sent = time.Time{}
	}
	if err := a.inTime(); err != nil {
		return err
	}
	if err := fresh(ctx, a.client.Client, a.payload.Basis); err != nil {
		return err
	}
	body, err := withSyncID(w.Body, a.syncID)
	if err != nil {
		return err
	}
	if err := a.creator.Store.sending(ctx, &a.held); err != nil {
		return err
	}
	timed, cancel := context.WithTimeout(ctx, a.creator.quiet()/2)
	defer cancel()
	document, err := a.client.Create(timed, w.Kind, body)
	if err != nil {
		a.doubt(err)
		return fmt.Errorf("create the document: %w", err)
	}
	return a.created(ctx, w, document)
}

// mayBeWritten: an earlier write's outcome is unknown.
func (a *attempt) mayBeWritten() bool { return !a.sent.IsZero() }

// mayLand: the upstream may still be at an earlier write. One that is repeated now could take effect twice, the second time
// over what somebody has changed in between.
func (a *attempt) mayLand() bool {
	return a.mayBeWritten() && a.creator.Store.now().Before(a.sent.Add(a.creator.quiet()))
}

// inTime fails a draft that could not be created for as long as a draft lives: who confirmed it may have done without.
func (a *attempt) inTime() error {
	if a.ConfirmedAt == nil || a.creator.Store.now().Before(a.ConfirmedAt.Add(a.creator.Store.ttl)) {
		return nil
	}
	return &Failure{Code: codeLate, Message: fmt.Sprintf("it could not be created within %s of its confirmation", a.creator.Store.ttl)}
}

// doubt notes what a write that failed may have done: nothing if it did not leave or was refused; its effect can be seen
// at once if the upstream has ended it; else it may still be going on.
func (a *attempt) doubt(err error) {
	var answered *moysklad.Error
	errors.As(err, &answered)
	switch {
	case errors.Is(err, moysklad.ErrNotSent), errors.Is(err, moysklad.ErrTokenRefused), refusal(err) != nil,
		answered != nil && answered.Status == http.StatusTooManyRequests:
		a.sent = time.Time{}
	case answered != nil && answered.Status != http.StatusBadGateway && answered.Status != http.StatusGatewayTimeout:
		a.sent = a.sent.Add(-a.creator.quiet())
	}
}

// end records what came of the attempt: the document, the failure, or when to try again.
func (a *attempt) end(ctx context.Context, came error) error {
	c := a.creator
	if errors.Is(came, errUnchanged) {
		return nil // someone else holds the draft by now, and finds what was done
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordingTime)
	defer cancel()
	if errors.Is(came, moysklad.ErrTokenRefused) {
		if err := c.Upstreams.Refused(ctx, a.organizationID, a.ConnectionID, came); err != nil {
			came = errors.Join(came, err)
		}
	}
	a.Failure = failureOf(came)
	if came != nil && a.Failure == nil {
		return errors.Join(came, c.Store.release(ctx, a.held, backoff(a.fence)))
	}
	a.State = Created
	if a.Failure != nil {
		a.State, a.Document = Failed, nil
		if a.mayBeWritten() && !a.Failure.Written {
			a.Failure = &Failure{Code: codeUnknown, Written: true, Upstream: a.Failure.Upstream,
				Message: a.Failure.Message + "; whether an earlier attempt had written it could not be found out: look upstream"}
		}
	}
	return a.settle(ctx)
}

// settle records the outcome, again and again while the database is away.
func (a *attempt) settle(ctx context.Context) error {
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		err := a.creator.Store.settle(ctx, a.held)
		if err == nil || errors.Is(err, errUnchanged) {
			return nil // recorded, or whoever has the lease now finds the document by its syncId
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

func withSyncID(body json.RawMessage, syncID string) (json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, fmt.Errorf("read the draft's document: %w", err)
	}
	fields["syncId"] = json.RawMessage(`"` + syncID + `"`)
	return json.Marshal(fields)
}

// backoff is how long to wait after an unclear attempt: doubling from a second to longestWait, half of it at random.
func backoff(attempt int64) time.Duration {
	ceiling := min(time.Second<<min(attempt-1, 9), longestWait)
	return ceiling/2 + rand.N(ceiling/2)
}

const longestWait = 5 * time.Minute
