package grounding

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/expression"
)

// mention is where a text names something of the results. It opens a part of the sentence when that is of it.
type mention struct {
	names      []string // several where it is short for each of them
	start, end int
	opens      bool
	place      bool // where rows belong
	whole      bool // all words of the name
}

// title is a name as it may begin in a text: as it is written, or without its legal form or the word for a warehouse.
type title struct {
	name  string
	words []string
}

var legalForms = set("ооо оао зао пао ао ип тоо склад")

// initial is what names are found by: the first letters of a word, which no case changes.
func initial(word string) string {
	at := 0
	for range shortestStem {
		_, size := utf8.DecodeRuneInString(word[at:])
		at += size
	}
	return word[:at]
}

// namesFor are the names that a figure may be of: none that only opens what comes behind it, nor one behind the next figure
// of an enumeration, "9 — на Основном, ещё 5 — на складе Ozon". A place right behind it is its own, and no other one is.
func namesFor(text string, mentions []mention, f figure) []string {
	own := slices.IndexFunc(mentions, func(m mention) bool {
		return m.place && f.end <= m.start && atPlace.MatchString(brief(text[f.end:m.start]))
	})
	from := -1
	for i, m := range mentions {
		if m.opens && m.end <= f.start {
			from = i
		}
	}
	var names []string
	for i, m := range mentions {
		switch {
		case i == own:
			names = append(names, m.names...)
		case i < from, own >= 0 && m.place:
		case m.end <= f.start || from < 0 && !m.opens && !wholeOf.MatchString(lead(text[:f.start])) && !enumerated.MatchString(brief(text[min(f.end, m.start):m.start])):
			names = append(names, m.names...)
		}
	}
	return names
}

// atPlace stands between a figure and the place where it is, "37 шт. на складе Основной", "37 шт. (Основной)".
var atPlace = expression.Of(`^\.?(?: (?:лежит|лежат|есть|осталось|хранится|хранятся|left|is|are))?(?: (?:на|в|во|at|in)(?: the)?| \()(?: ?(?:складе?|магазине?|warehouse|store))? ?["«„“]?$`)

// wholeOf stands before the whole of which something that is named behind it is a part: "Из 335 730 ₽ прибыли на Ozon …".
var wholeOf = expression.Of(`(?:^|[^\p{L}])(?:из|out of) $`)

var enumerated = expression.Of(`^[^,;]* (?:—|на|в|у|in|at) [^,;]*[,;] .*\d`)

// mentions finds the names of rows in a text and their codes. A name of one word counts where it cannot be taken for an
// ordinary one: in quotation marks, or where something is said of it, or where it is written as a name.
func (c *Check) mentions(text string, words []word, asName func(word string) bool) []mention {
	var found []mention
	for i, w := range words {
		if len(found) > 0 && w.start < found[len(found)-1].end {
			continue
		}
		if name := c.codes[w.text]; name != "" && isCode(w.text, text[:w.start]) {
			found = append(found, mention{names: []string{name}, start: w.start, end: w.end})
		} else if m, ok := c.mentionAt(text, words[i:]); ok || m.whole && asName(w.text) {
			m.place = c.shared[m.names[0]]
			found = append(found, m)
		}
	}
	return found
}

// mentionAt is the longest name that a text has at the first of the words, written as it is; else the longest one whose
// words it has in any case, or the first of them, as people shorten names.
func (c *Check) mentionAt(text string, words []word) (mention, bool) {
	var exact, loose mention
	whole, taken := false, 0
	for _, t := range c.begin[initial(words[0].text)] {
		if start := words[0].start - strings.Index(t.name, t.words[0]); start >= 0 && strings.HasPrefix(text[start:], t.name) && !continues(text[start+len(t.name):]) {
			if start+len(t.name) > exact.end {
				exact = mention{names: []string{t.name}, start: start, end: start + len(t.name), whole: true}
			}
			continue
		}
		n := t.run(text, words)
		if n == 0 || n < taken || n == taken && whole && n < len(t.words) {
			continue
		}
		if all := n == len(t.words); n > taken || all != whole {
			loose, whole, taken = mention{start: words[0].start, end: words[n-1].end}, all, n
		}
		loose.names = append(loose.names, t.name)
	}
	if exact.end >= loose.end && exact.end > 0 {
		exact.opens = opens(text, exact)
		return exact, exact.opens || strings.Contains(exact.names[0], " ") || setApart(text, exact.start, exact.end)
	}
	if taken == 0 {
		return mention{}, false
	}
	loose.opens, loose.whole = opens(text, loose), whole
	switch {
	case whole:
		return loose, loose.opens || taken > 1 || setApart(text, loose.start, loose.end)
	case taken > 1:
		return loose, loose.opens
	}
	_, counts := quantities[words[0].text]
	return loose, leadsOn.MatchString(text[loose.end:]) && !counts && !metricWord(words[0].text) && !slices.ContainsFunc(loose.names, func(name string) bool { return c.shared[name] })
}

// setApart reports whether the text has quotation marks or brackets right around a name.
func setApart(text string, start, end int) bool {
	return quotedIn(text, start, end) || strings.HasSuffix(text[:start], "(") && strings.HasPrefix(text[end:], ")")
}

// run is how many words of a text go on as a name does, in any case and with nothing between them but spaces and quotation
// marks.
func (t title) run(text string, words []word) int {
	n := 0
	for n < len(t.words) && n < len(words) && alike(words[n].text, t.words[n]) && (n == 0 || strings.Trim(text[words[n-1].end:words[n].start], ` "«»“”„`) == "") {
		n++
	}
	return n
}

// alike reports whether words are one, but for the ending of a Russian case.
func alike(a, b string) bool {
	if a == b || !alphabet(a) {
		return a == b
	}
	common := 0
	for common < min(len(a), len(b)) && a[common] == b[common] {
		common++
	}
	for common > 0 && common < len(a) && !utf8.RuneStart(a[common]) {
		common--
	}
	const ending = 2
	return utf8.RuneCountInString(a[:common]) >= shortestStem && utf8.RuneCountInString(a[common:]) <= ending && utf8.RuneCountInString(b[common:]) <= ending &&
		!strings.ContainsFunc(a[common:]+b[common:], func(r rune) bool { return !unicode.IsLetter(r) })
}

// continues reports whether a word goes on.
func continues(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return letterOrDigit(r)
}

var (
	saidOf    = expression.Of(`^["»“”]?(?:: | [—-] | \()`)
	partStart = expression.Of(`(?:^|[,;:—-] (?:а |и |and )?| (?:и|а|and) |^(?:#+ )?\d{1,3}[.)] )(?:№ ?|#|(?:заказ|order|отгрузка|shipment) )?["«„“]?$`)

	// leadsOn stands between a name and the figure that is said of it.
	leadsOn = expression.Of(`^["»“”]?\)?(?::| [—-]| \()? ?-?[₽$€]?\d`)
)

// opens reports whether a part of a sentence begins with a mention, or its figure stands right behind it.
func opens(text string, m mention) bool {
	behind := text[m.end:]
	return leadsOn.MatchString(behind) || saidOf.MatchString(behind) && partStart.MatchString(lead(text[:m.start]))
}
