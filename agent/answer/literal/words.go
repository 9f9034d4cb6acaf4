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

// words has the words of words.yaml, by meaning.
var words = func() (w struct {
	Numerals, Months            map[int]string
	Courses, Prepositions       map[int]string
	Scales, Whole, Parts        map[string]string
	Currencies                  map[string]string
	Units                       map[tools.FieldKind]string
	Single, Joiners, Hundredths string
	Confirming                  string
	Takers, Beside              string
	Limits, Sums, Links         string
	Denials, Changes, Measures  string
	Present, Left               string
	Portions, Each              string
	Times, Packages, Amounts    string
	Sizes, Weeks                string
	Abbreviations, Points       string
}) {
	if err := yaml.Unmarshal(wordsFile, &w); err != nil {
		panic(err)
	}
	return w
}()

var (
	numeralForms     = byForm(words.Numerals, func(n int) int64 { return int64(n) })
	ScaleForms       = byForm(words.Scales, decimal.RequireFromString)
	wholeForms       = byForm(words.Whole, decimal.RequireFromString)
	PartForms        = byForm(words.Parts, decimal.RequireFromString)
	MonthForms       = byForm(words.Months, func(n int) int { return n })
	prepositionForms = byForm(words.Prepositions, func(form int) int { return form })
	courseForms      = byForm(words.Courses, func(n int) int { return n })
	SingleForms      = setOf(words.Single)
	joinerForms      = setOf(words.Joiners)
	hundredthForms   = setOf(words.Hundredths)
	takerForms       = setOf(words.Takers)
	besideForms      = setOf(words.Beside)
	limitForms       = setOf(words.Limits)
	sumForms         = setOf(words.Sums)
	linkForms        = setOf(words.Links)
	denialForms      = setOf(words.Denials)
	changeForms      = setOf(words.Changes)
	measureForms     = setOf(words.Measures)
	presentForms     = setOf(words.Present)
	leftForms        = setOf(words.Left)
	portionForms     = setOf(words.Portions)
	eachForms        = setOf(words.Each)
	timeForms        = setOf(words.Times)
	packageForms     = setOf(words.Packages)
	amountForms      = setOf(words.Amounts)
	sizeForms        = setOf(words.Sizes)
	weekForms        = setOf(words.Weeks)
	pointForms       = setOf(words.Points)
	Confirming       = setOf(words.Confirming)    // words before the code of a draft
	Abbreviations    = setOf(words.Abbreviations) // units with a full stop that does not end a sentence
	UnitForms        = func() map[string]UnitForm {
		forms := byForm(words.Units, func(kind tools.FieldKind) UnitForm { return UnitForm{Is: kind} })
		for form, currency := range byForm(words.Currencies, func(code string) string { return strings.TrimPrefix(code, "ANY") }) {
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

func setOf(words string) map[string]bool {
	return byForm(map[bool]string{true: words}, func(b bool) bool { return b })
}

// Continues reports whether a word after a number can belong to it or continue it: a unit, a month, a numeral, or
// what follows a rank, as in "26th largest".
func Continues(word string) bool {
	_, unit := UnitForms[word]
	dates := MonthForms[word] > 0 || dayForms[word] || strings.HasPrefix(word, "год") || word == "year"
	return unit || pointForms[word] || dates || word == "by" || ranking.MatchString(word) || IsNumeral(OneScript(word)) ||
		joinerForms[word] || hundredthForms[word]
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
	return strings.Fields(words.Months[int(at.Month())])[form]
}

// NamesMonth reports whether a plain text names a month: "in November".
func NamesMonth(text string, month time.Month) bool {
	return slices.ContainsFunc(plain.WordTexts(text), func(word string) bool {
		return MonthForms[strings.TrimSuffix(word, "'s")] == int(month)
	})
}
