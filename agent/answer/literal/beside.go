package literal

import (
	"strings"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// Beside is what the words beside a figure say about it.
type Beside struct {
	Denied   bool // "not 30", or a number of a list: "no. 30"
	Limit    bool // "up to 30"
	Taken    bool // as the size of a change: "by 30"
	Sum      bool // of money: "for 30", unless the word for what it counts follows
	Amount   bool // of weight, volume or length: "30 kg"
	Measured bool // in something else than amounts and pieces: "30 weeks", "30 boxes", "30 cm"
}

// Around returns what the words beside a figure of a plain text say.
func (f Figure) Around(text string) Beside {
	const most = 64 // bytes before the figure
	before := wordBefore(text[max(0, f.Start-most):f.Start])
	after := ""
	if strings.HasPrefix(text[f.End:], " ") {
		after = WordAt(text, f.End+1)
	}
	unit := ""
	for word := range Letters(text[f.To:f.End]) {
		unit = word
	}
	counts := func(stems map[string]bool) bool { return hasStem(stems, unit) || hasStem(stems, after) }
	return Beside{
		Denied:   denialForms[before] || strings.HasSuffix(text[:f.Start], "#"),
		Limit:    limitForms[before],
		Taken:    takerForms[before],
		Sum:      sumForms[before] && (after == "" || linkForms[after]),
		Amount:   counts(amountForms),
		Measured: counts(measureForms) || counts(timeForms),
	}
}

// IsTime reports whether a word is a unit of time other than a day or month.
func IsTime(word string) bool { return hasStem(timeForms, word) }

// IsChange reports whether a word asks to raise or lower something.
func IsChange(word string) bool { return hasStem(changeForms, word) }

// hasStem reports whether a word begins with one of the stems. A stem of up to three letters must be the whole word.
func hasStem(stems map[string]bool, word string) bool {
	if stems[word] {
		return true
	}
	const whole = 3
	for stem := range stems {
		if utf8.RuneCountInString(stem) > whole && strings.HasPrefix(word, stem) {
			return true
		}
	}
	return false
}

// wordBefore returns the last word of a plain text, without words such as "about", units and numbers; "" if punctuation follows it.
func wordBefore(text string) string {
	words, end := plain.Words(text), len(text)
	for len(words) > 0 && !strings.ContainsAny(text[words[len(words)-1].End:end], "():;—–\n") {
		last := words[len(words)-1]
		_, unit := UnitForms[last.Text]
		if !unit && !besideForms[last.Text] && !plain.HasDigit(last.Text) {
			return last.Text
		}
		words, end = words[:len(words)-1], last.Start
	}
	return ""
}
