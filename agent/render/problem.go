package render

import (
	"strings"

	"github.com/kopeck/kopeck/schemas/check"
)

// arguments are what the arguments of tools are called in Russian.
var arguments = map[string]string{
	"from": "начало периода", "to": "конец периода", "as_of": "день", "days": "за сколько дней", "months": "за сколько месяцев", "cell": "ячейка ABC-XYZ", "group_by": "по чему группировать",
	"warehouse": "склад", "from_warehouse": "склад, с которого перемещают", "to_warehouse": "склад, на который перемещают",
	"supplier": "поставщик", "channel": "канал продаж", "organization": "юрлицо", "done_states": "статус",
	"lines": "товары", "product": "товар", "units": "количество", "price": "цена", "price_type": "тип цены", "change": "на сколько изменить цену", "change_percent": "на сколько процентов изменить цену",
	"query": "название товара", "limit": "число строк", "from_shortage": "недостающее", "expression": "выражение",
	"lead_time_days": "срок поставки в днях", "service_level": "уровень сервиса", "window_days": "за сколько дней считать",
	"min_days": "сколько дней без движения", "sales_window_days": "за сколько дней смотреть продажи", "grace_days": "отсрочка в днях",
	"cover_days": "на сколько дней хватит", "min_cover_days": "на сколько дней хватит", "metric": "показатель",
	"x_percent": "граница X", "y_percent": "граница Y", "number_in": "где искать номер", "arguments": "условия",
}

// Argument is what an argument of a tool is called, by its path; known tells that the name is ours and not a caller's.
func Argument(lang, path string) (name string, known bool) {
	steps := strings.Split(path, ".")
	argument := steps[len(steps)-1]
	for i := len(steps) - 2; i >= 0 && strings.Trim(argument, "0123456789") == ""; i-- { // a place in a list
		argument = steps[i]
	}
	name, known = arguments[argument]
	switch {
	case lang == "en":
		return Inline(strings.ReplaceAll(argument, "_", " ")), known
	case !known:
		return "условие «" + Inline(argument) + "»", false
	}
	return name, true
}

// Problem is what is wrong with an argument of a call, for people: which argument, and why. What the call held and what the
// books have to choose from is repeated where it may be, and left out otherwise. It is not ok if nothing is left: the
// argument is none of ours, or names of the books that may not be repeated are the whole of what there is to say.
func Problem(lang string, p *check.Problem, may func(text string) bool) (text string, ok bool) {
	name, known := Argument(lang, p.Field)
	wrong := Inline(p.Wrong.In(lang))
	if !known && !may(name) || len(p.Wrong.Names()) > 0 && !may(wrong) {
		return "", false
	}
	text = name + ": " + wrong
	for _, more := range []string{Inline(p.Got(lang)), Inline(p.Choice(lang))} {
		if more != "" && may(more) {
			text += more
		}
	}
	return text, true
}
