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

// attempt is one attempt to carry out a confirmed draft. It holds the lease of the draft.
type attempt struct {
	leasedDraft
	creator *Creator
	client  *moysklad.Writer
}

// write carries out the draft. It returns nil if the draft has been carried out. If [failureOf] finds a [*Failure] in
// the error, the draft has failed. After any other error the draft must be tried again.
func (a *attempt) write(ctx context.Context) error {
	digest, err := digestOf(a.Draft)
	if err != nil || digest != a.Digest {
		return a.altered()
	}
	if a.client, err = a.creator.Upstreams.Writer(ctx, a.organizationID, a.ConnectionID); err != nil {
		return err
	}
	if a.client.AccountID != a.AccountID { // the digest covers the account, but not the connection
		return a.altered()
	}
	if a.content.Writes[0].ID != "" {
		return a.update(ctx)
	}
	return a.create(ctx, a.content.Writes[0])
}

// altered returns the failure of a draft that somebody has altered in the database.
func (a *attempt) altered() *Failure {
	failure := newFailure(codeAltered, wasAltered.Of())
	failure.Written = a.outcomeUnknown()
	return failure
}

// create creates the document, or finds the one that an earlier attempt has created. If the outcome of an earlier write
// is unknown, it does not repeat the write as long as the upstream may still be processing it. The documentation does
// not say what happens to two simultaneous requests with the same syncId.
func (a *attempt) create(ctx context.Context, w Write) error {
	if a.outcomeUnknown() {
		found, ok, err := a.client.FindBySyncID(ctx, w.Kind, a.syncID)
		if err != nil {
			return fmt.Errorf("look for the document: %w", err)
		}
		if ok {
			return a.created(ctx, w, found)
		}
		if a.mayTakeEffect() {
			return errors.New("the document does not exist yet, but the upstream may still be creating it")
		}
		a.sent = time.Time{}
	}
	if err := a.checkDeadline(); err != nil {
		return err
	}
	if err := checkBasis(ctx, a.client.Client, a.content.Basis); err != nil {
		return err
	}
	body, err := withSyncID(w.Body, a.syncID)
	if err != nil {
		return err
	}
	if err := a.creator.Store.recordSending(ctx, &a.leasedDraft); err != nil {
		return err
	}
	timed, cancel := context.WithTimeout(ctx, a.creator.quiet()/2)
	defer cancel()
	document, err := a.client.Create(timed, w.Kind, body)
	if err != nil {
		a.noteFailedWrite(err)
		return fmt.Errorf("create the document: %w", err)
	}
	return a.created(ctx, w, document)
}

// outcomeUnknown reports whether there was an earlier write with an unknown outcome.
func (a *attempt) outcomeUnknown() bool { return !a.sent.IsZero() }

// mayTakeEffect reports whether the upstream may still be processing an earlier write. If the write were repeated now,
// it could be applied twice, and the second time could overwrite a change that somebody has made in between.
func (a *attempt) mayTakeEffect() bool {
	return a.outcomeUnknown() && a.now().Before(a.sent.Add(a.creator.quiet()))
}

// checkDeadline returns a [*Failure] if the draft was confirmed longer ago than the lifetime of a draft. By then, the
// person may no longer want it.
func (a *attempt) checkDeadline() error {
	if a.ConfirmedAt == nil || a.now().Before(a.ConfirmedAt.Add(a.creator.Store.ttl)) {
		return nil
	}
	return newFailure(codeExpired, tookTooLong.Of(a.creator.Store.ttl.Hours()))
}

// noteFailedWrite records what a failed write may have done. If it was not sent or was refused, it has done nothing. If
// the upstream answered with another error, reading the object shows at once what it has done. Otherwise it may still
// take effect later.
func (a *attempt) noteFailedWrite(err error) {
	answered, ok := errors.AsType[*moysklad.Error](err)
	switch {
	case errors.Is(err, moysklad.ErrNotSent), errors.Is(err, moysklad.ErrTokenRefused), refusal(err) != nil,
		ok && answered.Status == http.StatusTooManyRequests:
		a.sent = time.Time{}
	case ok && answered.Status != http.StatusBadGateway && answered.Status != http.StatusGatewayTimeout:
		a.sent = a.sent.Add(-a.creator.quiet())
	}
}

// finish records the outcome of the attempt: the document, the failure, or the time of the next attempt.
func (a *attempt) finish(ctx context.Context, outcome error) error {
	c := a.creator
	if errors.Is(outcome, errUnchanged) {
		return nil // another replica has the lease now, and will find what was done
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	if errors.Is(outcome, moysklad.ErrTokenRefused) {
		if err := c.Upstreams.RecordRefusal(ctx, a.organizationID, a.ConnectionID, outcome); err != nil {
			outcome = errors.Join(outcome, err)
		}
	}
	a.Failure = failureOf(outcome)
	if outcome != nil && a.Failure == nil {
		return errors.Join(outcome, c.Store.release(ctx, a.leasedDraft, a.untilNext()))
	}
	a.State = Created
	if a.Failure != nil {
		a.State, a.Document = Failed, nil
		if a.outcomeUnknown() && !a.Failure.Written {
			a.Failure.Code, a.Failure.Written, a.Failure.Changes = codeUnknown, true, nil
			a.Failure.add(mayBeWritten.Of())
		}
	}
	return a.settle(ctx)
}

// settle records the outcome. If the database is unavailable, it retries until ctx ends.
func (a *attempt) settle(ctx context.Context) error {
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		err := a.creator.Store.settle(ctx, a.leasedDraft)
		if err == nil || errors.Is(err, errUnchanged) {
			return nil // recorded; or another replica has the lease now, and will find the document by its syncId
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

// untilNext returns how long to wait until the next attempt: no longer than an earlier write may take effect, because then
// the draft can go on.
func (a *attempt) untilNext() time.Duration {
	wait := backoff(a.fence)
	if a.mayTakeEffect() {
		wait = min(wait, a.sent.Add(a.creator.quiet()).Sub(a.now()))
	}
	return wait
}

// backoff returns how long to wait after an attempt whose outcome is unknown. The wait doubles from one second up to
// maxBackoff; half of it is random.
func backoff(attempt int64) time.Duration {
	ceiling := min(time.Second<<min(attempt-1, 9), maxBackoff)
	return ceiling/2 + rand.N(ceiling/2)
}

const maxBackoff = 5 * time.Minute
