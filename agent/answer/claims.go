package answer

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/claim"
	"github.com/kopeck/kopeck/agent/answer/evidence"
	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// figureMark stands for a figure among the model's words. It cannot be part of them.
const figureMark = "\uE001"

// mostWords is how much of the model's words is searched, in bytes.
const mostWords = 16 << 10

// Unconfirmed returns what the text so far says that no figure shows.
func (w *Writer) Unconfirmed(ctx context.Context) Unconfirmed {
	u := claims{Writer: w, ctx: ctx}
	for line := range strings.Lines(introForm.ReplaceAllString(w.words.String(), ": ")) {
		line = line[len(listMarkForm.FindString(line)):]
		for from := 0; from < len(line); {
			end := len(line)
			if stop := sentenceForm.FindStringIndex(line[from:]); stop != nil {
				end = from + stop[0] + 1
			}
			u.sentence(line[from:end])
			from = end
		}
	}
	return u.found
}

var (
	listMarkForm = regexp.MustCompile(`^\s*\d{1,3}[.)]\s`)
	introForm    = regexp.MustCompile(`:\s*\n\s*`) // what a line introduces belongs to its sentence
	sentenceForm = regexp.MustCompile(`[.!?][»”")]*\s+[\p{Lu}«“"` + figureMark + `]`)
)

// claims finds what a text says by itself.
type claims struct {
	*Writer
	ctx   context.Context
	next  int               // the figure that the next mark stands for
	shown []decimal.Decimal // numbers of the figures and of their expressions; nil until needed
	found Unconfirmed
}

// ownWords is a sentence in the model's words.
type ownWords struct {
	plain  plain.Folded
	source string
}

// written returns a part of the sentence as the model wrote it.
func (o ownWords) written(from, to int) string { return o.source[o.plain.From[from]:o.plain.To[to-1]] }

// sentence adds what a sentence says, in order.
func (u *claims) sentence(text string) {
	o := ownWords{plain.Of(text), text}
	figures := u.all[u.next:min(u.next+strings.Count(text, figureMark), len(u.all))]
	u.next += len(figures)
	absent, unchecked := map[int]string{}, map[int]string{} // by where they start
	mentions := literal.MentionsIn(o.plain.Text)
	for _, m := range mentions {
		absent[m.Start] = u.date(o, m)
	}
	said := u.claims(o, figures)
	numbers := 0
	for f := range literal.Figures(o.plain.Text) {
		isDate := slices.ContainsFunc(mentions, func(m literal.Mention) bool { return m.Date.Sure && m.Start < f.End && f.Start < m.End })
		inClaim := slices.ContainsFunc(said, func(c claim.Claim) bool { return c.Start < f.End && f.Start < c.End })
		if isDate || inClaim {
			continue
		}
		numbers++
		if isCount(o, f) {
			unchecked[f.Start] = u.number(o, f)
		} else {
			absent[f.Start] = u.number(o, f)
		}
	}
	for _, c := range said {
		isQuantity := c.Kind == claim.Share || c.Kind == claim.Multiple
		if isQuantity || len(figures)+numbers > 0 { // other advice and small talk claims nothing about the books
			unchecked[c.Start] = reference.Quoted(u.config.Lang, o.written(c.Start, c.End)) + u.saidAs(o.plain.Text[c.Start:c.End])
		}
	}
	for _, at := range slices.Sorted(maps.Keys(absent)) {
		if absent[at] != "" {
			addOnce(&u.found.Absent, absent[at])
		}
	}
	for _, at := range slices.Sorted(maps.Keys(unchecked)) {
		if unchecked[at] != "" {
			addOnce(&u.found.Unchecked, unchecked[at])
		}
	}
}

// claims returns the claims of a sentence that none of its figures shows, each with the word after it, if that tells more.
func (u *claims) claims(o ownWords, figures []Figure) (unshown []claim.Claim) {
	said := claim.In(o.plain.Text)
	if len(said) == 0 {
		return nil
	}
	u.found.Claims = true
	shows := u.shows(figures)
	for _, c := range said {
		if shows[c.Kind] {
			continue
		}
		const telling = 4 // letters: no preposition
		next := literal.WordAt(o.plain.Text, min(c.End+1, len(o.plain.Text)))
		if utf8.RuneCountInString(next) >= telling && o.plain.Text[c.End] == ' ' {
			c.End += 1 + len(next)
		}
		unshown = append(unshown, c)
	}
	return unshown
}

// shows returns the kinds of claims that figures show, right or wrong: whoever reads them can compare.
func (u *claims) shows(figures []Figure) map[claim.Kind]bool {
	shows := map[claim.Kind]bool{}
	numbers := map[reference.Kind]int{}
	compare := func() { shows[claim.Course], shows[claim.Comparison], shows[claim.Multiple] = true, true, true }
	for _, f := range figures {
		if f.Marked {
			continue
		}
		uses := u.config.Book.Anatomy(f.Expression).Uses
		one := func(names ...string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return uses[name] })
		}
		is, _ := u.config.Book.Explain(u.ctx, f.Expression) // without a value it is not extreme
		if is.Extreme || is.ExtremeOfKind || one("top", "bottom", "min", "max", "first") {
			shows[claim.Extreme] = true
		}
		if one("count", "len", "filter", "group", "table") {
			shows[claim.Only] = true
		}
		if one("change", "-") {
			compare()
		}
		if reference.UnitOf(f.Kind) == tools.KindPercent || one("/") {
			shows[claim.Share], shows[claim.Multiple] = true, true
		}
		if numbers[f.Kind]++; f.Kind == reference.Tabular || numbers[f.Kind] > 1 && reference.IsNumber(f.Kind) {
			compare()
		}
	}
	return shows
}

// date returns a date unless a report has it.
func (u *claims) date(o ownWords, m literal.Mention) string {
	text := o.written(m.Start, m.End)
	first, _ := utf8.DecodeRuneInString(text)
	switch {
	case !m.Date.Sure && m.Date.Day+m.Date.Year > 0, m.Date.Clock, u.isReported(m.Date):
		return ""
	case unicode.Is(unicode.Latin, first) && !unicode.IsUpper(first): // "may" is no month
		return ""
	case !unicode.IsDigit(first):
		text = monthName(u.config.Lang, time.Month(m.Date.Month))
	}
	return text + u.saidBy(o, literal.Figure{Date: m.Date})
}

// isReported reports whether a date is of a report, or of a row that the answer cites.
func (u *claims) isReported(d literal.Date) bool {
	if u.evidence.IsReported(d) {
		return true
	}
	return slices.ContainsFunc(u.all, func(f Figure) bool {
		rows := (reference.Value{Origins: f.Origins}).Rows()
		return len(rows) == 1 &&
			slices.ContainsFunc(u.config.Book.Days(rows[0]), func(day time.Time) bool { return d.Within(day, day) })
	})
}

// isCount reports whether a number is a small count or a short time, which some value of a report equals by chance.
func isCount(o ownWords, f literal.Figure) bool {
	isTime := f.Unit.Is == tools.KindDays || f.Unit.Is == tools.KindMonths
	return f.Small(o.plain.Text) >= 0 && (f.Bare() || isTime && f.Word != nil)
}

// number returns a number unless a figure shows it, or it is exactly a value of a report.
func (u *claims) number(o ownWords, f literal.Figure) string {
	text := o.plain.Text
	number := f.Literal(text)
	if f.Place || isPartOfCode(text, f) || f.Small(text) == 0 || f.Small(text) == 1 && (f.Word == nil || isOneOf(text[f.End:])) {
		return ""
	}
	verdict, _ := u.evidence.Judge(text, f, func() []plain.Word { return plain.Words(text) })
	if verdict == evidence.Known || u.evidence.Lasts(number) || !f.Date.None() && u.isReported(f.Date) || u.isShown(number) {
		return ""
	}
	largest := decimal.Zero // "600,000" can be read as 600 as well
	for _, r := range number.Readings {
		largest = decimal.Max(largest, r.Value)
	}
	reported := func(v reference.Value) bool {
		row := v.Origins[0].Row
		return (largest.Equal(v.Decimal().Abs()) || f.Scaled() && row == 0) && (!isCount(o, f) || row > 0 && u.cites(v.Origins[0]))
	}
	if slices.ContainsFunc(u.config.Book.Find(number), reported) {
		return ""
	}
	written := o.written(f.Start, f.End)
	if whole, ends := strings.CutSuffix(written, "."); ends && !abbreviation[plain.Text(whole[strings.LastIndexAny(whole, " \u00a0\u202f")+1:])] {
		written = whole
	}
	if f.Word != nil {
		written = reference.Quoted(u.config.Lang, written)
	}
	return written + u.saidBy(o, f)
}

// isPartOfCode reports whether a number is a part of a longer code, such as the 2 of "40168544-4119-2".
func isPartOfCode(text string, f literal.Figure) bool {
	before, after := text[:f.From], text[f.To:]
	return strings.HasSuffix(before, "-") && plain.IsDigit(plain.Last(strings.TrimSuffix(before, "-"))) ||
		len(after) > 1 && after[0] == '-' && plain.IsDigitByte(after[1])
}

// isOneOf reports whether a text goes on after "one" as in "one of them" or "one is", where it is no count.
func isOneOf(rest string) bool {
	next := plain.Words(rest)
	return len(next) == 0 || slices.Contains([]string{"of", "из", "is", "more", "thing", "can", "or", "и"}, next[0].Text)
}

// cites reports whether a figure of the answer is of a row.
func (u *claims) cites(row reference.Origin) bool {
	return slices.ContainsFunc(u.all, func(f Figure) bool {
		return slices.ContainsFunc(f.Origins, func(o reference.Origin) bool {
			return o.Report == row.Report && o.Row == row.Row && o.List() == row.List()
		})
	})
}

// isShown reports whether a number is in a figure of the answer or its expression, or counts the rows of a figure, of a table or of
// the answer.
func (u *claims) isShown(number literal.Literal) bool {
	if u.shown == nil {
		u.shown = []decimal.Decimal{}
		runes := []rune(u.text.String())
		u.shown = append(u.shown, rowsOf(u.all...)...)
		for _, f := range u.all {
			u.shown = append(u.shown, u.numbersOf(f, string(runes[f.Start:f.End]))...)
		}
	}
	return slices.ContainsFunc(number.Readings, func(r literal.Reading) bool { return slices.ContainsFunc(u.shown, r.Equals) })
}

// numbersOf returns the numbers of a figure and of its expression.
func (u *claims) numbersOf(f Figure, text string) []decimal.Decimal {
	numbers := slices.Concat(u.config.Book.Anatomy(f.Expression).Numerals, rowsOf(f))
	switch {
	case reference.IsText(f.Kind):
		return numbers
	case f.Kind == reference.Tabular:
		const head = 2
		numbers = append(numbers, decimal.NewFromInt(int64(strings.Count(text, "\n")+1-head)))
	}
	text = plain.Text(text)
	for number := range literal.Figures(text) {
		for _, r := range number.Literal(text).Readings {
			numbers = append(numbers, r.Value)
		}
	}
	return numbers
}

// rowsOf returns the number of rows that figures are of, if there are several: a figure of one row does not show that it is the
// only one.
func rowsOf(figures ...Figure) []decimal.Decimal {
	names := map[string]bool{}
	for _, f := range figures {
		for _, o := range f.Origins {
			if o.Row > 0 {
				names[o.RowName] = true
			}
		}
	}
	if len(names) < 2 {
		return nil
	}
	return []decimal.Decimal{decimal.NewFromInt(int64(len(names)))}
}

// saidAs says that words are the user's.
func (u *claims) saidAs(words string) string {
	if !slices.ContainsFunc(u.config.Said, func(said string) bool { return plain.Contains(plain.Text(said), words) }) {
		return ""
	}
	return yourWords.In(u.config.Lang)
}

var yourWords = bilingual.Text{RU: " (с ваших слов)", EN: " (your words)"}

// saidBy says that a number or date is the user's.
func (u *claims) saidBy(o ownWords, f literal.Figure) string {
	if !u.evidence.UserSaid(o.plain.Text, f) {
		return ""
	}
	return yourWords.In(u.config.Lang)
}

func monthName(lang string, month time.Month) string {
	if lang == "ru" {
		return literal.Month(time.Date(2000, month, 1, 0, 0, 0, 0, time.UTC), 0)
	}
	return month.String()
}
