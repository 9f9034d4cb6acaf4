package offline

import (
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

// A time that a question says and that no form reads would be answered with some other one: it is asked about.

var (
	// misread are times that would be read as others: a day in words as its month, a sale as its weekday.
	misread = expression.Of(`\d/\d\d?/\d{4}|черн\pL+ пятниц|black friday|cyber monday|(?:^|[^\pL])(?:перв|втор|трет|четверт|пят|шест|седьм|восьм|девят|десят|одиннадцат|двенадцат|\pL+надцат|двадцат|тридцат)(?:ого|ое|ье|ьего)\s+` + genitive +
		`|\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\pL+teenth|twentieth|thirtieth)\s+of\s+` + englishMonth + `\b`)

	// timeWord is a word for a time.
	timeWord = expression.Of(`(?:^|[^\pL])((?:` + strings.Join(months[:], "|") + `)\pL*|недел\pL*|месяц\pL*|мес\.|квартал\pL*|полугод\pL*|полгода|год(?:а|у|ом|е|ы|ов|ик)?|прошлогодн\pL+|позапрошлогодн\pL+|лет|` +
		`зим(?:а|у|ы|е|ой)|весн(?:а|у|ы|е|ой)|лет(?:о|а|ом|у)|осен(?:ь|и|ью)|сезон(?:а|е|у|ы)?|понедельник\pL*|вторник\pL*|сред(?:а|у|ы|ам)|четверг\pL*|пятниц\pL*|суббот\pL*|воскресень\pL*|выходны\pL*|будн\pL+|` +
		`день|дня|дней|дни|дням|сут(?:ки|ок)|час(?:а|ов)?|числ(?:о|а|у)|утр(?:о|а|ом)|вечер(?:а|ом)?|начал\pL*|середин\pL*|кон(?:ец|ца|цу|це|цом)|декад\pL*|недавн\pL+|праздник\pL*|каникул\pL*|период\pL*|истори(?:ю|и)|` +
		`weeks?|months?|quarters?|years?|days?|hours?|winter|summer|autumn|seasons?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|weekdays?|holidays?|christmas|назад|ago|recent|recently|lately|period|ytd|mtd|ever)(?:[^\pL]|$)` +
		`|(?:^|[^\pL])((?:все|последнее|это|то) время|на днях|с \d\d? по \d\d?\s*[?!.]*$|(?:перв|втор)\pL+ половин\pL*|за (?:перв|втор|трет|четверт|пят)(?:ую|ый|ое|ью|ий|ье)\s*[?.!]*$|for the (?:first|second|third|fourth|fifth)(?: one)?\s*[?.!]*$|сегодня|вчера|завтра|all time|tomorrow|(?:start|beginning|middle|end|half) of)(?:[^\pL]|$)` +
		`|(?:^|[^\pL\d.,])(\d\d?/\d\d?/\d{4}|20[0-4]\d(?:-\d\d?){0,2})(?:[^\pL\d.,]|$)`)

	// timeless are uses of such words that name no period: a greeting, so much in each, a table of each, the ends of the period that is named.
	timeless = expression.Of(`(?:^|[^\pL])(?:добр\pL+ (?:день|утро|вечер)|good (?:day|morning|evening)|(?:в|за кажд\pL+|кажд\pL+)\s+(?:день|сутки|неделю|месяц|квартал|год)|(?:на|за)\s+(?:каждый|один)\s+день|(?:per|a|each|every)\s+(?:day|week|month|quarter|year)|(?:на|к)\s+(?:начало|конец)(?:\s+и\s+(?:на\s+)?конец)?(?:\s+период\pL*)?|(?:start|beginning|end) of (?:the )?period|days? of cover)`)

	// apartForm asks for each day, week or month by itself.
	apartForm = expression.Of(`(?:^|[^\pL])(?:по\s+(?:дням|неделям|месяцам|кварталам|годам|выходным|будням|дням недели)|помесячн\pL*|понедельн(?:о|ая|ый)|ежедневн\pL*|ежемесячн\pL*|еженедельн\pL*|by\s+(?:day|week|month|quarter|year)|(?:day|week|month)[- ]by[- ](?:day|week|month)|daily|weekly|monthly)(?:[^\pL]|$)`)
)

// unreadTime is the first word for a time in what is left of a folded text when its periods have been taken out.
func unreadTime(rest string) string {
	rest = quotedForm.ReplaceAllString(rest, " ")
	rest = apartForm.ReplaceAllString(rest, " ")
	rest = timeless.ReplaceAllString(rest, " ")
	m := timeWord.FindStringSubmatch(rest)
	if m == nil {
		return ""
	}
	return strings.Trim(m[1]+m[len(m)-2]+m[len(m)-1], " ?!.")
}
