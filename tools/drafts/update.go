package drafts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// update brings about the writes of a draft that changes objects. PUT carries no syncId, so each object is read first:
// one that already reads as wanted was changed by an earlier attempt; one that reads as it was shown is changed now and
// read back; anything else is stale. All are looked at before the first is written, so that a draft which is stale writes
// nothing; one that becomes stale in its middle says how many changes were made.
func (c *Creator) update(ctx context.Context, client *moysklad.Client, d *Draft) error {
	for _, w := range d.payload.Writes {
		if _, _, err := look(ctx, client, d, w); err != nil {
			return err
		}
	}
	for i, w := range d.payload.Writes {
		if err := put(ctx, client, d, w); err != nil {
			var stale *StaleError
			if i > 0 && errors.As(err, &stale) {
				return &StaleError{fmt.Sprintf("%s; of %d changes the first %d were made", stale.What, len(d.payload.Writes), i)}
			}
			return err
		}
	}
	return nil
}

// look reads an object: done if it reads as wanted, else unchanged since it was shown, else the error is a [*StaleError].
func look(ctx context.Context, client *moysklad.Client, d *Draft, w Write) (o object, done bool, err error) {
	if o, err = readObject(ctx, client, w.Kind, w.ID); err != nil {
		return o, false, fmt.Errorf("read %s again: %w", w.Kind, err)
	}
	if contains(o.raw, w.Body) {
		return o, true, nil
	}
	for _, b := range d.payload.Basis {
		if now := o.field(b.Field); b.ID == w.ID && now != b.Value {
			return o, false, b.stale(now)
		}
	}
	return o, false, nil
}

func put(ctx context.Context, client *moysklad.Client, d *Draft, w Write) error {
	o, done, err := look(ctx, client, d, w)
	if err != nil {
		return err
	}
	if !done {
		if _, err := client.Update(ctx, w.Kind, w.ID, w.Body); err != nil {
			return fmt.Errorf("change %s: %w", w.Kind, err)
		}
		if o, err = readObject(ctx, client, w.Kind, w.ID); err != nil {
			return fmt.Errorf("read %s back: %w", w.Kind, err)
		}
	}
	if d.Document == nil {
		d.Document = &Document{ID: w.ID, Name: o.Name, Href: moysklad.Href(w.Kind, w.ID)}
	}
	if !contains(o.raw, w.Body) {
		d.Document.Differences = append(d.Document.Differences, o.Name)
	}
	return nil
}

// contains reports whether everything that wanted sets reads so in held: fields of objects by name, elements of lists by
// any element that contains them (the upstream merges prices by type and keeps the others), links by their href, numbers
// by value.
func contains(held, wanted json.RawMessage) bool {
	var fields, heldFields map[string]json.RawMessage
	if json.Unmarshal(wanted, &fields) == nil && fields != nil {
		if json.Unmarshal(held, &heldFields) != nil {
			return false
		}
		if href, link := fields["href"]; link {
			return bytes.Equal(href, heldFields["href"])
		}
		for name, value := range fields {
			if !contains(heldFields[name], value) {
				return false
			}
		}
		return true
	}
	var list, heldList []json.RawMessage
	if json.Unmarshal(wanted, &list) == nil && list != nil {
		if json.Unmarshal(held, &heldList) != nil {
			return false
		}
		return !slices.ContainsFunc(list, func(element json.RawMessage) bool {
			return !slices.ContainsFunc(heldList, func(h json.RawMessage) bool { return contains(h, element) })
		})
	}
	return sameScalar(held, wanted)
}

func sameScalar(a, b json.RawMessage) bool {
	x, errX := decimal.NewFromString(string(a))
	y, errY := decimal.NewFromString(string(b))
	if errX == nil && errY == nil {
		return x.Equal(y)
	}
	var s, t any
	return json.Unmarshal(a, &s) == nil && json.Unmarshal(b, &t) == nil && s == t
}
