package grounding

import "github.com/shopspring/decimal"

// dimension is what a figure measures, as far as the text shows.
type dimension int

const (
	bare     dimension = iota // no unit beside it
	money                     // a currency beside it
	percent                   // a share
	quantity                  // units and counts
	duration                  // in days
	headed                    // of a unit that only a heading says: no figure is of it by itself
	multiple                  // how many times as much
)

// currencies are the signs and words of money, by ISO code. Words are without their endings.
var currencies = map[string]string{
	"₽": "RUB", "р": "RUB", "руб": "RUB", "рубль": "RUB", "рубля": "RUB", "рублей": "RUB", "рублю": "RUB", "рублям": "RUB", "рублями": "RUB", "рублях": "RUB", "рублем": "RUB", "rub": "RUB", "rur": "RUB", "ruble": "RUB", "rubles": "RUB", "rouble": "RUB", "roubles": "RUB",
	"$": "USD", "usd": "USD", "доллар": "USD", "доллара": "USD", "долларов": "USD", "долл": "USD", "dollar": "USD", "dollars": "USD", "bucks": "USD", "баксов": "USD",
	"€": "EUR", "eur": "EUR", "евро": "EUR", "euro": "EUR", "euros": "EUR",
	"₸": "KZT", "kzt": "KZT", "тенге": "KZT", "tenge": "KZT",
	"₴": "UAH", "uah": "UAH", "грн": "UAH", "гривен": "UAH", "гривна": "UAH", "гривны": "UAH",
	"br": "BYN", "byn": "BYN", "¥": "CNY", "cny": "CNY", "юань": "CNY", "юаня": "CNY", "юаней": "CNY", "yuan": "CNY",
	"₺": "TRY", "лир": "TRY", "лира": "TRY", "лиры": "TRY", "£": "GBP", "gbp": "GBP", "pounds": "GBP",
	"uzs": "UZS", "сум": "UZS", "сумов": "UZS", "kgs": "KGS", "сом": "KGS", "сомов": "KGS", "amd": "AMD", "драм": "AMD", "драмов": "AMD",
	"gel": "GEL", "лари": "GEL", "₾": "GEL", "azn": "AZN", "манат": "AZN", "манатов": "AZN", "₼": "AZN", "aed": "AED", "дирхам": "AED", "дирхамов": "AED",
	"chf": "CHF", "jpy": "JPY", "inr": "INR", "₹": "INR",
	// money of no currency in particular
	"¤": "", "деньгами": "",
}

// hundredths are the words of a hundredth of money.
var hundredths = set("коп копейка копейки копеек копейку копейками kopeck kopecks kopek kopeks copeck copecks cent cents цент цента центов тиын тиына")

var percentWords = set("процент процента процентов проценту процентам процентами процентах процентный процентная процентное процентные процентных процентную процентного проц percent percents pct pp pps пп percentage")

const minutesOfDay = 24 * 60

// durations are the words of time, in days. A month has thirty and a year 365: who says "two months" has rounded.
var durations = byForm(map[int64]string{
	1:                  "мин минута минуты минут минуту minute minutes min",
	60:                 "час часа часов hour hours",
	minutesOfDay:       "день дня дней дню дням днями днях дн сутки суток дневный дневного дневной дневное дневном day days d",
	minutesOfDay * 7:   "нед неделя недели недель неделю неделями week weeks",
	minutesOfDay * 30:  "мес месяц месяца месяцев месяцам месяцами month months",
	minutesOfDay * 365: "год года лет годами year years",
}, func(minutes int64) decimal.Decimal {
	return decimal.NewFromInt(minutes).Div(decimal.NewFromInt(minutesOfDay))
})

// unitWord is what a word beside a number says of it.
func unitWord(word string) (is dimension, currency string, known bool) {
	if iso, ok := currencies[word]; ok {
		return money, iso, true
	}
	if percentWords[word] {
		return percent, "", true
	}
	if _, ok := quantities[word]; ok {
		return quantity, "", true
	}
	if _, ok := durations[word]; ok {
		return duration, "", true
	}
	return bare, "", false
}
