package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

// Wording is a sentence in both languages. Each %s is a placeholder for a value. Both languages have the same placeholders
// in the same order.
type Wording struct{ text bilingual.Text }

// NewWording creates a wording. It panics if a text is in the wrong language, or if the texts have different placeholders.
// Wordings are package variables, so any test detects such a mistake.
func NewWording(en, ru string) Wording {
	cyrillic := func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }
	if strings.ContainsFunc(en, cyrillic) || !strings.ContainsFunc(ru, cyrillic) || strings.Count(en, "%s") != strings.Count(ru, "%s") {
		panic(fmt.Sprintf("%q and %q are not the same in English and Russian", en, ru))
	}
	return Wording{bilingual.Text{RU: ru, EN: en}}
}

// Of fills in the values.
func (w Wording) Of(values ...any) Phrase { return Phrase{w, values} }

// At returns a problem of the field at a path.
func (w Wording) At(field string, values ...any) *Problem {
	return &Problem{Field: field, Wrong: w.Of(values...)}
}

// Phrase is a wording and its values. A value can be a [Name], a [bilingual.Text], a phrase, a wording, a number, or
// anything that can be printed.
type Phrase struct {
	wording Wording
	values  []any
}

// Name is a name from the account's data. It is shown in quotes. For a name that the caller sent, which may not exist, use
// [Problem.WithValue].
type Name string

// In returns the phrase in Russian for "ru", otherwise in English.
func (p Phrase) In(lang string) string {
	texts := make([]any, len(p.values))
	for i, value := range p.values {
		texts[i] = format(lang, value)
	}
	return fmt.Sprintf(p.wording.text.In(lang), texts...)
}

// HasWording reports whether the phrase has this wording.
func (p Phrase) HasWording(words Wording) bool { return p.wording == words }

// Names returns the names in the phrase.
func (p Phrase) Names() (names []string) {
	for _, value := range p.values {
		if name, is := value.(Name); is {
			names = append(names, string(name))
		}
	}
	return names
}

// Problem describes what is wrong with a value. The value and the valid names are stored separately from the description:
// they may be confidential, and are not shown to everybody.
type Problem struct {
	Field       string // a path, "lines.0.units"; empty for the whole value
	Wrong       Phrase
	value       any // a [Name], shown in quotes, or anything else, shown as text; nil shows nothing
	choices     []string
	moreChoices bool
}

// WithValue sets the wrong value, so that the description quotes it.
func (p *Problem) WithValue(value any) *Problem {
	switch v := value.(type) {
	case string:
		p.value = Name(Shorten(v))
	case decimal.Decimal:
		const most = 100 // longer values are omitted, so that 1e999999999 is not written out
		if v.Exponent() >= -most && v.Exponent() <= most {
			p.value = Shorten(v.String())
		}
	case fmt.Stringer:
		p.value = Shorten(v.String())
	default:
		text, err := json.Marshal(shortenValue(value))
		if err != nil {
			text = []byte("?")
		}
		p.value = Shorten(string(text))
	}
	return p
}

// WithChoices adds the valid names; more means that there are others.
func (p *Problem) WithChoices(names []string, more bool) *Problem {
	p.choices, p.moreChoices = names, more
	return p
}

var (
	got       = NewWording(", got %s", ", указано %s")
	there     = NewWording("; there are %s", "; есть: %s")
	andOthers = NewWording("%s and others", "%s и другие")
)

// Got returns the part of the description that quotes the wrong value.
func (p *Problem) Got(lang string) string {
	if p.value == nil {
		return ""
	}
	return got.Of(p.value).In(lang)
}

// Choices returns the valid names.
func (p *Problem) Choices() []string { return p.choices }

// Choice returns the part of the description that lists the valid names.
func (p *Problem) Choice(lang string) string {
	if len(p.choices) == 0 {
		return ""
	}
	return there.Of(p.ChoiceList(lang)).In(lang)
}

// ChoiceList returns the valid names, separated by commas.
func (p *Problem) ChoiceList(lang string) string {
	all := strings.Join(p.choices, ", ")
	if p.moreChoices {
		return andOthers.Of(all).In(lang)
	}
	return all
}

// In returns the whole description in a language.
func (p *Problem) In(lang string) string { return p.Wrong.In(lang) + p.Got(lang) + p.Choice(lang) }

// Error returns the field and the description in English.
func (p *Problem) Error() string { return strings.TrimSpace(p.Field + " " + p.In("en")) }

func format(lang string, value any) string {
	switch v := value.(type) {
	case Name:
		if lang == "ru" {
			return "«" + string(v) + "»"
		}
		return strconv.Quote(string(v))
	case Phrase:
		return v.In(lang)
	case Wording:
		return v.Of().In(lang)
	case bilingual.Text:
		return v.In(lang)
	case alternatives:
		return v.format(lang)
	case *big.Rat:
		return localNumber(lang, ratText(v))
	case fmt.Stringer:
		return localNumber(lang, v.String())
	case string:
		return localNumber(lang, v)
	}
	return fmt.Sprint(value)
}

type alternatives []Wording

func (a alternatives) format(lang string) string {
	texts := make([]string, len(a))
	for i, words := range a {
		texts[i] = format(lang, words)
	}
	return strings.Join(texts, format(lang, or))
}

var or = NewWording(" or ", " или ")

// localNumber writes a number with the language's decimal sign. It returns other texts unchanged.
func localNumber(lang, text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil && lang == "ru" {
		return strings.Replace(text, ".", ",", 1)
	}
	return text
}

func ratText(r *big.Rat) string {
	if r.IsInt() {
		return r.RatString()
	}
	return strings.TrimRight(r.FloatString(6), "0")
}

// Shorten cuts a text from a caller, which can have any length, to a length that can be shown.
func Shorten(text string) string {
	shown := 0
	for at := range text {
		if shown++; shown > maxShown {
			return text[:at] + "…"
		}
	}
	return text
}

const maxShown = 80 // characters of a value

// shortenValue shortens a value so that its JSON does not have to be shortened.
func shortenValue(value any) any {
	switch v := value.(type) {
	case string:
		return Shorten(v)
	case []any:
		shown := make([]any, min(len(v), maxShown))
		for i := range shown {
			shown[i] = shortenValue(v[i])
		}
		return shown
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		shown := make(map[string]any, min(len(v), maxShown))
		for _, name := range names[:min(len(v), maxShown)] {
			shown[name] = shortenValue(v[name])
		}
		return shown
	}
	return value
}
