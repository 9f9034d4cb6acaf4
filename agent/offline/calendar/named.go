package calendar

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// numbered reads a month or a year in digits: "10.2026", "2026-10", "10 месяц", "2025 год", "25 год".
func (r reader) numbered(i int) (Period, int) {
	if at, err := time.Parse("1.2006", r.text(i)); err == nil {
		return r.resolve(end{month: at.Month(), year: at.Year()}), 1
	}
	year, length := r.year(i)
	if n, ok := r.whole(i + 2); ok && year > 0 && n <= 12 && len(r.text(i+2)) == 2 && r.text(i+1) == "-" {
		return r.resolve(end{month: time.Month(n), year: year}), 3
	}
	if n, ok := r.whole(i); ok && n > 1 && n <= 12 && r.is(i+1, lex.NumberedMonth) {
		return r.resolve(end{month: time.Month(n)}), 2
	}
	return Back(Year, 0, r.date(year, time.January, 1)), length
}

// week reads a week of a month: "первая неделя ноября", "last week of October".
func (r reader) week(i int) (Period, int) {
	n, ending := r.ordinal(i), r.is(i, lex.Recent)
	month, length := r.latest(i + 2)
	if n == 0 && !ending || r.unit(i+1) != Week || month.Unit != Month {
		return Period{}, 0
	}
	from := month.From.AddDate(0, 0, 7*(n-1))
	if ending {
		from = month.To.AddDate(0, 0, -6)
	}
	return Period{From: from, To: from.AddDate(0, 0, 6)}, 2 + length
}

// named reads a quarter or a half with its number: "3 квартал 2025", "q3", "первое полугодие".
func (r reader) named(i int) (Period, int) {
	n, unit, length := r.ordinal(i), r.unit(i+1), 2
	low := words.Folded(r.text(i))
	switch {
	case len(low) == 2 && (low[0] == 'q' || low[0] == 'h') && low[1] >= '1' && low[1] <= '4':
		n, unit, length = int(low[1]-'0'), map[byte]Unit{'q': Quarter, 'h': Half}[low[0]], 1
	case n > 0 && (unit == Quarter || unit == Half):
	case r.unit(i) == Quarter:
		n, unit = r.ordinal(i+1), Quarter
	case n > 0 && r.is(i+1, lex.HalfOf):
		return r.halfOf(i)
	case (r.like == Quarter || r.like == Half) && Ordinal(r.token(i)) > 0 && !r.describes(i):
		unit, length = r.like, 1
	default:
		return Period{}, 0
	}
	months := monthsOf[unit]
	if n == 0 || n*months > 12 {
		return Period{}, 0
	}
	year, more := r.ofYear(i + length)
	if more == 0 {
		year = r.today.Year()
		if (n-1)*months >= int(r.today.Month()) {
			year--
		}
	}
	return Back(unit, 0, r.date(year, time.Month((n-1)*months+1), 1)), length + more
}

// ordinals reads two quarters or halves that share the word for the unit: the whole of "с первого по второй квартал", and the first of
// "I и II квартал".
func (r reader) ordinals(i int) (Period, int) {
	at := i
	if r.is(i, lex.Since) {
		at = r.skip(i+1, lex.Article)
	}
	joining := at + 1
	second := r.skip(joining+1, lex.Article)
	n, unit := r.ordinal(at), r.unit(second+1)
	if n == 0 || unit != Quarter && unit != Half || r.ordinal(second) <= n {
		return Period{}, 0
	}
	last, length := r.named(second)
	first := Back(unit, r.ordinal(second)-n, last.From)
	if r.is(joining, lex.Until) || strings.Trim(r.text(joining), "-–—") == "" {
		return Period{From: first.From, To: last.To}, second + length - i
	}
	return first, at + 1 - i
}

var functionWords = sync.OnceValue(words.Function)

// describes reports whether an ordinal says which thing is meant, not which period: "the first one", "второй товар".
func (r reader) describes(i int) bool {
	const shortest = 4 // "first and second", "второй к первому"
	next := r.text(i + 1)
	asks := i+1 < len(r.tokens) && functionWords().Knows(r.tokens[i+1]) // "за второй сколько было"
	return len([]rune(next)) >= shortest && !asks || next == "one" || next == "of"
}

// halfOf reads half of a period: "первая половина октября", "second half of last year". If the question does not say of which, it is half
// of the year or month that was spoken of.
func (r reader) halfOf(i int) (Period, int) {
	n, of := r.ordinal(i), r.skip(i+2, lex.Inside)
	half := func(whole Period) Period {
		if monthsOf[whole.Unit] > monthsOf[Quarter] {
			return Back(Half, 2-n, Back(Year, 0, whole.From).To)
		}
		month := Back(Month, 0, whole.From)
		middle := month.From.AddDate(0, 0, 14)
		if n == 1 {
			return Period{From: month.From, To: middle}
		}
		return Period{From: middle.AddDate(0, 0, 1), To: month.To}
	}
	if n > 2 {
		return Period{}, 0
	}
	whole, length := r.relative(of)
	spoken := length < 2
	if spoken {
		whole, length = r.latest(of)
	}
	next := of + length
	if whole.Unit == Year || whole.Unit == Month && (!spoken || r.month(next-1) != 0) {
		return half(whole), next - i
	}
	p := half(Back(cmp.Or(r.like, Month), 0, r.today))
	if p.Beside = half; whole.Unit == Month {
		return p, next - i
	}
	return p, 2
}

// vague reads a period without exact days: "в конце октября".
func (r reader) vague(i int) (Period, int) {
	p, length := r.latest(i + 1)
	if length == 0 || !r.is(i, lex.Vague) && !r.is(i, lex.Start) {
		return Period{}, 0
	}
	p.Wrong = true
	return p, 1 + length
}

// season reads a season. It returns the latest one that has begun.
func (r reader) season(i int) (Period, int) {
	n := index(r.token(i), lex.Seasons)
	if n == 0 || i > 0 && r.token(i).Cyrillic() && r.token(i).Capital() { // "кафе Весна"
		return Period{}, 0
	}
	from := r.date(r.today.Year(), time.Month(3*n), 1)
	if from.After(r.today) {
		from = from.AddDate(-1, 0, 0)
	}
	return Period{From: from, To: from.AddDate(0, 3, -1)}, 1
}
