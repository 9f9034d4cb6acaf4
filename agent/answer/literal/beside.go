package literal

import (
	"strings"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// Beside is what the words beside a figure say about it.
type Beside struct {
	Denied   bool // "not 30", a number of a list: "no. 30", or what there is already: "30 are left"
	Limit    bool // "up to 30"
	Taken    bool // as the size of a change: "by 30", "up 30"
	Signed   bool // "+30"
	Sum      bool // of money: "for 30", unless the word for what it counts follows
	Amount   bool // of weight, volume or length: "30 kg"
	Packages bool // "30 boxes"
	Measured bool // in something else than these and pieces: "30 weeks", "30 cm", "30 lines"
	Portion  bool // of each of several: "по 30", "boxes of 30", "30 each"
	Each     bool // "30 each"
}

// Around returns what the words beside a figure of a plain text say.
func (f Figure) Around(text string) Beside {
	const most = 64 // bytes before the figure
	start := text[max(0, f.Start-most):f.Start]
	before, after := wordBefore(start), f.counted(text)
	counts := func(stems map[string]bool) bool { return f.isIn(stems, text) || hasStem(stems, after) }
	return Beside{
		Denied: vocabulary.Denials[wordBefore(start[strings.LastIndex(start, ",")+1:])] || // "not 5, 8" denies the 5
			vocabulary.Present[before] || vocabulary.Left[after] || endsInNumberSign(start),
		Limit:    vocabulary.Limits[before],
		Taken:    vocabulary.Takers[before] || IsChange(before),
		Signed:   strings.ContainsAny(text[f.Start:f.From], "+-"),
		Sum:      vocabulary.Sums[before] && (after == "" || vocabulary.Links[after]),
		Amount:   counts(vocabulary.Amounts),
		Packages: counts(vocabulary.Packages),
		Measured: counts(vocabulary.Measures) || counts(vocabulary.Sizes) || counts(vocabulary.Times),
		Portion:  vocabulary.Portions[before] || vocabulary.Each[after],
		Each:     vocabulary.Each[after],
	}
}

// isIn reports whether the unit of a figure of a plain text begins with one of the stems.
func (f Figure) isIn(stems map[string]bool, text string) bool {
	unit := ""
	for word := range Letters(text[f.To:f.End]) {
		unit = word
	}
	return hasStem(stems, unit)
}

// IsWeeks reports whether a figure of a plain text is a number of weeks.
func (f Figure) IsWeeks(text string) bool { return f.isIn(vocabulary.Weeks, text) }

// Sizes returns the readings of a figure that has a unit of weight, volume, length or power, "3 kg" or "24 cm", as keys by which sizes
// are compared in all languages. Units in which goods can be counted have other keys. ahead is the word after the text.
func (f Figure) Sizes(text, ahead string) (keys []string) {
	key := ""
	switch {
	case f.isIn(vocabulary.Amounts, text):
		key = "amount "
	case f.isIn(vocabulary.Sizes, text), hasStem(vocabulary.Sizes, f.counted(text)),
		f.Bare() && f.End == len(text) && hasStem(vocabulary.Sizes, ahead):
		key = "size "
	default:
		return nil
	}
	for _, r := range f.Literal(text).Readings {
		keys = append(keys, key+r.Value.String())
	}
	return keys
}

// endsInNumberSign reports whether a plain text ends in "#" or "no", which is also "№". In "no, 30" it does not.
func endsInNumberSign(text string) bool {
	text = " " + strings.TrimRight(text, " .")
	return strings.HasSuffix(text, "#") || strings.HasSuffix(text, " no")
}

// IsTime reports whether a word is a unit of time other than a day or month.
func IsTime(word string) bool { return hasStem(vocabulary.Times, word) }

// IsLink reports whether a word only joins others: "for", "из".
func IsLink(word string) bool { return vocabulary.Links[word] }

// counted returns the word after a figure, which can say what it counts; "" if punctuation follows it.
func (f Figure) counted(text string) string {
	if !strings.HasPrefix(text[f.End:], " ") {
		return ""
	}
	return WordAt(text, f.End+1)
}

// IsChange reports whether a word asks to raise or lower something.
func IsChange(word string) bool { return hasStem(vocabulary.Changes, word) }

func hasStem(stems map[string]bool, word string) bool {
	_, has := byStem(stems, word)
	return has
}

// byStem returns the meaning of a word that begins with one of the stems. A stem of up to three letters must be the whole word.
func byStem[V any](stems map[string]V, word string) (meaning V, has bool) {
	if meaning, has = stems[word]; has {
		return meaning, true
	}
	const whole = 3
	for stem, of := range stems {
		if utf8.RuneCountInString(stem) > whole && strings.HasPrefix(word, stem) {
			return of, true
		}
	}
	return meaning, false
}

// wordBefore returns the last word of a plain text, without words such as "about", units and numbers; "" if punctuation follows it.
func wordBefore(text string) string {
	words, end := plain.Words(text), len(text)
	for len(words) > 0 && !strings.ContainsAny(text[words[len(words)-1].End:end], "():;—–\n") {
		last := words[len(words)-1]
		_, unit := UnitForms[last.Text]
		if !unit && !vocabulary.Beside[last.Text] && !plain.HasDigit(last.Text) {
			return last.Text
		}
		words, end = words[:len(words)-1], last.Start
	}
	return ""
}
