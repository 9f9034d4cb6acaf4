package bilingual

import "testing"

func TestFirstLetterChangesItsCase(t *testing.T) {
	for text, want := range map[string][2]string{
		"":             {"", ""},
		"the key":      {"The key", "the key"},
		"Ёлка":         {"Ёлка", "ёлка"},
		"«ромашка» 12": {"«Ромашка» 12", "«ромашка» 12"},
		"НДС":          {"НДС", "НДС"},
		"ABC":          {"ABC", "ABC"},
	} {
		if capital, small := Capital(text), Small(text); capital != want[0] || small != want[1] {
			t.Errorf("%q became %q and %q, want %q and %q", text, capital, small, want[0], want[1])
		}
	}
}
