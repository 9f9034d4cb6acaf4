package drafts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// update brings about a draft that changes objects. PUT carries no syncId and asks no condition of what it overwrites, so
// each object is read right before: one that already reads as wanted was changed by an earlier attempt; one that reads as
// it was shown is changed now and read back; any other is left as it is. All are looked at before the first is written, so
// that a draft which is stale writes nothing. Once something is written, what can be still is, and what cannot is named.
func (a *attempt) update(ctx context.Context) error {
	left, done, stale, err := a.lookAtAll(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("read again what is to be changed: %w", err)
	case stale != nil && len(done) == 0:
		return stale
	case len(left) == 0:
		a.readBack(ctx)
		return nil
	}
	if a.mayLand() {
		return errors.New("a change is not there, and the upstream may still be making it")
	}
	if stale == nil {
		a.sent = time.Time{} // all that earlier attempts may have changed is accounted for
	}
	became := map[string]ChangeState{}
	for _, w := range done {
		became[w.ID] = Made
	}
	if err := a.inTime(); err != nil {
		return a.partly(became, err)
	}
	return a.putAll(ctx, left, became)
}

// lookAtAll tells the changes that are to be made still from those that have been made since the draft was shown. The last
// error is a [*Failure] that tells which of those left reads otherwise than it was shown, nil if none does.
func (a *attempt) lookAtAll(ctx context.Context) (left, done []Write, stale, err error) {
	objects, err := a.objects(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, w := range a.payload.Writes {
		o := objects[w.ID]
		otherwise := a.basis(w).holds(o)
		switch {
		case o == nil || !contains(o.raw, w.Body):
			left = append(left, w)
			if stale == nil {
				stale = otherwise
			}
		case otherwise != nil:
			done = append(done, w)
		}
	}
	return left, done, stale, nil
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

// putAll makes what is left of the changes, and notes what became of each. One that is refused, or whose object reads
// otherwise by now, keeps no other from being made; that the employee may not change anything does.
func (a *attempt) putAll(ctx context.Context, left []Write, became map[string]ChangeState) error {
	var first error
	for _, w := range left {
		err := a.put(ctx, w)
		failure := failureOf(err)
		switch {
		case err == nil:
			became[w.ID] = Made
			continue
		case failure == nil:
			return err
		case failure.Code == codeStale:
			became[w.ID] = ChangedMeanwhile
		default:
			became[w.ID] = Refused
		}
		if first == nil {
			first = err
		}
		if errors.Is(err, moysklad.ErrPermission) {
			break
		}
	}
	if first != nil {
		return a.partly(became, first)
	}
	a.readBack(ctx)
	return nil
}

// put makes one change, unless it is there, if the object still reads as it was shown just now.
func (a *attempt) put(ctx context.Context, w Write) error {
	before := a.sent
	// Noted before the reading, so that nothing but the pace comes between that and the writing.
	if err := a.creator.Store.sending(ctx, &a.held); err != nil {
		return err
	}
	left, err := a.putOne(ctx, w)
	switch {
	case !left:
		a.sent = before
	case err == nil:
		a.sent = a.sent.Add(-a.creator.quiet()) // it can be seen at once
	default:
		if a.doubt(err); !a.mayBeWritten() {
			a.sent = before
		}
	}
	return err
}

// putOne says whether a write has left, or may have.
func (a *attempt) putOne(ctx context.Context, w Write) (left bool, err error) {
	o, err := readObject(ctx, a.client.Client, ref{w.Kind, w.ID}, hasPositions(w.Body))
	if err != nil && !errors.Is(err, errGone) {
		return false, fmt.Errorf("read again what is to be changed: %w", err)
	}
	if o != nil && contains(o.raw, w.Body) {
		return false, nil
	}
	if err := a.basis(w).holds(o); err != nil {
		return false, err
	}
	timed, cancel := context.WithTimeout(ctx, a.creator.quiet()/2)
	defer cancel()
	if _, err := a.client.Update(timed, w.Kind, w.ID, w.Body); err != nil {
		return true, fmt.Errorf("change %s: %w", w.Kind, err)
	}
	return true, nil
}

// partly makes an end in the middle tell what has been made all the same, and what has not.
func (a *attempt) partly(became map[string]ChangeState, err error) error {
	failure, made := *failureOf(err), 0
	for _, w := range a.payload.Writes {
		state := became[w.ID]
		if state == Made {
			made++
		}
		failure.Changes = append(failure.Changes, Change{w.ID, a.basis(w).Name, cmp.Or(state, NotMade)})
	}
	switch {
	case len(a.payload.Writes) == 1:
		failure.Changes = nil
	case made > 0:
		failure.Code, failure.Written = codePartly, true
		failure.Message = fmt.Sprintf("%s; of %d changes %d were made", failure.Message, len(a.payload.Writes), made)
	}
	return &failure
}

// readBack records the first object as the draft's document, and which of them do not read as was written. What is changed
// stays so if it cannot be read back.
func (a *attempt) readBack(ctx context.Context) {
	first := a.payload.Writes[0]
	a.Document = &Document{ID: first.ID, Name: a.basis(first).Name, Href: moysklad.Href(first.Kind, first.ID)}
	objects, err := a.objects(ctx)
	if err != nil {
		a.Document.Differences = []string{notReadBack}
		a.creator.Log.WarnContext(ctx, "read back what was changed", "draft", a.ID, "error", err)
		return
	}
	for _, w := range a.payload.Writes {
		switch o := objects[w.ID]; {
		case o == nil:
			a.Document.Differences = append(a.Document.Differences, a.basis(w).Name+": "+deletedSince)
		case !contains(o.raw, w.Body):
			a.Document.Differences = append(a.Document.Differences, o.Name)
		}
	}
}
