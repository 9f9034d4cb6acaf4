package grounding

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

var monthNames = set(`январь января январе январем февраль февраля феврале февралем март марта марте мартом апрель апреля апреле апрелем май мая мае маем
	июнь июня июне июнем июль июля июле июлем август августа августе августом сентябрь сентября сентябре сентябрем октябрь октября октябре октябрем
	ноябрь ноября ноябре ноябрем декабрь декабря декабре декабрем янв фев апр авг сен сент окт ноя нояб дек
	january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec`)

var (
	monthPattern = `(?:` + alternatives(monthNames) + `)`
	monthStart   = `(?:^|[^\p{L}])` + monthPattern
	wordEnd      = `(?:[^\p{L}]|$)` // \b knows no Cyrillic
	dayPattern   = `(?:[12]?[0-9]|3[01]|0[1-9])`
	dayMonth     = `(?:0[1-9]|[12][0-9]|3[01])\.(?:0[1-9]|1[0-2])`
	yearPattern  = `(?:19[89][0-9]|20[0-9][0-9])`
	dayList      = dayPattern + `(?:-?(?:го|е|е|ого|st|nd|rd|th))?(?: ?(?:-|—|,|и|по|до|to|and|until|through) ?` + dayPattern + `(?:-?(?:го|е|st|nd|rd|th))?)*`

	// calendar is dates, times and years as people write them.
	calendar = expression.Of(`\b` + yearPattern + `-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?(?:t[0-9:.]+(?:z|[+-][0-9:]+)?)?\b` +
		`|\b` + dayPattern + `[./](?:0?[1-9]|1[0-2])[./](?:` + yearPattern + `|[0-9]{2})\b` +
		`|\b(?:0?[1-9]|1[0-2])/` + dayPattern + `/` + yearPattern + `\b` +
		`|\b` + dayMonth + ` ?(?:-|—|по|до|to|until) ?` + dayMonth + `\b` +
		`|\b(?:0[1-9]\.(?:0[1-9]|1[0-2])|[123][0-9]\.0[1-9])(?: ?[-—] ?` + dayPattern + `\.(?:0[1-9]|1[0-2]))?\b` +
		`|\b(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?\b` +
		`|\b` + dayList + ` (?:of )?` + monthPattern + `(?:[., ]{1,2}` + yearPattern + `\b|` + wordEnd + `)` +
		`|` + monthStart + `\.? ` + dayList + `(?:,? ` + yearPattern + `)?\b` +
		`|` + monthStart + `\.?,? ` + yearPattern + `\b` +
		`|\b` + yearPattern + `(?: ?[-—] ?` + yearPattern + `)? ?(?:год|гг?` + wordEnd + `|year)` +
		`|(?:utc|gmt|msk|мск) ?[+-][0-9]{1,2}\b|\bq[1-4]\b|\b[1-4](?:-?[йм])? ?(?:кв` + wordEnd + `|квартал)|\b[12](?:-?е)? полугоди`)

	yearAfter = expression.Of(`(?:^|[ («"])(?:в|за|с|по|до|на|из|от|к|in|since|of|for|until|from|by|during) ` + yearPattern + `\b`)

	dayAfter = expression.Of(`(?:остат[а-я]+ на|склада на|данные на|состоянию на|stock on|as of) ` + dayMonth + `\b`)

	// period is the window that a question is about; it measures nothing of the business.
	period = expression.Of(`(?:последни[ехм]|прошедши[ехм]|прошлы[ехм]|предыдущи[ехм]|ближайши[ехм]|следующи[ехм]|last|past|previous|next|trailing|coming|за|период в|window of|период —|период:?) $`)

	// denial stands before the "100 %" that a missing cost is not.
	denial = expression.Of(`(?:^|[^\p{L}])(?:не|not) $`)

	// ranked numbers order things; they count nothing.
	ranked = expression.Of(`(?:топ|top)[ -]?$`)

	ordinal    = expression.Of(`^-?(?:й|го|му|м|ый|ой|ая|ое|ые|я|е|ю|ей|st|nd|rd|th)` + wordEnd)
	listMark   = expression.Of(`^(?:#+ )?(\d{1,3})[.)](?: |$)`)
	inlineMark = expression.Of(`[;:,] $`) // "1) Основной; 2) Шоурум"
	wellKnown  = expression.Of(`\b1[сc]` + wordEnd + `|\b24/7\b`)
)

func alternatives(words map[string]bool) string {
	all := make([]string, 0, len(words))
	for word := range words {
		all = append(all, word)
	}
	return strings.Join(all, "|")
}

// exempt reports whether a figure is none of an amount, a share and a quantity: part of a date, a list's number, a rank.
func exempt(p passage, f figure) bool {
	text, before := p.text, lead(p.text[:f.start])
	if f.spelled {
		return idle(text, f)
	}
	if f.is == percent && f.readings[0].value.Equal(hundred) {
		return denial.MatchString(before)
	}
	if f.is == money || f.is == percent || f.is == multiple || f.scaled {
		return false
	}
	if (f.end == f.to || f.is == duration || strings.HasPrefix(strings.TrimSpace(text[f.to:f.end]), "г")) && p.dates().hold(f) {
		return !p.decimal(f)
	}
	if f.is == duration {
		return period.MatchString(before)
	}
	short := f.to-f.from <= 3
	if short && ranked.MatchString(before) {
		return true
	}
	if f.is != bare {
		return false
	}
	if mark := listMark.FindStringSubmatchIndex(text); mark != nil && mark[2] == f.from && mark[3] == f.to {
		n, _ := strconv.Atoi(text[f.from:f.to])
		return p.list.continuedBy(n)
	}
	if inline := inlineMark.FindString(lead(text[:f.from])); inline != "" && strings.HasPrefix(text[f.to:], ") ") {
		n, _ := strconv.Atoi(text[f.from:f.to])
		return n == 1 || n > 1 && strings.Contains(text[:f.from], " "+strconv.Itoa(n-1)+") ")
	}
	return p.sayings().hold(f) || short && ordinal.MatchString(text[f.to:])
}

// measured leads to a figure that something comes to.
var measured = expression.Of(`(?:марж|рентабельн|прибыл|выручк|наценк|остат|остал|цен[аыу]|стоимост|скорост|дол[яюи]|покрыти|запас|продаж|margin|profit|revenue|markup|velocity|share|coverage|price|cost|stock|left|units|в день|per day)[\p{L}]*[^\p{L}\d]{0,4}$`)

// decimal reports whether a figure that may be a day and its month, such as 12.05, is told as what something comes to.
func (p passage) decimal(f figure) bool {
	before := lead(p.text[:f.from])
	if p.cell && before == "" {
		before = p.heading()
	}
	alone := slices.ContainsFunc(p.dates(), func(span []int) bool { return span[0] == f.from && span[1] == f.to })
	return alone && f.to-f.from == len("12.05") && p.text[f.from+len("12")] == '.' && measured.MatchString(before)
}

// spans are parts of a text, each from one place to another.
type spans [][]int

// spansOf are the matches of patterns.
func spansOf(text string, patterns ...*expression.Expression) (all spans) {
	for _, pattern := range patterns {
		all = append(all, pattern.FindAllStringIndex(text, -1)...)
	}
	return all
}

// hold reports whether a figure's number stands in one of them.
func (s spans) hold(f figure) bool {
	return slices.ContainsFunc(s, func(span []int) bool { return span[0] <= f.from && f.to <= span[1] })
}

// list is the numbers that the lists of an answer have had so far: nested ones go on where they stopped.
type list [1000]bool

func (l *list) continuedBy(n int) bool { return n == 1 || n > 1 && l[n-1] }

// numbered is the number that a line of a list begins with; 0 for none.
func numbered(text string) int {
	mark := listMark.FindStringSubmatch(text)
	if mark == nil {
		return 0
	}
	n, _ := strconv.Atoi(mark[1])
	return n
}

// abstract begin nouns that nobody counts stock in: "по двум причинам", "three ways".
var abstract = expression.Of(`^ ?(?:причин|вывод|совет|вариант|способ|вопрос|шаг|раза?` + wordEnd + `|пункт|част|сторон|вид|тип|групп|услови|(?:of|из|more|other)` + wordEnd + `|reason|conclusion|option|way|thing|step|question|time|part|kind|type|point|group|side|stage)`)

// idle reports whether a number in words says nothing: "one of", "один и тот же", "по двум причинам", "above zero".
func idle(text string, f figure) bool {
	value := f.readings[0].value
	switch {
	case f.is != bare && f.is != quantity && f.is != duration:
		return false
	case value.Equal(one):
		return f.is == bare || !countWord(text[f.to:f.end])
	case value.IsZero():
		return negatedZero(text, f)
	}
	return value.LessThan(thousand) && f.is == bare && abstract.MatchString(text[f.end:])
}

var beforeZero = expression.Of(`(?:^|[^\p{L}])(?:не|not|isn't|never|non|above|below|than|over|under|from|выше|ниже|больше|меньше|более|менее|от|с|вместо|instead of|rather than)(?: (?:равна|равен|равно|равны|be|is|a|equal to|=))?[ -]*$`)

// negatedZero reports zeros that are named to say what something is not: "не 0", "ниже нуля", "not zero".
func negatedZero(text string, f figure) bool {
	return beforeZero.MatchString(lead(text[:f.from]))
}
