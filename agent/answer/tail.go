package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/kopeck/kopeck/tools"
)

// tail is the end of the text so far. What comes next depends on it: a unit that repeats a value's own is left out, and
// digits must not run into the number before them.
type tail struct {
	text string // at least the last recentLength bytes
	gap  string // spaces after a value, not yet written

	isValue      bool           // the last thing written is a value
	unit         reference.Kind // kind of the unit that it ends with
	timesHundred bool           // it is a quotient times 100, so a percent sign may follow
	isBare       bool           // it is computed from the user's own numbers and has no currency, so one may follow
	stop         bool           // the full stop after a unit was left out; it may have ended the sentence
}

// recentLength is how many of the last bytes are kept for looking back.
const recentLength = 400

// add appends a text that was written.
func (t *tail) add(text string) {
	if len(t.text) > 4*recentLength {
		t.text = t.last(recentLength)
	}
	t.text += text
}

// last returns the end of the text, at most a number of bytes.
func (t *tail) last(bytes int) string {
	return strings.ToValidUTF8(t.text[max(0, len(t.text)-bytes):], "")
}

// plain returns the end of the text as a reader sees it.
func (t *tail) plain() string { return plain.Text(t.last(recentLength)) }

// line returns the end of the last line, with the gap.
func (t *tail) line() string {
	const most = 160
	line := t.text + t.gap
	line = line[strings.LastIndexByte(line, '\n')+1:]
	return strings.ToValidUTF8(line[max(0, len(line)-most):], "")
}

// opensQuotation reports whether the text ends with an opening quotation mark.
func (t *tail) opensQuotation() bool {
	text := t.text + t.gap
	before := strings.TrimRight(text, "«“\"")
	return before != text && (before == "" || !plain.LetterOrDigit(plain.Last(before)))
}

// wantsJSON reports whether a JSON value without quotes comes next.
func (t *tail) wantsJSON() bool {
	text := beforeSpaces(t.text + t.gap)
	return text != "" && strings.IndexByte(":[,", text[len(text)-1]) >= 0
}

// beforeSpaces returns the text without the spaces and emphasis at its end.
func beforeSpaces(text string) string { return strings.TrimRight(text, " \n\u00a0\u202f*_`") }

// joins reports whether a number would be read as part of the number or value at the end of the text: 000 in "{{R1.n}}000", 0 in
// "{{R1.margin_percent}}0%", or 345 on the line after "12".
func (t *tail) joins(text string, f literal.Figure) bool {
	if f.Word != nil {
		return false
	}
	if t.isValue && t.gap == "" && f.From == 0 {
		return true
	}
	behind := t.text + t.gap
	before := beforeSpaces(behind)
	if !unicode.IsDigit(plain.Last(before)) {
		return false
	}
	if len(before) == len(behind) {
		return true
	}
	digits := plain.DigitsEnd(text, f.From)
	line := strings.Count(behind[len(before):], "\n")
	return digits-f.From == 3 && f.From == 0 && line <= 1 && (t.isValue || line == 1)
}

// currency returns the currency that the last word names: "RUB 2.42 million".
func (t *tail) currency() literal.UnitForm {
	line := plain.Text(t.line())
	words := plain.Words(line)
	if len(words) == 0 || strings.TrimLeft(line[words[len(words)-1].End:], " ") != "" {
		return literal.UnitForm{}
	}
	if u := literal.UnitForms[words[len(words)-1].Text]; u.Is == tools.KindMoney {
		return u
	}
	return literal.UnitForm{}
}

// wrote records the value that was written last.
func (t *tail) wrote(v reference.Value) {
	t.unit = reference.UnitOf(v.Kind)
	converted := v.Kind == tools.KindRatio && len(v.Own) > 0 // money at the user's rate
	t.isBare = v.Kind == reference.Bare || v.Kind == tools.KindMoney && v.Currency == "" || converted
	if t.isBare {
		t.unit = ""
	}
	t.timesHundred = t.unit == "" && slices.ContainsFunc(v.Own, decimal.NewFromInt(100).Equal)
}

// withoutUnit removes a scale or a currency after a value, a unit that repeats the value's own, and a percent sign after a value that
// has no unit.
func (t *tail) withoutUnit(text string) (rest string, cut bool) {
	if !t.isValue {
		return text, false
	}
	p := plain.Of(text)
	first := literal.WordAt(p.Text, 0)
	if first == "" {
		_, size := utf8.DecodeRuneInString(p.Text)
		first = p.Text[:size]
	}
	if first == "" || first == "-" {
		return text, false
	}
	_, scale := literal.ScaleForms[first]
	scale = scale && (t.gap == "" || utf8.RuneCountInString(first) > 1) // "к" can be a preposition
	u := literal.UnitForms[first]
	claims := u.Is == tools.KindPercent && t.unit == "" && !t.timesHundred || u.Is == tools.KindMoney && !t.isBare
	if !scale && !claims && (u.Is == "" || u.Is != t.unit) {
		return text, false
	}
	rest = text[p.To[len(first)-1]:]
	if literal.Abbreviations[first] && !beginsSentence(strings.TrimPrefix(rest, ".")) {
		t.stop = rest == "."
		rest = strings.TrimPrefix(rest, ".")
	}
	return rest, true
}

// beginsSentence reports whether the text after a full stop starts a new sentence or line.
func beginsSentence(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	return strings.HasPrefix(text, " ") && unicode.IsUpper(first) || first == '\n'
}
