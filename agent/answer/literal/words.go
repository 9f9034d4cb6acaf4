package literal

import (
	_ "embed"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"gopkg.in/yaml.v3"

	"github.com/kopeck/kopeck/agent/answer/plain"

	"github.com/kopeck/kopeck/tools"
)

//go:embed words.yaml
var wordsFile []byte

// vocabulary has the words of words.yaml, by meaning.
var vocabulary = func() (v struct {
	Numerals, Months            map[int]string
	Prepositions                map[int]string
	Scales, Whole, Parts        map[string]string
	Currencies                  map[string]string
	Units                       map[tools.FieldKind]string
	Days                        set
	Single, Joiners, Hundredths set
	Confirming                  set
	Takers, Beside, Courses     set
	Lists, Every, Between       set
	Unabridged                  set
	Limits, Sums, Links         set
	Denials, Changes, Measures  set
	Present, Left               set
	Portions, Each              set
	Times, Packages, Amounts    set
	Sizes, Weeks                set
	Abbreviations, Points       set
}) {
	if err := yaml.Unmarshal(wordsFile, &v); err != nil {
		panic(err)
	}
	return v
}()

// set is a list that the YAML file has as one text, separated by spaces.
type set map[string]bool

// UnmarshalYAML implements yaml.Unmarshaler.
func (s *set) UnmarshalYAML(node *yaml.Node) error {
	*s = byForm(map[bool]string{true: node.Value}, func(b bool) bool { return b })
	return nil
}

var (
	numeralForms     = byForm(vocabulary.Numerals, func(n int) int64 { return int64(n) })
	ScaleForms       = byForm(vocabulary.Scales, decimal.RequireFromString)
	wholeForms       = byForm(vocabulary.Whole, decimal.RequireFromString)
	PartForms        = byForm(vocabulary.Parts, decimal.RequireFromString)
	MonthForms       = byForm(vocabulary.Months, func(n int) int { return n })
	prepositionForms = byForm(vocabulary.Prepositions, func(form int) int { return form })
	SingleForms      = vocabulary.Single
	Confirming       = vocabulary.Confirming    // words before the code of a draft
	Abbreviations    = vocabulary.Abbreviations // units with a full stop that does not end a sentence
	UnitForms        = func() map[string]UnitForm {
		forms := byForm(vocabulary.Units, func(kind tools.FieldKind) UnitForm { return UnitForm{Is: kind} })
		for form, currency := range byForm(vocabulary.Currencies, func(code string) string { return strings.TrimPrefix(code, "ANY") }) {
			forms[form] = UnitForm{tools.KindMoney, currency}
		}
		return forms
	}()
)

// UnitForm is what a word or sign next to a number means.
type UnitForm struct {
	Is       tools.FieldKind // the kind of value with this unit; empty if there is none
	Currency string          // ISO code; empty for other units and for any currency
}

// byForm maps each form to its meaning.
func byForm[N comparable, V any](forms map[N]string, value func(N) V) map[string]V {
	all := map[string]V{}
	for meaning, words := range forms {
		for form := range strings.FieldsSeq(words) {
			all[form] = value(meaning)
		}
	}
	return all
}

// Continues reports whether a word after a number can belong to it or continue it: a unit, a month, a numeral, or
// what follows a rank, as in "26th largest".
func Continues(word string) bool {
	_, unit := UnitForms[word]
	dates := MonthForms[word] > 0 || vocabulary.Days[word] || strings.HasPrefix(word, "год") || word == "year"
	return unit || vocabulary.Points[word] || dates || word == "by" || ranking.MatchString(word) || IsNumeral(OneScript(word)) ||
		vocabulary.Joiners[word] || vocabulary.Hundredths[word]
}

// MonthForm returns the form of a Russian month after a plain text: 0 сентябрь, 1 сентября, 2 сентябре, 3 сентябрем.
func MonthForm(before string) int {
	words := plain.WordTexts(before)
	if len(words) > 1 && words[len(words)-1] == "с" && strings.HasPrefix(words[len(words)-2], "сравнен") {
		return 3
	}
	if len(words) == 0 {
		return 0
	}
	return prepositionForms[words[len(words)-1]]
}

// Month returns the name of a month in Russian, in a form of [MonthForm].
func Month(at time.Time, form int) string {
	return strings.Fields(vocabulary.Months[int(at.Month())])[form]
}

// NamesMonth reports whether a plain text names a month: "in November".
func NamesMonth(text string, month time.Month) bool {
	return slices.ContainsFunc(plain.WordTexts(text), func(word string) bool {
		return MonthForms[strings.TrimSuffix(word, "'s")] == int(month)
	})
}
