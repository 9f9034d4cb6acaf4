package render

import (
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

// arguments are what the arguments of tools are called in Russian.
var arguments = map[string]string{
	"from": "начало периода", "to": "конец периода", "as_of": "день", "days": "дней", "months": "месяцев",
	"warehouse": "склад", "from_warehouse": "склад, с которого перемещают", "to_warehouse": "склад, на который перемещают",
	"supplier": "поставщик", "channel": "канал продаж", "organization": "юрлицо", "done_states": "статус",
	"lines": "товары", "product": "товар", "units": "количество", "price": "цена", "price_type": "тип цены",
	"query": "название товара", "limit": "число строк", "from_shortage": "недостающее", "expression": "выражение",
	"lead_time_days": "срок поставки в днях", "service_level": "уровень сервиса", "window_days": "за сколько дней считать",
	"min_days": "сколько дней без движения", "sales_window_days": "за сколько дней смотреть продажи", "grace_days": "отсрочка в днях",
	"cover_days": "на сколько дней хватит", "min_cover_days": "на сколько дней хватит", "metric": "показатель",
	"x_percent": "граница A", "y_percent": "граница B",
}

// problems are what tools find wrong with an argument, and its Russian. What the call held follows ", got" and is left out.
var problems = []struct {
	said    *expression.Expression
	russian string
	names   bool // repeats a name
}{
	{expression.Of(`^is required$|^must not be (?:blank|empty)$|^must be named$`), "не указано", false},
	{expression.Of(`^must be (-?[\d.]+) to (-?[\d.]+)$`), "допустимо от $1 до $2", false},
	{expression.Of(`^must be at least (-?[\d.]+)$`), "не меньше $1", false},
	{expression.Of(`^must be at most (-?[\d.]+)$`), "не больше $1", false},
	{expression.Of(`^must be (\d{4}-\d\d-\d\d) or later$`), "не раньше $1", false},
	{expression.Of(`^must be a date such as 2026-10-31$`), "нужна дата, например 2026-10-31", false},
	{expression.Of(`^must not be after to$`), "позже конца", false},
	{expression.Of(`^must not be in the future$`), "этот день ещё не наступил", false},
	{expression.Of(`^must be above zero$|^must be more than 0$`), "нужно число больше нуля", false},
	{expression.Of(`^must have at most two decimals$`), "не мельче копейки", false},
	{expression.Of(`^must have at most (\d+) (?:items|characters)$`), "не больше $1", false},
	{expression.Of(`^must have at most (\d+) digits$`), "не больше $1 цифр", false},
	{expression.Of(`^must not add up to more than ([\d.]+) ([A-Z]+)$`), "в сумме не больше $1 $2", false},
	{expression.Of(`^must be another warehouse than from_warehouse$`), "нужен другой склад, не тот же", false},
	{expression.Of(`^cannot be profit: this connection does not see cost; use revenue$`), "по прибыли нельзя: подключение не видит себестоимость", false},
	{expression.Of(`^give either lines or from_shortage: true$`), "назовите товары с количеством или попросите заказать недостающее", false},
	{expression.Of(`^at character \d+: division by zero$`), "на ноль делить нельзя", false},
	{expression.Of(`^at character \d+: .*$`), "не удалось прочитать", true},
	{expression.Of(`^no .+ is called "(.*?)"(?:[:;].*)?$`), "в учёте нет «$1»", true},
	{expression.Of(`^"(.*?)" fits .*$`), "подходит несколько: «$1»", true},
	{expression.Of(`^"(.*?)" is archived or no longer there$`), "«$1» в архиве или удалён", true},
	{expression.Of(`^nothing that is bought from (.*) is below its minimum.*$`), "у поставщика «$1» заказывать нечего: с учётом того, что в пути, хватает всего", true},
	{expression.Of(`^\d+ products are short; a draft has at most (\d+) lines: name a warehouse, or give lines$`), "в одном черновике не больше $1 строк: назовите склад или товары", false},
	{expression.Of(`^set \d+ prices with those of all variants; a draft has at most (\d+) lines$`), "вместе с модификациями больше $1 цен, столько в один черновик не входит", false},
	{expression.Of(`^the price "(.*?)" of "(.*?)" is in another currency.*$`), "цена «$1» товара «$2» в другой валюте: измените её в МоёмСкладе", true},
	{expression.Of(`^finds (\d+) products, none of which has a purchase price in (\w+) on its card.*$`), "закупочной цены в $2 нет в карточках всех недостающих товаров ($1): назовите товары, количество и цены", false},
	{expression.Of(`^needs a price: the card of "(.*?)".*$`), "нет закупочной цены в карточке «$1», назовите её", true},
}

// Problem is what is wrong with an argument of a call, for people: which argument, and why. Quotes tells that more of the
// call may stand in it than is known to be harmless.
func Problem(lang, argument, problem string) (text string, quotes bool) {
	argument = argument[strings.LastIndexByte(argument, '.')+1:]
	problem, _, _ = strings.Cut(problem, ", got ")
	name, known := arguments[argument]
	if !known {
		name = "условие «" + argument + "»"
	}
	russian, quotes := "так не подходит", true
	for _, p := range problems {
		if p.said.MatchString(problem) {
			russian, quotes = p.said.ReplaceAllString(problem, p.russian), p.names
			break
		}
	}
	if lang == "en" {
		return Inline(strings.ReplaceAll(argument, "_", " ") + ": " + problem), quotes
	}
	return Inline(name + ": " + russian), quotes
}
