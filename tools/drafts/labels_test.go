package drafts

import (
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
