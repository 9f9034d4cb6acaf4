package tools

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// candidates returns the candidates from an error about one name.
func candidates(t *testing.T, err error) []string {
	t.Helper()
	wrong, is := errors.AsType[*check.InvalidError](err)
	if !is || len(wrong.Problems) != 1 {
		t.Fatalf("got %v, want an error about one argument", err)
	}
	return wrong.Choices()
}

// Each candidate must be found by its id, even if several have the same name.
func TestCandidatesHaveDistinctNames(t *testing.T) {
	s := openShop(t, sandbox.Config{Seed: 1})
	books := s.Books()
	books.Stores[1].Name, books.Stores[2].Name = "Общий", "Общий"
	c := &Run{Account: s.account}
	_, err := c.Warehouse(t.Context(), "warehouse", "общий")
	found := candidates(t, err)
	if len(found) != 2 || found[0] == found[1] {
		t.Fatalf("two warehouses with the same name are offered as %q", found)
	}
	for i, candidate := range found {
		_, id, _ := strings.Cut(strings.TrimSuffix(candidate, ")"), " (id ")
		if store, err := c.Warehouse(t.Context(), "warehouse", id); err != nil || store.ID != id || candidate != "Общий (id "+id+")" {
			t.Errorf("candidate %d, %q: found %v (%v)", i, candidate, store, err)
		}
	}
	_, err = c.Warehouse(t.Context(), "warehouse", "Марс")
	if all := candidates(t, err); len(all) != len(books.Stores) ||
		!strings.Contains(err.Error(), `must be the name or id of a warehouse, and none fits, got "Марс"; there are `) {
		t.Errorf("unknown: %v", err)
	}
}

// Thousands of counterparties share a part of their names. A search for that part must read only as many rows as the
// error lists.
func TestAmbiguousCounterpartyReadsFewRows(t *testing.T) {
	s := openShop(t, sandbox.Config{Seed: 1})
	var active []*sandbox.Counterparty
	for _, counter := range s.Books().Counterparties {
		if !counter.Archived {
			counter.Name = "Ромашка " + counter.Name
			active = append(active, counter)
		}
	}
	if len(active) <= maxCandidates {
		t.Fatalf("the shop has only %d counterparties", len(active))
	}
	c := &Run{Account: s.account}
	_, err := c.Counterparty(t.Context(), "supplier", "ромашка")
	if found := candidates(t, err); len(found) != maxCandidates || !strings.Contains(err.Error(), "more than 20") ||
		!strings.HasSuffix(err.Error(), " and others") {
		t.Errorf("%d candidates: %v", len(found), err)
	}
	calls := s.Log()
	if last := calls[len(calls)-1]; last.Query.Get("limit") != "21" {
		t.Errorf("the list was requested with %v", last.Query)
	}
}

// The account's own organizations are found by id, name, or a unique part of the name.
func TestOrganizationIsFoundByIDOrName(t *testing.T) {
	s := openShop(t, sandbox.Config{Seed: 1})
	books := s.Books()
	first := books.Organizations[0]
	first.Name = "ООО «Ромашка»"
	c := &Run{Account: s.account}
	for _, name := range []string{first.ID, "ооо «ромашка»", " Ромашка "} {
		if found, err := c.Organization(t.Context(), "organization", name); err != nil || found.ID != first.ID {
			t.Errorf("%q: %v (%v)", name, found.Name, err)
		}
	}
	_, err := c.Organization(t.Context(), "organization", "Василёк")
	if found := candidates(t, err); !slices.Contains(found, first.Name) {
		t.Errorf("the candidates are %q", found)
	}
}
