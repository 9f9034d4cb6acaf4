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

// Unconfirmed lists the numbers, dates and parts in the model's words that no report has:
//
//	Отчётами не подтверждено: 320 000 ₽ (с ваших слов), сентябрь, «втрое».
//
// They can be right, but the reports that were read do not show it. It is empty if there are none.
func Unconfirmed(c Config, text string, figures []Figure) string {
	u := unconfirmed{lang: c.Lang, book: c.Book, backing: evidence.New(c.Sources()), figures: figures}
	runes := []rune(text)
	var own strings.Builder // the text without its figures
	done := 0
	for _, f := range figures {
		own.WriteString(string(runes[done:f.Start]) + " … ")
		done = f.End
		u.shows(f.Expression, string(runes[f.Start:f.End]))
	}
	own.WriteString(string(runes[done:]))
	const most = 16 << 10 // bytes that are searched
	for line := range strings.Lines(own.String()[:min(own.Len(), most)]) {
		u.line(line)
	}
	if len(u.items) == 0 {
		return ""
	}
	end := "."
	if len(u.items) > mostUnconfirmed {
		u.items, end = u.items[:mostUnconfirmed], "…"
	}
	return bilingual.Text{RU: "Отчётами не подтверждено: ", EN: "Not confirmed by reports: "}.In(c.Lang) + strings.Join(u.items, ", ") + end
}

const mostUnconfirmed = 8

type unconfirmed struct {
	lang    string
	book    *reference.Book
	backing *evidence.Backing
	figures []Figure
	shown   []decimal.Decimal // numbers of the figures and of their expressions
	items   []string
}

// shows records the numbers of a figure and of its expression.
func (u *unconfirmed) shows(expression, text string) {
	u.shown = append(u.shown, u.book.Numerals(expression)...)
	text = plain.Text(text)
	for f := range literal.Figures(text) {
		for _, r := range f.Literal(text).Readings {
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
		return reference.Quoted(u.lang, text)
	case m.Date.Clock, unicode.Is(unicode.Latin, first) && !unicode.IsUpper(first), u.isReported(m.Date): // "may" is no month
		return ""
	case !unicode.IsDigit(first):
		text = monthName(u.lang, time.Month(m.Date.Month))
	}
	return text + u.source(l, literal.Figure{Date: m.Date})
}

// isReported reports whether a date is of a report, or of a row that the answer cites.
func (u *unconfirmed) isReported(d literal.Date) bool {
	if u.backing.IsReported(d) {
		return true
	}
	return slices.ContainsFunc(u.figures, func(f Figure) bool {
		return slices.ContainsFunc(f.Origins[:min(len(f.Origins), mostRowsNamed)], func(o reference.Origin) bool {
			return slices.ContainsFunc(u.book.Days(o), func(day time.Time) bool { return d.Within(day, day) })
		})
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
	verdict, _ := u.backing.Judge(text, f, func() []plain.Word { return plain.Words(text) })
	if verdict == evidence.Known || u.backing.Lasts(number) || !f.Date.None() && u.isReported(f.Date) {
		return ""
	}
	is := func(d decimal.Decimal) bool {
		return slices.ContainsFunc(number.Readings, func(r literal.Reading) bool { return r.Value.Equal(d.Abs()) })
	}
	reported := func(v reference.Value) bool { return is(v.Decimal()) }
	if slices.ContainsFunc(u.shown, is) || !few && slices.ContainsFunc(u.book.Find(number), reported) {
		return ""
	}
	written := l.written(f.Start, f.End)
	if f.Word != nil {
		written = reference.Quoted(u.lang, written)
	}
	return written + u.source(l, f)
}

// source says that a number or date is the user's.
func (u *unconfirmed) source(l ownLine, f literal.Figure) string {
	if !u.backing.UserSaid(l.plain.Text, f) {
		return ""
	}
	return bilingual.Text{RU: " (с ваших слов)", EN: " (your words)"}.In(u.lang)
}

func monthName(lang string, month time.Month) string {
	if lang == "ru" {
		return literal.Month(time.Date(2000, month, 1, 0, 0, 0, 0, time.UTC), 0)
	}
	return month.String()
}
