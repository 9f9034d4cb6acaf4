package drafts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// attempt tries once to bring a confirmed draft to its end. What it cannot settle stays confirmed and is tried again.
func (c *Creator) attempt(ctx context.Context, organizationID, id string) error {
	fence, err := c.Store.lease(ctx, id, orElse(c.Lease, 6*time.Minute))
	if errors.Is(err, errUnchanged) {
		return nil // settled, or someone else is at it
	}
	if err != nil {
		return err
	}
	d, err := c.Store.Get(ctx, organizationID, id)
	if err != nil {
		return err
	}
	err = c.write(ctx, &d, fence > 1)
	if d.Failure = failureOf(err); err != nil && d.Failure == nil {
		if later := c.Store.release(ctx, id, fence, backoff(fence)); later != nil {
			return errors.Join(err, later)
		}
		return err
	}
	d.State = Created
	if d.Failure != nil {
		d.State = Failed
	}
	if err := c.Store.settle(ctx, d, fence); !errors.Is(err, errUnchanged) {
		return err
	}
	return nil // the lease ran out meanwhile: whoever has it now finds the document by its syncId
}

// write brings about what the draft stands for. Again says that an earlier attempt may have done so already.
func (c *Creator) write(ctx context.Context, d *Draft, again bool) error {
	client, err := c.Upstreams.Upstream(ctx, d.organizationID, d.ConnectionID)
	if err != nil {
		return err
	}
	if d.payload.Writes[0].ID != "" {
		return c.update(ctx, client, d)
	}
	w := d.payload.Writes[0]
	if again {
		found, ok, err := client.FindBySyncID(ctx, w.Kind, d.syncID)
		if err != nil {
			return fmt.Errorf("look for the document: %w", err)
		}
		if ok {
			return d.created(w, found)
		}
	}
	if err := fresh(ctx, client, d.payload.Basis); err != nil {
		return err
	}
	body, err := withSyncID(w.Body, d.syncID)
	if err != nil {
		return err
	}
	document, err := client.Create(ctx, w.Kind, body)
	if err != nil {
		return fmt.Errorf("create the document: %w", err)
	}
	return d.created(w, document)
}

func withSyncID(body json.RawMessage, syncID string) (json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, fmt.Errorf("read the draft's document: %w", err)
	}
	fields["syncId"] = json.RawMessage(`"` + syncID + `"`)
	return json.Marshal(fields)
}

// links are what a document's body and its echo are compared by.
type links struct {
	Applicable                                           bool
	Organization, Agent, Store, SourceStore, TargetStore *moysklad.Ref
}

// created records the document, and where its echo is not what was sent: the upstream drops what it does not know and
// answers a used syncId with the older document.
func (d *Draft) created(w Write, document moysklad.Document) error {
	var sent links
	if err := json.Unmarshal(w.Body, &sent); err != nil {
		return fmt.Errorf("read the draft's document: %w", err)
	}
	d.Document = &Document{ID: document.ID, Name: document.Name, Href: document.Meta.Href}
	differs := func(field string, same bool) {
		if !same {
			d.Document.Differences = append(d.Document.Differences, field)
		}
	}
	differs("deleted upstream since", document.Deleted == nil)
	differs("applicable", document.Applicable == sent.Applicable)
	differs("agent", sent.Agent.ID() == document.Agent.ID())
	differs("organization", sent.Organization.ID() == document.Organization.ID())
	differs("store", sent.Store.ID() == "" || sent.Store.ID() == document.Store.ID())
	differs("sourceStore", sent.SourceStore.ID() == document.SourceStore.ID())
	differs("targetStore", sent.TargetStore.ID() == document.TargetStore.ID())
	if money := d.payload.Totals.Money; money != nil {
		differs("sum", document.Sum.Shift(-2).Round(2).Equal(money.Decimal()))
	}
	if document.Positions != nil {
		differs("positions", document.Positions.Meta.Size == d.payload.Totals.Lines)
	}
	return nil
}

// failureOf is what definitely came of an attempt, or nil when that is unclear and must be tried again. A refused token
// is not definite: the draft waits for the connection to heal.
func failureOf(err error) *Failure {
	var stale *StaleError
	var refused *moysklad.Error
	switch {
	case errors.As(err, &stale):
		return &Failure{Code: codeStale, Message: stale.What}
	case errors.Is(err, keys.ErrNotFound):
		return &Failure{Code: codeGone, Message: "the connection that the draft was made for has been deleted"}
	case errors.As(err, &refused) && (errors.Is(err, moysklad.ErrRejected) || errors.Is(err, moysklad.ErrPermission)):
		return &Failure{
			Code:     codeRejected,
			Message:  "the upstream refused the document: " + refused.Text,
			Upstream: &Upstream{Code: refused.Code, Text: refused.Text, Parameter: refused.Parameter},
		}
	default:
		return nil
	}
}

// backoff is how long to wait after an unclear attempt: doubling from a second to five minutes, with full jitter.
func backoff(attempt int64) time.Duration {
	ceiling := min(time.Second<<min(attempt-1, 9), 5*time.Minute)
	return ceiling/2 + rand.N(ceiling/2)
}
