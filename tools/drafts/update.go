package drafts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// update carries out a draft that changes objects. A PUT has neither a syncId nor a precondition, so each object is
// read right before its change. If the object already has the new values, nothing is left to do. If it is still as the
// draft shows it, update changes it and reads it back. Otherwise update does not touch it. All objects are checked
// before the first write, so that a stale draft writes nothing. As long as an earlier write may still take effect, update
// decides nothing. After the first write, a failed change does not stop the others; the failure then lists the outcomes.
func (a *attempt) update(ctx context.Context) error {
	left, states, stale, err := a.checkAll(ctx)
	made := slices.Contains(slices.Collect(maps.Values(states)), Made)
	switch {
	case err != nil:
		return fmt.Errorf("read the objects to change: %w", err)
	case len(left) == 0:
		a.readBack(ctx)
		return nil
	case a.mayTakeEffect():
		return errors.New("a change has not been made, but the upstream may still be making it")
	case stale != nil && len(states) == 0:
		return stale
	case stale != nil && !made:
		return a.failureWithChanges(states, stale)
	case !made:
		a.sent = time.Time{} // it is now known that earlier attempts have changed nothing
	}
	if err := a.checkDeadline(); err != nil {
		return a.failureWithChanges(states, err)
	}
	return a.putAll(ctx, left, states)
}

// checkAll returns the changes that must still be made (left) and what earlier attempts have made of the changes (states).
// stale is a [*Failure] for the first object in left that is no longer as the draft shows it, or nil. A change that was never
// necessary is neither in left nor in states, nor is one that somebody else made before the draft sent anything.
func (a *attempt) checkAll(ctx context.Context) (left []Write, states map[string]ChangeState, stale, err error) {
	objects, err := a.readObjects(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	states = map[string]ChangeState{}
	for _, w := range a.content.Writes {
		o := objects[w.ID]
		if o != nil && contains(o.raw, w.Body) {
			if a.basisOf(w).check(o) != nil && a.outcomeUnknown() {
				states[w.ID] = Made
			}
			continue
		}
		left = append(left, w)
		if changed := a.checkBefore(w, o); changed != nil {
			if a.outcomeUnknown() {
				states[w.ID] = Unknown
			}
			if stale == nil {
				stale = changed
			}
		}
	}
	return left, states, stale, nil
}

// readObjects reads the current state of the objects that the draft changes.
func (a *attempt) readObjects(ctx context.Context) (map[string]*object, error) {
	if w := a.content.Writes[0]; len(a.content.Writes) == 1 {
		o, err := readObject(ctx, a.client.Client, ref{w.Kind, w.ID}, hasPositions(w.Body))
		if errors.Is(err, errGone) {
			return nil, nil
		}
		return map[string]*object{w.ID: o}, err
	}
	var refs []ref
	for _, w := range a.content.Writes {
		refs = append(refs, ref{w.Kind, w.ID})
	}
	return readCurrent(ctx, a.client.Client, refs)
}

// basisOf returns the basis of the object that a change is about.
func (a *attempt) basisOf(w Write) Basis {
	for _, b := range a.content.Basis {
		if b.ID == w.ID {
			return b
		}
	}
	return Basis{Kind: w.Kind, ID: w.ID}
}

// checkBefore returns a [*Failure] if the object is no longer as the draft shows it. A price that is already the new one may
// have changed: a variant without its own price shows that of its product, which this draft has just written.
func (a *attempt) checkBefore(w Write, o *object) error {
	basis := a.basisOf(w)
	var after object
	if o != nil && json.Unmarshal(w.Body, &after) == nil {
		basis.Fields = maps.Clone(basis.Fields)
		maps.DeleteFunc(basis.Fields, func(field, _ string) bool {
			return strings.HasPrefix(field, salePriceField("")) && o.field(field) == after.field(field)
		})
	}
	return basis.check(o)
}

// putAll makes the changes in left and records the outcome of each. If a change is refused, or its object has changed,
// putAll continues with the next one. It stops if the employee may not change such objects.
func (a *attempt) putAll(ctx context.Context, left []Write, states map[string]ChangeState) error {
	var firstError error
	for _, w := range left {
		err := a.put(ctx, w)
		failure := failureOf(err)
		switch {
		case err == nil:
			states[w.ID] = Made
			continue
		case failure == nil:
			return err
		case failure.Code == codeStale:
			states[w.ID] = cmp.Or(states[w.ID], ChangedMeanwhile)
		default:
			states[w.ID] = Refused
		}
		if firstError == nil {
			firstError = err
		}
		if errors.Is(err, moysklad.ErrPermission) {
			break
		}
	}
	if firstError != nil {
		return a.failureWithChanges(states, firstError)
	}
	a.readBack(ctx)
	return nil
}

// put makes one change if the object is still as the draft shows it. It does nothing if the object already has the new
// values.
func (a *attempt) put(ctx context.Context, w Write) error {
	before := a.sent
	// This is recorded before the read, so that as little time as possible passes between read and write.
	if err := a.creator.Store.recordSending(ctx, &a.leasedDraft); err != nil {
		return err
	}
	left, err := a.putOne(ctx, w)
	switch {
	case !left:
		a.sent = before
	case err == nil:
		a.sent = a.sent.Add(-a.creator.quiet()) // the next read shows at once whether it took effect
	default:
		if a.noteFailedWrite(err); !a.outcomeUnknown() {
			a.sent = before
		}
	}
	return err
}

// putOne is [attempt.put] without recording the write. left is true if a write was sent or may have been sent.
func (a *attempt) putOne(ctx context.Context, w Write) (left bool, err error) {
	o, err := readObject(ctx, a.client.Client, ref{w.Kind, w.ID}, hasPositions(w.Body))
	if err != nil && !errors.Is(err, errGone) {
		return false, fmt.Errorf("read the object to change: %w", err)
	}
	if o != nil && contains(o.raw, w.Body) {
		return false, nil
	}
	if err := a.checkBefore(w, o); err != nil {
		return false, err
	}
	timed, cancel := context.WithTimeout(ctx, a.creator.quiet()/2)
	defer cancel()
	if _, err := a.client.Update(timed, w.Kind, w.ID, w.Body); err != nil {
		return true, fmt.Errorf("change %s: %w", w.Kind, err)
	}
	return true, nil
}

// failureWithChanges returns the failure of the draft that follows from err, with the outcome of each change.
func (a *attempt) failureWithChanges(states map[string]ChangeState, err error) error {
	failure, count := *failureOf(err), map[ChangeState]int{}
	for _, w := range a.content.Writes {
		state := cmp.Or(states[w.ID], NotMade)
		count[state]++
		failure.Changes = append(failure.Changes, Change{w.ID, a.basisOf(w).Name, state})
	}
	switch {
	case len(a.content.Writes) == 1: // the failure describes the draft's only change
		failure.Changes = nil
	case count[Made] > 0:
		failure.Code, failure.Written = codePartly, true
		failure.add(partlyMade.Of(len(a.content.Writes), count[Made]))
	case count[Unknown] > 0:
		failure.Code, failure.Written = codeUnknown, true
		failure.add(mayBeWritten.Of())
	}
	return &failure
}

// readBack records the first object as the draft's document, and the names of the objects that do not have the new
// values. If the objects cannot be read back, the draft still counts as created.
func (a *attempt) readBack(ctx context.Context) {
	first := a.content.Writes[0]
	a.Document = &Document{ID: first.ID, Name: a.basisOf(first).Name, Href: moysklad.Href(first.Kind, first.ID)}
	objects, err := a.readObjects(ctx)
	if err != nil {
		a.Document.Differences = []string{notReadBack}
		a.creator.Log.WarnContext(ctx, "read back what was changed", "draft", a.ID, "error", err)
		return
	}
	for _, w := range a.content.Writes {
		switch o := objects[w.ID]; {
		case o == nil:
			a.Document.Differences = append(a.Document.Differences, a.basisOf(w).Name+": "+deletedSince)
		case !contains(o.raw, w.Body):
			a.Document.Differences = append(a.Document.Differences, o.Name)
		}
	}
}
