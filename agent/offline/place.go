package offline

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

// placeForms are ways to name a warehouse, tried in order on the text as it is written. A guess stands only if the name is
// nothing else.
var placeForms = []struct {
	re    *expression.Expression
	guess bool
}{
	{re: expression.Of(`(?i)(?:склад\pL*|магазин\pL*|warehouse|store)\s+` + inQuote)},
	{re: expression.Of(`(?i:склад)\pL*\s+(?:в\s+)?` + proper)},
	{re: expression.Of(`(?i:warehouse|store)\s+` + proper)},
	{re: expression.Of(`(?:[Нн]а|[Вв]о?|[Сс]о?|[Ии]з|[Дд]ля|[Пп]о)\s+([А-ЯЁ][\pL-]+)\s+склад\pL*`)},
	{re: expression.Of(`(?i:in|at|from|for|on)\s+(?i:the\s+)?` + proper + `\s+(?i:warehouse|store)`)},
	{re: expression.Of(`(?:^|\s)(?:[Нн]а|[Вв])\s+((?:[Мм]агазин|[Шш]оурум|[Пп]ункт)\pL*(?:\s+(?:выдачи|на))?(?:\s+[А-ЯЁ][\pL-]+)?)`)},
	{re: expression.Of(`(?i)(?:^|\s)((?:перв|втор|трет|четверт|пят|друг|соседн)\pL+\s+(?:склад|магазин)\pL*|(?:first|second|third|other)\s+(?:warehouse|store))`)},
	{re: expression.Of(`(?i)склад(?:е|а|у|ом)?\s+((?:вайлдбер|валдбер|озон|ozon|wildberries|яндекс|yandex)\pL*)`)},
	{re: expression.Of(`(?i)(?:^|\s)(?:на|во?|со?|из)\s+(\pL{4,})\s+складе?(?:$|[^\pL])`), guess: true},
	{re: expression.Of(`(?i)склад(?:е|а|у|ом)?\s+(\pL[\pL\d-]+)`), guess: true},
	{re: expression.Of(`(?:^|\s)(?:[Нн]а|[Вв]о?|[Ii]n|[Aa]t)\s+(?:the\s+)?` + proper), guess: true},
	{re: expression.Of(`^\s*(?:[Аа]\s+|[Aa]nd\s+)?(?:[Дд]ля|[Ff]or)\s+(?:the\s+)?` + proper + `[\s?!.]*$`), guess: true}, // that is all
}

var transferForm = expression.Of(`(?i:со?\s+склада|from(?:\s+the)?)\s+(?:` + inQuote + `|` + proper + `)\s+(?i:на\s+склад|на|to(?:\s+the)?)\s+(?:` + inQuote + `|` + proper + `)`)

// movedForm is the same in the words of a transfer, whose places need no capital letters.
var movedForm = expression.Of(`(?i)(?:^|\s)(?:со?|из|from)\s+(?:the\s+)?(?:склада\s+|магазина\s+)?(?:` + inQuote + `|(\pL[\pL\d-]*))\s+(?:на|в|во|to)\s+(?:the\s+)?(?:склад\s+|магазин\s+)?(?:` + inQuote + `|(\pL[\pL\d-]*))`)

// findPlace finds the warehouse a text names, and the text without it.
func findPlace(text string) (name, rest string) {
	for _, form := range placeForms {
		at := form.re.FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		if name = text[at[2]:at[3]]; marketplace(folded(name)) != "" {
			name = marketplace(folded(name))
		}
		if form.guess && !couldBePlace(name) {
			continue
		}
		return name, text[:at[0]] + " " + text[at[1]:]
	}
	return "", text
}

func couldBePlace(name string) bool {
	words := wordsOf(name)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
		return noise(w) || marketplace(w) != "" || monthNumber(w) != 0 || unreadTime(w) != ""
	})
}

// bothPlaces reads from where to where goods go, and gives the text without it.
func (s *slots) bothPlaces(text string, task *task) string {
	m := transferForm.FindStringSubmatch(text)
	if m == nil && task != nil && slices.Contains(task.tools, "draft_transfer") {
		m = movedForm.FindStringSubmatch(text)
	}
	if m == nil || !couldBePlace(m[1]+m[2]) || !couldBePlace(m[3]+m[4]) {
		return text
	}
	s.warehouse, s.toWarehouse = m[1]+m[2], m[3]+m[4]
	return strings.Replace(text, m[0], " ", 1)
}
