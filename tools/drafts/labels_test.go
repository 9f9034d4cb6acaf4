package drafts

import (
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// Some fields may be shown only by the service itself. The model must not be able to refer to them.
func TestDraftFieldsHaveLabels(t *testing.T) {
	top := tools.FieldsOf("draft_transfer", &Draft{})
	var check func(f *tools.Field)
	check = func(f *tools.Field) {
		for i := range f.Fields {
			field := &f.Fields[i]
			if field.Kind != tools.KindID && field.Label == (bilingual.Text{RU: field.Name, EN: field.Name}) {
				t.Errorf("%s (%s) has no label", field.Path, field.Kind)
			}
			check(field)
		}
	}
	check(top)
	for _, secret := range []string{"code", "digest", "writes"} {
		if top.Field(secret) != nil {
			t.Errorf("the model can refer to %s", secret)
		}
	}
}

// draft.yaml declares the kinds that other layouts take from Go types. They must be those of the Go types here.
func TestLayoutHasTheKindsOfFields(t *testing.T) {
	layout, _ := tools.LayoutOf("draft_transfer")
	columns := layout.Figures
	for _, table := range layout.Tables {
		columns = append(columns, table.Columns...)
	}
	for _, column := range columns {
		f := tools.FieldsOf("draft_transfer", &Draft{})
		for name := range strings.SplitSeq(column.Path, ".") {
			if f = f.Field(name); f == nil {
				break
			}
		}
		switch {
		case column.Path == "code": // only the service itself shows it
		case f == nil:
			t.Errorf("a draft has no %s", column.Path)
		case f.Kind.IsNumber() != column.Kind.IsNumber(), f.Kind.IsNumber() && f.Kind != column.Kind, f.Currency != column.Currency:
			t.Errorf("%s is shown as %s in %q, but is %s in %q", column.Path, column.Kind, column.Currency, f.Kind, f.Currency)
		}
	}
}
