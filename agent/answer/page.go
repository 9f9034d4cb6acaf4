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

// page is a text as far as it is written: the answer, or a line of a table. What comes next depends on its end: a unit that repeats a
// value's own is left out, and digits must not run into the number before them.
type page struct {
	text    strings.Builder
	runes   int // of text
	figures []Figure
	gap     string // spaces after a value, not yet written

	isValue      bool           // the last thing written is a value
	unit         reference.Kind // kind of the unit that it ends with
	timesHundred bool           // it is a quotient times 100, so a percent sign may follow
	isBare       bool           // it is computed from the user's own numbers and has no currency, so one may follow
	stop         bool           // the full stop after a unit was left out; it may have ended the sentence
}

func (p *page) append(text string) {
	p.text.WriteString(text)
	p.runes += utf8.RuneCountInString(text)
}

func (p *page) appendFigure(text string, f Figure) {
	f.Start = p.runes
	p.append(text)
	f.End = p.runes
	p.figures = append(p.figures, f)
}

// recentLength is how many of the last bytes are looked back at.
const recentLength = 400

// end returns the end of the text, with the gap.
func (p *page) end() string { return last(p.text.String(), recentLength) + p.gap }

// line returns the end of the last line, with the gap.
func (p *page) line() string {
	const most = 160
	line := p.end()
	return last(line[strings.LastIndexByte(line, '\n')+1:], most)
}

// last returns the end of a text, at most a number of bytes.
func last(text string, most int) string {
	return strings.ToValidUTF8(text[max(0, len(text)-most):], "")
}

// opensQuotation reports whether the text ends with an opening quotation mark.
func (p *page) opensQuotation() bool {
	text := p.end()
	before := strings.TrimRight(text, "«“\"")
	return before != text && (before == "" || !plain.LetterOrDigit(plain.Last(before)))
}

// wantsJSON reports whether a JSON value without quotes comes next.
func (p *page) wantsJSON() bool {
	text := beforeSpaces(p.end())
	return text != "" && strings.IndexByte(":[,", text[len(text)-1]) >= 0
}

// beforeSpaces returns the text without the spaces and emphasis at its end.
func beforeSpaces(text string) string { return strings.TrimRight(text, " \n\u00a0\u202f*_`") }

// joins reports whether a number would be read as part of the number or value at the end of the text: 000 in "{{R1.n}}000", 0 in
// "{{R1.margin_percent}}0%", or 345 on the line after "12".
func (p *page) joins(text string, f literal.Figure) bool {
	if f.Word != nil {
		return false
	}
	if p.isValue && p.gap == "" && f.From == 0 {
		return true
	}
	behind := p.end()
	before := beforeSpaces(behind)
	if !unicode.IsDigit(plain.Last(before)) {
		return false
	}
	if len(before) == len(behind) {
		return true
	}
	digits := plain.DigitsEnd(text, f.From)
	line := strings.Count(behind[len(before):], "\n")
	return digits-f.From == 3 && f.From == 0 && line <= 1 && (p.isValue || line == 1)
}

// currency returns the currency that the last word names: "RUB 2.42 million".
func (p *page) currency() literal.UnitForm {
	line := plain.Text(p.line())
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
func (p *page) wrote(v reference.Value) {
	p.unit = reference.UnitOf(v.Kind)
	converted := v.Kind == tools.KindRatio && len(v.Own) > 0 // money at the user's rate
	p.isBare = v.Kind == reference.Bare || v.Kind == tools.KindMoney && v.Currency == "" || converted
	if p.isBare {
		p.unit = ""
	}
	p.timesHundred = p.unit == "" && slices.ContainsFunc(v.Own, decimal.NewFromInt(100).Equal)
}

// withoutUnit removes a scale or a currency after a value, a unit that repeats the value's own, and a percent sign after a value that
// has no unit.
func (p *page) withoutUnit(text string) (rest string, cut bool) {
	if !p.isValue {
		return text, false
	}
	folded := plain.Of(text)
	first := literal.WordAt(folded.Text, 0)
	if first == "" {
		_, size := utf8.DecodeRuneInString(folded.Text)
		first = folded.Text[:size]
	}
	if first == "" || first == "-" {
		return text, false
	}
	_, scale := literal.ScaleForms[first]
	scale = scale && (p.gap == "" || utf8.RuneCountInString(first) > 1) // "к" can be a preposition
	u := literal.UnitForms[first]
	claims := u.Is == tools.KindPercent && p.unit == "" && !p.timesHundred || u.Is == tools.KindMoney && !p.isBare
	if !scale && !claims && (u.Is == "" || u.Is != p.unit) {
		return text, false
	}
	rest = text[folded.To[len(first)-1]:]
	if literal.Abbreviations[first] && !beginsSentence(strings.TrimPrefix(rest, ".")) {
		p.stop = rest == "."
		rest = strings.TrimPrefix(rest, ".")
	}
	return rest, true
}

// beginsSentence reports whether the text after a full stop starts a new sentence or line.
func beginsSentence(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	return strings.HasPrefix(text, " ") && unicode.IsUpper(first) || first == '\n'
}
