package tools

import (
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// MinRows overrides the limit argument. Results with and without it are cached separately.
func TestMinRowsOverridesLimit(t *testing.T) {
	s := openShop(t, sandbox.Config{Seed: 1})
	whole := *s.account
	whole.MinRows = 5000
	for _, name := range []string{"stock", "shortage_by_supplier"} {
		tool, _ := Find(name)
		for range 2 {
			short, err := tool.Execute(t.Context(), s.account, []byte(`{"limit":2}`))
			must(t, err)
			long, err := tool.Execute(t.Context(), &whole, []byte(`{"limit":2}`))
			must(t, err)
			if isCut(short) == isCut(long) || isCut(long) {
				t.Errorf("%s: cut with a limit of 2: %v, whole: %v", name, isCut(short), isCut(long))
			}
		}
	}
}

func isCut(r *Result) bool {
	for _, n := range r.Notes {
		if n.Code == Truncated {
			return true
		}
	}
	return false
}
