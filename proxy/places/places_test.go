package places

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
)

func (q *Queue) enter(t *testing.T, organization string) (leave func()) {
	t.Helper()
	leave, err := q.Enter(t.Context(), organization)
	if err != nil {
		t.Fatal(err)
	}
	return leave
}

// An organization with a long queue gets one place for each place that the others get.
func TestOrganizationsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(1, 1, 100)
		leave := r.enter(t, "many")
		var order []string
		come := func(organization, name string) {
			go func() {
				mine := r.enter(t, organization)
				order = append(order, name)
				mine()
			}()
			synctest.Wait()
		}
		for i := range 5 {
			come("many", fmt.Sprint("many ", i))
		}
		come("few", "few")
		come("other", "other")
		leave()
		synctest.Wait()
		if want := []string{"many 0", "few", "other", "many 1", "many 2", "many 3", "many 4"}; !slices.Equal(order, want) {
			t.Errorf("order %q, want %q", order, want)
		}
	})
}

func TestOrganizationIsLimitedToItsShare(t *testing.T) {
	r := New(3, 2, 0)
	first := r.enter(t, "a")
	r.enter(t, "a")
	if _, ok := r.TryEnter("a"); ok {
		t.Error("an organization got a third place, but its limit is two")
	}
	if _, err := r.Enter(t.Context(), "a"); !errors.Is(err, ErrFull) {
		t.Errorf("a request waits although none may: %v", err)
	}
	leave, ok := r.TryEnter("b")
	if !ok {
		t.Fatal("another organization got no place")
	}
	if _, ok := r.TryEnter("c"); ok {
		t.Error("a fourth place was given, but the total is three")
	}
	first()
	first() // calling it twice gives back only one place
	leave()
	r.enter(t, "a")
	if _, ok := r.TryEnter("a"); ok {
		t.Error("a place was given back twice")
	}
}

func TestCancelledWaiterHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(1, 1, 10)
		leave := r.enter(t, "a")
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() {
			_, err := r.Enter(ctx, "b")
			failed <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		leave()
		r.enter(t, "c")()
		if r.taken != 0 || len(r.held)+len(r.waiting)+len(r.order) != 0 {
			t.Errorf("not empty after cancelling: %+v", r)
		}
	})
}
