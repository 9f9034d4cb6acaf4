package tools

import (
	"encoding/json"
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// compareRows compares rows by key. If the limit cuts rows, the missing ones must be those with the lowest rank. Both
// lists must be sorted by rank.
func compareRows[R any](
	t *testing.T, what question, result *Result, got, want []R, key func(R) string, rank func(R) decimal.Decimal,
) {
	t.Helper()
	checkList(t, what, result, len(want))
	right := map[string]R{}
	unique := numberedKey(key)
	for _, row := range want {
		right[unique(row)] = row
	}
	unique = numberedKey(key)
	if len(got) != min(what.Limit, len(want)) {
		t.Errorf("%s: %d rows, want %d of %d", what, len(got), min(what.Limit, len(want)), len(want))
	}
	wrong := 0
	for i, row := range got {
		if i > 0 && rank(got[i-1]).LessThan(rank(row)) {
			t.Errorf("%s: row %d has a higher rank than the row before it", what, i)
		}
		k := unique(row)
		twin, ok := right[k]
		delete(right, k)
		if diff := gocmp.Diff(twin, row, exactOptions...); !ok || diff != "" {
			if wrong++; wrong <= 3 {
				t.Errorf("%s: row %d is wrong (- expected, + actual):\n%s", what, i, diff)
			}
		}
	}
	if wrong > 3 {
		t.Errorf("%s: %d of %d rows are wrong", what, wrong, len(got))
	}
	for _, left := range right {
		if len(got) > 0 && rank(left).GreaterThan(rank(got[len(got)-1])) || len(got) < min(what.Limit, len(want)) {
			t.Errorf("%s: missing %s", what, marshal(t, left))
			break
		}
	}
}

// checkList checks that the result says how many rows there are, and whether it has all of them.
func checkList(t *testing.T, what question, result *Result, rows int) {
	t.Helper()
	var list List
	result.decode(t, &list)
	if cut := rows > what.Limit; list.TotalRows != rows || list.Truncated != cut || (result.note(Truncated) != nil) != cut {
		t.Errorf("%s: %+v with the notes %v, want %d rows", what, list, result.Notes, rows)
	}
}

// decode decodes the JSON of a result that another process may have sent.
func (r *Result) decode(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal(r.Result.(json.RawMessage), into); err != nil {
		t.Fatalf("%s: %v", r.Tool, err)
	}
}

// numberedKey makes keys unique: it adds a number to each.
func numberedKey[R any](key func(R) string) func(R) string {
	seen := map[string]int{}
	return func(row R) string {
		k := key(row)
		seen[k]++
		return fmt.Sprint(k, " ", seen[k])
	}
}

func compareValue(t *testing.T, what question, part string, got, want any) {
	t.Helper()
	if diff := gocmp.Diff(want, got, exactOptions...); diff != "" {
		t.Errorf("%s: %s: wrong (- expected, + actual):\n%s", what, part, diff)
	}
}

// exactOptions compares figures exactly. Package truth computes shares to thirty digits; they are compared to the
// digits that are shown.
var exactOptions = []gocmp.Option{
	gocmp.Comparer(equalFigures), cmpopts.EquateEmpty(),
	cmpopts.IgnoreUnexported(truth.BelowRow{}, truth.SupplierShortage{}, truth.ABCRow{}, truth.Uncovered{}),
}

func equalFigures(a, b decimal.Decimal) bool {
	if a.Exponent() > b.Exponent() {
		a, b = b, a
	}
	if a.Exponent() > -20 {
		return a.Equal(b)
	}
	whole := b.IsZero() || b.Abs().Equal(hundred) // a share is shown as 0 % or 100 % only if it is exactly that
	return a.Round(max(2, -b.Exponent())).Equal(b) && (!whole || a.Equal(b))
}

func orZero(d *decimal.Decimal) decimal.Decimal {
	if d == nil {
		return decimal.Zero
	}
	return *d
}
