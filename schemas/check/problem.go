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

// Words are a wording in each language that we speak. Each %s stands for a value, in the same order in both.
type Words struct{ text bilingual.Text }

// Say makes words. It panics unless the second are Russian, the first are not, and both take the same values: wordings are
// variables of packages, so that any test sees it.
func Say(en, ru string) Words {
	cyrillic := func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }
	if strings.ContainsFunc(en, cyrillic) || !strings.ContainsFunc(ru, cyrillic) || strings.Count(en, "%s") != strings.Count(ru, "%s") {
		panic(fmt.Sprintf("%q and %q are not the same in English and Russian", en, ru))
	}
	return Words{bilingual.Text{RU: ru, EN: en}}
}

// Of is the wording with its values.
func (w Words) Of(values ...any) Phrase { return Phrase{w, values} }

// At says what is wrong with the value at a path.
func (w Words) At(field string, values ...any) *Problem {
	return &Problem{Field: field, Wrong: w.Of(values...)}
}

// Phrase is a wording with its values: [Name], [bilingual.Text], phrases, wordings, numbers, anything that prints.
type Phrase struct {
	words  Words
	values []any
}

// Name is what something is called in the books, told from our own words by quotes. What a caller sent is none, see
// [Problem.Held]: it may be made up.
type Name string

// In is the phrase in a language: "ru", anything else is English.
func (p Phrase) In(lang string) string {
	said := make([]any, len(p.values))
	for i, value := range p.values {
		said[i] = in(lang, value)
	}
	return fmt.Sprintf(p.words.text.In(lang), said...)
}

// Says reports whether this is the wording.
func (p Phrase) Says(words Words) bool { return p.words == words }

// Names are the names in the phrase.
func (p Phrase) Names() (names []string) {
	for _, value := range p.values {
		if name, is := value.(Name); is {
			names = append(names, string(name))
		}
	}
	return names
}

// Problem is one thing wrong with a value. What the value was and the names that could have been given instead stand apart
// from what is wrong: they are not our words, and not everybody may be told them.
type Problem struct {
	Field  string // a path, "lines.0.units"; empty for the whole value
	Wrong  Phrase
	held   any // for quotes, a [Name], or text that is shown as it is; nil where the value is not told
	among  []string
	others bool
}

// Held adds what the value was.
func (p *Problem) Held(value any) *Problem {
	switch v := value.(type) {
	case string:
		p.held = Name(Cut(v))
	case decimal.Decimal:
		const most = 100 // what a few characters such as 1e999999999 stand for is written out by none
		if v.Exponent() >= -most && v.Exponent() <= most {
			p.held = Cut(v.String())
		}
	case fmt.Stringer:
		p.held = Cut(v.String())
	default:
		text, err := json.Marshal(beginning(value))
		if err != nil {
			text = []byte("?")
		}
		p.held = Cut(string(text))
	}
	return p
}

// Among adds the names that could have been given; others tells that there are more.
func (p *Problem) Among(names []string, others bool) *Problem {
	p.among, p.others = names, others
	return p
}

var (
	got       = Say(", got %s", ", указано %s")
	there     = Say("; there are %s", "; есть: %s")
	andOthers = Say("%s and others", "%s и другие")
)

// Got is what the value was, to follow what is wrong with it.
func (p *Problem) Got(lang string) string {
	if p.held == nil {
		return ""
	}
	return got.Of(p.held).In(lang)
}

// Choices are the names that could have been given.
func (p *Problem) Choices() []string { return p.among }

// Choice is the same in words, to follow what the value was.
func (p *Problem) Choice(lang string) string {
	if len(p.among) == 0 {
		return ""
	}
	return there.Of(p.Listed(lang)).In(lang)
}

// Listed are the names that could have been given, in words by themselves.
func (p *Problem) Listed(lang string) string {
	all := strings.Join(p.among, ", ")
	if p.others {
		return andOthers.Of(all).In(lang)
	}
	return all
}

// In is all of it in a language.
func (p *Problem) In(lang string) string { return p.Wrong.In(lang) + p.Got(lang) + p.Choice(lang) }

// Error is the field and all of it in English.
func (p *Problem) Error() string { return strings.TrimSpace(p.Field + " " + p.In("en")) }

func in(lang string, value any) string {
	switch v := value.(type) {
	case Name:
		if lang == "ru" {
			return "«" + string(v) + "»"
		}
		return strconv.Quote(string(v))
	case Phrase:
		return v.In(lang)
	case Words:
		return v.Of().In(lang)
	case bilingual.Text:
		return v.In(lang)
	case either:
		return v.in(lang)
	case *big.Rat:
		return figure(lang, bound(v))
	case fmt.Stringer:
		return figure(lang, v.String())
	case string:
		return figure(lang, v)
	}
	return fmt.Sprint(value)
}

// either are kinds of values, one of which is wanted.
type either []Words

func (e either) in(lang string) string {
	said := make([]string, len(e))
	for i, words := range e {
		said[i] = in(lang, words)
	}
	return strings.Join(said, in(lang, or))
}

var or = Say(" or ", " или ")

// figure is a text with the language's decimal sign, if it is a number.
func figure(lang, text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil && lang == "ru" {
		return strings.Replace(text, ".", ",", 1)
	}
	return text
}

func bound(r *big.Rat) string {
	if r.IsInt() {
		return r.RatString()
	}
	return strings.TrimRight(r.FloatString(6), "0")
}

// Cut shortens what callers sent, who send anything.
func Cut(text string) string {
	shown := 0
	for at := range text {
		if shown++; shown > mostShown {
			return text[:at] + "…"
		}
	}
	return text
}

const mostShown = 80 // characters of a value

// beginning is a value without what would be cut off from it anyway.
func beginning(value any) any {
	switch v := value.(type) {
	case string:
		return Cut(v)
	case []any:
		shown := make([]any, min(len(v), mostShown))
		for i := range shown {
			shown[i] = beginning(v[i])
		}
		return shown
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		shown := make(map[string]any, min(len(v), mostShown))
		for _, name := range names[:min(len(v), mostShown)] {
			shown[name] = beginning(v[name])
		}
		return shown
	}
	return value
}
