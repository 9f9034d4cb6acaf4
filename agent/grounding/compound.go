package grounding

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/expression"
)

// compounds are what a number in words is joined with: "двадцатипроцентный", "стотысячная", "пятисотрублевый".
var compounds = []struct {
	stem  string
	is    dimension
	scale int64
}{
	{"процентн", percent, 1}, {"рублев", money, 1}, {"долларов", money, 1}, {"кратн", multiple, 1}, {"штучн", quantity, 1},
	{"дневн", duration, 1}, {"недельн", duration, 7}, {"месячн", duration, 30}, {"летн", duration, 365}, {"часов", quantity, 1},
	{"тысячн", bare, 1_000}, {"миллионн", bare, 1_000_000}, {"миллиардн", bare, 1_000_000_000},
}

// numeralParts are the words that numbers are joined of, longest first.
var numeralParts = func() []string {
	var parts []string
	for word := range wordNumbers {
		if utf8.RuneCountInString(word) >= 3 {
			parts = append(parts, word)
		}
	}
	for word := range scales {
		if utf8.RuneCountInString(word) >= 4 {
			parts = append(parts, word)
		}
	}
	slices.SortFunc(parts, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return parts
}()

// longestEnding is that of an adjective, in letters.
const longestEnding = 4

// compound reads a number that is one word with what it counts, or with its scale. It tells nothing of other words.
func compound(word string) (f figure, ok bool) {
	if len(word) < len("сто")+len("летн") {
		return f, false
	}
	parts, rest := joined(word)
	if len(parts) == 0 {
		return f, false
	}
	value, unit, taken := wordNumber(parts)
	if taken < len(parts) {
		return f, false
	}
	f = figure{spelled: true, readings: []reading{{value, unit}}}
	if rest == "" {
		return f, len(parts) > 1
	}
	for _, c := range compounds {
		ending, found := strings.CutPrefix(rest, c.stem)
		if found && utf8.RuneCountInString(ending) <= longestEnding {
			f.is, f.scaled = c.is, c.is == bare
			f.readings[0] = f.readings[0].scaled(decimal.NewFromInt(c.scale))
			return f, true
		}
	}
	return f, false
}

// joined parts the numerals that a word begins with, as many as there are.
func joined(word string) (parts []string, rest string) {
	for word != "" && !countedIn(word) {
		at := slices.IndexFunc(numeralParts, func(part string) bool { return strings.HasPrefix(word, part) })
		if at < 0 {
			break
		}
		parts = append(parts, numeralParts[at])
		word = word[len(numeralParts[at]):]
	}
	return parts, word
}

// countedIn reports whether a word begins with what numbers are joined with.
func countedIn(word string) bool {
	for _, c := range compounds {
		if strings.HasPrefix(word, c.stem) {
			return true
		}
	}
	return false
}

// times are words that say how many times as much something is.
var times = map[string]decimal.Decimal{
	"вдвое": two, "вдвойне": two, "втрое": three, "вчетверо": decimal.NewFromInt(4), "впятеро": decimal.NewFromInt(5), "вдесятеро": ten,
	"twice": two, "thrice": three, "doubled": two, "tripled": three, "trebled": three, "quadrupled": decimal.NewFromInt(4), "halved": half,
	"twofold": two, "threefold": three, "fourfold": decimal.NewFromInt(4), "fivefold": decimal.NewFromInt(5), "tenfold": ten, "hundredfold": hundred,
}

var (
	two   = decimal.NewFromInt(2)
	three = decimal.NewFromInt(3)
	ten   = decimal.NewFromInt(10)

	timesStems = []struct {
		stem  string
		value decimal.Decimal
	}{{"удвои", two}, {"удвоен", two}, {"утрои", three}, {"утроен", three}, {"учетвер", decimal.NewFromInt(4)}, {"удесятер", ten}, {"двукратн", two}, {"полуторн", decimal.New(15, -1)}}

	// timesBehind stands behind a number that multiplies: "3 times as much", "3x", "2-fold".
	timesBehind = expression.Of(`^(?: times (?:more|less|as|higher|lower|larger|smaller|bigger|over|the)(?:[^\p{L}]|$)|[xх](?:[^\p{L}\d]|$)|[ -]?fold|-?кратн[\p{L}]*)`)
	timesRaz    = expression.Of(`^ (?:с лишним |с половиной )?раза?(?:[^\p{L}]|$)`)

	// unsaid multiples cannot be checked.
	vagueTimes = expression.Of(`^(?:в (?:разы|несколько раз|десятки раз|сотни раз)|на порядок (?:выше|ниже|больше|меньше|лучше|хуже)|многократн[\p{L}]+|orders? of magnitude|many times (?:more|over|higher))`)
)

// timesOf is what a word multiplies with.
func timesOf(word string) (value decimal.Decimal, ok bool) {
	if value, ok = times[word]; ok {
		return value, true
	}
	for _, t := range timesStems {
		if strings.HasPrefix(word, t.stem) {
			return t.value, true
		}
	}
	return value, false
}

// multiplies makes a figure one that says how many times as much, if the words around it do.
func (s *scanner) multiplies(f *figure) {
	if f.is != bare && f.is != quantity || f.scaled {
		return
	}
	if strings.HasSuffix(s.text[:f.start], "в ") && timesRaz.MatchString(s.text[f.to:]) || timesBehind.MatchString(s.text[f.to:]) {
		f.is = multiple
	}
}
