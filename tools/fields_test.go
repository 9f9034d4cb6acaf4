package tools

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

func TestEveryFieldHasKindAndLabel(t *testing.T) {
	for _, tool := range All() {
		empty, err := tool.Decode([]byte(`{}`))
		if err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		top := FieldsOf(tool.Name, empty)
		if len(top.Fields) == 0 || top.Label == (bilingual.Text{RU: tool.Name, EN: tool.Name}) {
			t.Errorf("%s has %d fields and the label %v", tool.Name, len(top.Fields), top.Label)
		}
		checkLabels(t, tool.Name, top)
	}
}

func checkLabels(t *testing.T, tool string, f *Field) {
	for i := range f.Fields {
		field := &f.Fields[i]
		if field.Kind != KindID && field.Label == (bilingual.Text{RU: field.Name, EN: field.Name}) {
			t.Errorf("%s.%s (%s) has no label", tool, field.Path, field.Kind)
		}
		if field.Kind == "" {
			t.Errorf("%s.%s has no kind", tool, field.Path)
		}
		checkLabels(t, tool, field)
	}
}

// The line below an answer uses these names to tell the lists of a report apart.
func TestEveryListSaysWhatItsRowsAre(t *testing.T) {
	for _, tool := range All() {
		of := map[bilingual.Text]string{}
		var check func(f *Field)
		check = func(f *Field) {
			for i := range f.Fields {
				list := &f.Fields[i]
				check(list)
				if !list.List || list.Kind != KindObject {
					continue
				}
				items := list.Items
				if items.RU == "" || items.EN == "" || items.Genitive == "" || items.Dative == "" || of[items.Text] != "" {
					t.Errorf("the rows of %s.%s are %+v; those of %q are the same", tool.Name, list.Path, items, of[items.Text])
				}
				of[items.Text] = list.Path
			}
		}
		check(tool.Fields())
	}
}

// If the rows are sales channels or services, the report must not call them products.
func TestRowsOfMarginAreNamedForWhatTheyAre(t *testing.T) {
	for report, want := range map[string]string{
		`{}`:                            "products",
		`{"rows":[{"kind":"channel"}]}`: "sales channels",
		`{"rows":[{"kind":"product"}],"kinds":[{"kind":"product"},{"kind":"service"}]}`: "products and services",
	} {
		tool, _ := Find("margin")
		result, err := tool.Decode([]byte(report))
		must(t, err)
		if got := FieldsOf("margin", result).Field("rows").Items.EN; got != want {
			t.Errorf("the rows of %s are %q, want %q", report, got, want)
		}
	}
}

func TestKindsComeFromTypes(t *testing.T) {
	for path, want := range map[[2]string]FieldKind{
		{"margin", "from"}:                          KindDay,
		{"overdue_orders", "as_of"}:                 KindMoment,
		{"stock", "totals.positions"}:               KindCount,
		{"stock", "rows.units"}:                     KindUnits,
		{"stock", "rows.money"}:                     KindMoney,
		{"stock", "rows.product_id"}:                KindID,
		{"stock", "rows.code"}:                      KindCode,
		{"slow_movers", "rows.days_of_cover"}:       KindDays,
		{"slow_movers", "window_days"}:              KindDays,
		{"slow_movers", "rows.velocity_per_day"}:    KindPerDay,
		{"cash_runway", "currencies.runway_months"}: KindMonths,
		{"cash_runway", "months.month"}:             KindMonth,
		{"abc_xyz", "rows.variation_percent"}:       KindPercent,
		{"margin", "totals.reliable"}:               KindFlag,
		{"turnover", "rows.opening.units"}:          KindUnits,
		{"zero_cost_receipts", "rows.moment"}:       KindMoment,
	} {
		tool, _ := Find(path[0])
		empty, err := tool.Decode([]byte(`{}`))
		must(t, err)
		if got := kindAt(FieldsOf(tool.Name, empty), path[1]); got != want {
			t.Errorf("%s.%s is %q, want %q", path[0], path[1], got, want)
		}
	}
}

func kindAt(f *Field, path string) FieldKind {
	for i := range f.Fields {
		if f.Fields[i].Path == path {
			return f.Fields[i].Kind
		}
		if kind := kindAt(&f.Fields[i], path); kind != "" {
			return kind
		}
	}
	return ""
}

// A sibling field named currency gives the currency of an amount.
func TestMoneyFieldsNameTheirCurrencyField(t *testing.T) {
	f := FieldsOf("money_position", moneyPositionResult{})
	if own, other := f.Field("cash").Currency, f.Field("accounts").Field("balance").Currency; own != "" || other != "currency" {
		t.Errorf("cash is in %q, a balance in %q", own, other)
	}
	row := reflect.ValueOf(moneyPositionResult{Accounts: []cashAccount{{Name: "x"}}}.Accounts[0])
	if v := f.Field("accounts").Field("balance").In(row); v.IsValid() {
		t.Error("an unknown balance has a value")
	}
	if v := f.Field("accounts").Field("name").In(row); v.String() != "x" {
		t.Errorf("the name is %v", v)
	}
	if !slices.ContainsFunc(FieldsOf("stock", stockResult{}).Field("rows").Fields, func(f Field) bool { return f.Words["fifo"].RU != "" }) {
		t.Error("the values of the cost basis have no labels")
	}
}

// YAML files must have labels only for fields that results have.
func TestDeclaredFieldsExist(t *testing.T) {
	for _, tool := range All() {
		file := declarationOf(tool.Name)
		if file.Text == "" || len(file.Tables) == 0 {
			t.Errorf("%s.yaml has no text or no table", tool.Name)
		}
		ends := map[string]bool{}
		tool.fields().walk(func(f *Field) {
			for path, more := f.Path, true; more; _, path, more = strings.Cut(path, ".") {
				ends[path] = true
			}
		})
		for path := range file.Fields {
			if !ends[path] {
				t.Errorf("%s.yaml has labels for %s, which the result does not have", tool.Name, path)
			}
		}
	}
}
