package drafts

import (
	"context"
	"errors"
	"fmt"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// update brings about a draft that changes objects. PUT carries no syncId, so each object is read first: one that already
// reads as wanted was changed by an earlier attempt; one that reads as it was shown is changed now and read back; anything
// else is stale. All are looked at before the first is written, so that a draft which is stale writes nothing; one that
// becomes stale in its middle says how many changes were made.
func (a *attempt) update(ctx context.Context) error {
	there, made, err := a.lookAtAll(ctx)
	if err != nil {
		return a.partly(made, err)
	}
	if there == len(a.payload.Writes) {
		return a.readBack(ctx)
	}
	if err := a.inTime(); err != nil {
		return a.partly(made, err)
	}
	if err := a.creator.Store.sending(ctx, &a.held); err != nil {
		return err
	}
	for _, w := range a.payload.Writes {
		changed, err := a.put(ctx, w)
		if err != nil {
			a.doubt(err)
			return a.partly(made, err)
		}
		if changed {
			made++
		}
	}
	return a.readBack(ctx)
}

// lookAtAll counts the objects that read as wanted, and those of them that were shown otherwise: they were changed since. The
// error is a [*Failure] if one of the others is stale.
func (a *attempt) lookAtAll(ctx context.Context) (there, made int, err error) {
	objects, err := a.objects(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("read again what is to be changed: %w", err)
	}
	var stale error
	for _, w := range a.payload.Writes {
		o := objects[w.ID]
		otherwise := a.basis(w).holds(o)
		switch {
		case o != nil && contains(o.raw, w.Body):
			there++
			if otherwise != nil {
				made++
			}
		case stale == nil:
			stale = otherwise
		}
	}
	return there, made, stale
}

// objects are what the draft changes, as they are now.
func (a *attempt) objects(ctx context.Context) (map[string]*object, error) {
	if w := a.payload.Writes[0]; len(a.payload.Writes) == 1 {
		o, err := readObject(ctx, a.client.Client, ref{w.Kind, w.ID}, hasPositions(w.Body))
		if errors.Is(err, errGone) {
			return nil, nil
		}
		return map[string]*object{w.ID: o}, err
	}
	var refs []ref
	for _, w := range a.payload.Writes {
		refs = append(refs, ref{w.Kind, w.ID})
	}
	return present(ctx, a.client.Client, refs)
}

// basis is what a change was shown against.
func (a *attempt) basis(w Write) Basis {
	for _, b := range a.payload.Basis {
		if b.ID == w.ID {
			return b
		}
	}
	return Basis{Kind: w.Kind, ID: w.ID}
}

// put makes one change, unless it is there, if the object still reads as it was shown just now.
func (a *attempt) put(ctx context.Context, w Write) (changed bool, err error) {
	o, err := readObject(ctx, a.client.Client, ref{w.Kind, w.ID}, hasPositions(w.Body))
	if err != nil && !errors.Is(err, errGone) {
		return false, errors.Join(moysklad.ErrNotSent, err)
	}
	if o != nil && contains(o.raw, w.Body) {
		return false, nil
	}
	if err := a.basis(w).holds(o); err != nil {
		return false, errors.Join(moysklad.ErrNotSent, err)
	}
	timed, cancel := context.WithTimeout(ctx, a.creator.quiet()/2)
	defer cancel()
	if _, err := a.client.Update(timed, w.Kind, w.ID, w.Body); err != nil {
		return false, fmt.Errorf("change %s: %w", w.Kind, err)
	}
	return true, nil
}

// partly makes an end in the middle tell what was made before it. An unclear end stays unclear.
func (a *attempt) partly(made int, err error) error {
	failure := failureOf(err)
	if failure == nil || made == 0 {
		return err
	}
	return &Failure{Code: codePartly, Written: true, Upstream: failure.Upstream,
		Message: fmt.Sprintf("%s; of %d changes %d were made", failure.Message, len(a.payload.Writes), made)}
}

// readBack records the first object as the draft's document, and which of them do not read as was written.
func (a *attempt) readBack(ctx context.Context) error {
	first := a.payload.Writes[0]
	a.Document = &Document{ID: first.ID, Name: a.basis(first).Name, Href: moysklad.Href(first.Kind, first.ID)}
	objects, err := a.objects(ctx)
	if err != nil {
		return fmt.Errorf("read back what was changed: %w", err)
	}
	for _, w := range a.payload.Writes {
		switch o := objects[w.ID]; {
		case o == nil:
			a.Document.Differences = append(a.Document.Differences, a.basis(w).Name+": "+deletedSince)
		case !contains(o.raw, w.Body):
			a.Document.Differences = append(a.Document.Differences, o.Name)
		}
	}
	return nil
}
