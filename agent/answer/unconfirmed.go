package answer

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/evidence"
	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/schemas/bilingual"
)

// Unconfirmed returns the numbers, dates and parts in the model's words that no report has, such as "320 000 ₽ (с ваших
// слов)", "сентябрь", «втрое». They can be right, but the reports that were read do not show it.
func (w *Writer) Unconfirmed() []string {
	u := unconfirmed{Writer: w}
	for line := range strings.Lines(w.words.String()) {
		u.line(line)
	}
	return u.items
}

// mostWords is how much of the model's words is searched for unconfirmed numbers, in bytes.
const mostWords = 16 << 10

type unconfirmed struct {
	*Writer
	shown []decimal.Decimal // numbers of the figures and of their expressions; nil until needed
	items []string
}

// isShown reports whether a figure of the answer, its expression or the length of its table is a number.
func (u *unconfirmed) isShown(number literal.Literal) bool {
	if u.shown == nil {
		u.shown = []decimal.Decimal{}
		runes := []rune(u.text.String())
		for _, f := range u.all {
			u.shows(f, string(runes[f.Start:f.End]))
		}
	}
	return slices.ContainsFunc(number.Readings, func(r literal.Reading) bool {
		return slices.ContainsFunc(u.shown, r.Equals)
	})
}

func (u *unconfirmed) shows(f Figure, text string) {
	u.shown = append(u.shown, u.config.Book.Numerals(f.Expression)...)
	switch {
	case reference.IsText(f.Kind):
		return
	case f.Kind == reference.Tabular:
		const head = 2
		u.shown = append(u.shown, decimal.NewFromInt(int64(strings.Count(text, "\n")+1-head)))
	}
	text = plain.Text(text)
	for number := range literal.Figures(text) {
		for _, r := range number.Literal(text).Readings {
			u.shown = append(u.shown, r.Value)
		}
	}
}

var listMarkForm = regexp.MustCompile(`^\s*\d{1,3}[.)]\s`)

// line adds what a line of the text has, in order.
func (u *unconfirmed) line(line string) {
	line = line[len(listMarkForm.FindString(line)):]
	l := ownLine{plain.Of(line), line}
	mentions := literal.MentionsIn(l.plain.Text)
	items := map[int]string{} // by where they start
	for _, m := range mentions {
		items[m.Start] = u.mention(l, m)
	}
	for f := range literal.Figures(l.plain.Text) {
		in := func(m literal.Mention) bool {
			return m.Start < f.End && f.Start < m.End && (m.Date.None() || m.Date.Sure)
		}
		if !slices.ContainsFunc(mentions, in) {
			items[f.Start] = u.number(l, f)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(items)) {
		if items[at] != "" && !slices.Contains(u.items, items[at]) {
			u.items = append(u.items, items[at])
		}
	}
}

// ownLine is a line of the model's words.
type ownLine struct {
	plain  plain.Folded
	source string
}

// written returns a part of the line as the model wrote it.
func (l ownLine) written(from, to int) string { return l.source[l.plain.From[from]:l.plain.To[to-1]] }

// mention returns a date or a part unless it is confirmed.
func (u *unconfirmed) mention(l ownLine, m literal.Mention) string {
	text := l.written(m.Start, m.End)
	first, _ := utf8.DecodeRuneInString(text)
	switch {
	case m.Date.None():
		return reference.Quoted(u.config.Lang, text)
	case m.Date.Clock, unicode.Is(unicode.Latin, first) && !unicode.IsUpper(first), u.isReported(m.Date): // "may" is no month
		return ""
	case !unicode.IsDigit(first):
		text = monthName(u.config.Lang, time.Month(m.Date.Month))
	}
	return text + u.saidBy(l, literal.Figure{Date: m.Date})
}

// isReported reports whether a date is of a report, or of a row that the answer cites.
func (u *unconfirmed) isReported(d literal.Date) bool {
	if u.evidence.IsReported(d) {
		return true
	}
	return slices.ContainsFunc(u.all, func(f Figure) bool {
		return len(f.Origins) == 1 &&
			slices.ContainsFunc(u.config.Book.Days(f.Origins[0]), func(day time.Time) bool { return d.Within(day, day) })
	})
}

// number returns a number unless it is confirmed: shown by a figure, or exactly a value of a report. A count of a few could
// be such a value by chance.
func (u *unconfirmed) number(l ownLine, f literal.Figure) string {
	const least = 3 // "one of two"
	text := l.plain.Text
	number, small := f.Literal(text), f.Small(text)
	few := small >= 0 && f.Bare()
	if f.Place || few && small < least {
		return ""
	}
	verdict, _ := u.evidence.Judge(text, f, func() []plain.Word { return plain.Words(text) })
	if verdict == evidence.Known || u.evidence.Lasts(number) || !f.Date.None() && u.isReported(f.Date) {
		return ""
	}
	largest := decimal.Zero // "600,000" can be read as 600 as well
	for _, r := range number.Readings {
		largest = decimal.Max(largest, r.Value)
	}
	reported := func(v reference.Value) bool {
		ofWhole := f.Scaled() && v.Origins[0].Row == 0
		return ofWhole || largest.Equal(v.Decimal().Abs())
	}
	if u.isShown(number) || !few && slices.ContainsFunc(u.config.Book.Find(number), reported) {
		return ""
	}
	written := l.written(f.Start, f.End)
	if f.Word != nil {
		written = reference.Quoted(u.config.Lang, written)
	}
	return written + u.saidBy(l, f)
}

// saidBy says that a number or date is the user's.
func (u *unconfirmed) saidBy(l ownLine, f literal.Figure) string {
	if !u.evidence.UserSaid(l.plain.Text, f) {
		return ""
	}
	return bilingual.Text{RU: " (с ваших слов)", EN: " (your words)"}.In(u.config.Lang)
}

func monthName(lang string, month time.Month) string {
	if lang == "ru" {
		return literal.Month(time.Date(2000, month, 1, 0, 0, 0, 0, time.UTC), 0)
	}
	return month.String()
}
