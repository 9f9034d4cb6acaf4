package answer

import (
	"strings"

	"github.com/shopspring/decimal"
)

// The words that belong to a number, in both languages: numerals, scales, months and signs of units. ё is written е.

// numeralForms are the numbers below a thousand that are one word, in every case of Russian.
var numeralForms = byForm(map[int64]string{
	0: "ноль нуль ноля нуля нулю нулем zero", 1: "один одна одно одну одного одной одному одним one",
	2: "два две двух двум двумя two", 3: "три трех трем тремя three",
	4: "четверо четыре четырех четырем четырьмя four", 5: "пятеро пять пяти пятью five", 6: "шестеро шесть шести шестью six",
	7: "семеро семь семи семью seven", 8: "восемь восьми восемью восьмью eight", 9: "девять девяти девятью nine",
	10: "десять десяти десятью ten", 11: "одиннадцать одиннадцати одиннадцатью eleven",
	12: "двенадцать двенадцати двенадцатью twelve", 13: "тринадцать тринадцати тринадцатью thirteen",
	14: "четырнадцать четырнадцати четырнадцатью fourteen", 15: "пятнадцать пятнадцати пятнадцатью fifteen",
	16: "шестнадцать шестнадцати шестнадцатью sixteen", 17: "семнадцать семнадцати семнадцатью seventeen",
	18: "восемнадцать восемнадцати восемнадцатью eighteen", 19: "девятнадцать девятнадцати девятнадцатью nineteen",
	20: "двадцать двадцати двадцатью twenty", 30: "тридцать тридцати тридцатью thirty", 40: "сорок сорока forty fourty",
	50: "пятьдесят пятидесяти пятьюдесятью полсотни fifty", 60: "шестьдесят шестидесяти шестьюдесятью sixty",
	70: "семьдесят семидесяти семьюдесятью seventy", 80: "восемьдесят восьмидесяти восемьюдесятью восьмьюдесятью eighty",
	90: "девяносто девяноста ninety", 100: "сто ста", 200: "двести двухсот двумстам двумястами двухстах",
	300: "триста трехсот тремстам тремястами трехстах", 400: "четыреста четырехсот четыремстам четырьмястами четырехстах",
	500: "пятьсот пятисот пятистам пятьюстами пятистах", 600: "шестьсот шестисот шестистам шестьюстами шестистах",
	700: "семьсот семисот семистам семьюстами семистах", 800: "восемьсот восьмисот восьмистам восемьюстами восьмистах",
	900: "девятьсот девятисот девятистам девятьюстами девятистах",
}, func(n int64) int64 { return n })

// scaleForms multiply what stands before them.
var scaleForms = byForm(map[int64]string{
	10:  "десяток десятка десятков",
	12:  "дюжина дюжины дюжин dozen dozens",
	100: "сотня сотни сотен сотню hundred hundreds",
	1_000: "тыс тысяча тысячи тысяч тысячу тысячей тысячам тысячами тысячах тр тыщ тыща тыщи тыщу косарь косаря косарей grand " +
		"thousand thousands thsd thou k к",
	100_000:           "лакх лакхов lakh lakhs",
	10_000_000:        "crore crores",
	1_000_000:         "млн мио кк kk mil миллион миллиона миллионов миллиону миллионом миллионами миллионах лям ляма лямов million millions mln mio mn",
	1_000_000_000:     "млрд миллиард миллиарда миллиардов миллиарду миллиардом миллиардами миллиардах billion billions bln bn",
	1_000_000_000_000: "трлн триллион триллиона триллионов trillion trillions trn tn",
}, decimal.NewFromInt)

// wholeForms are a number with its scale in one word.
var wholeForms = byForm(map[string]string{
	"1.5": "полтора полторы полутора", "150": "полтораста", "500000": "полмиллиона полумиллиона", "500000000": "полмиллиарда",
	"500": "полтысячи", "6": "полдюжины", "5": "полдесятка",
}, decimal.RequireFromString)

// singleForms are the scales that mean one of themselves: "тысяча рублей". The plural alone is vague.
var singleForms = byForm(map[bool]string{
	true: "тысяча тысячу миллион миллиона миллионом миллиард миллиарда триллион сотня сотню десяток дюжина hundred thousand million billion trillion dozen",
}, func(b bool) bool { return b })

// fractionForms count only before the scale that they are a part of: "half a million", "четверть миллиона".
var fractionForms = []struct {
	words []string
	part  decimal.Decimal
}{
	{[]string{"half", "a"}, decimalHalf}, {[]string{"half"}, decimalHalf}, {[]string{"пол"}, decimalHalf}, {[]string{"половина"}, decimalHalf}, {[]string{"половину"}, decimalHalf},
	{[]string{"quarter", "of", "a"}, decimalQuarter}, {[]string{"quarter"}, decimalQuarter}, {[]string{"четверть"}, decimalQuarter}, {[]string{"четверти"}, decimalQuarter},
}

// joinerForms stand inside a number in words or a date, and begin none that has no further word: "one and a half".
var joinerForms = byForm(map[bool]string{true: "and a an of с половиной half пол половина половину четверть четверти quarter"},
	func(b bool) bool { return b })

// unitForm is what a word or sign beside a number says of it.
type unitForm struct {
	is       Unit
	currency string
}

// unitForms are the signs and abbreviations, and the words for currencies, shares and time.
var unitForms = byForm(map[unitForm]string{
	{UnitMoney, "RUB"}: "₽ р руб рубль рубля рублей рублю рублям рублями рублях рублем rub rur ruble rubles rouble roubles",
	{UnitMoney, "USD"}: "$ usd доллар доллара долларов долл dollar dollars",
	{UnitMoney, "EUR"}: "€ eur евро euro euros",
	{UnitMoney, "CNY"}: "¥ cny юань юаня юаней yuan",
	{UnitMoney, "KZT"}: "₸ kzt тенге tenge", {UnitMoney, "BYN"}: "br byn", {UnitMoney, "GBP"}: "£ gbp pounds", {UnitMoney, "TRY"}: "₺ лир лира лиры",
	{UnitMoney, "UAH"}: "₴ uah грн гривен гривна гривны", {UnitMoney, "AMD"}: "֏ amd драм драмов", {UnitMoney, "GEL"}: "₾ gel лари",
	{UnitMoney, "AZN"}: "₼ azn манат манатов", {UnitMoney, "INR"}: "₹ inr", {UnitMoney, "UZS"}: "uzs сум сумов", {UnitMoney, "KGS"}: "kgs сом сомов",
	{UnitMoney, ""}: "¤",
	{UnitPercent, ""}: "% процент процента процентов проценту процентам процентами процентах процентный процентная процентное процентные " +
		"процентных процентного percent percents pct pp пп",
	{UnitPieces, ""}: "шт штук штуки штука ед единиц единицы единица pcs pc кг kg г л т м уп упак",
	{UnitDays, ""}:   "день дня дней дню дням днями днях дн сутки суток дневный дневного дневной дневное дневном day days",
	{UnitMonths, ""}: "мес месяц месяца месяцев месяцам месяцами month months",
	{UnitOther, ""}:  "‰ ° x х",
}, func(u unitForm) unitForm { return u })

// hundredthForms are a hundredth of money.
var hundredthForms = byForm(map[bool]string{true: "коп копейка копейки копеек копейку kopeck kopecks cent cents"}, func(b bool) bool { return b })

// monthForms are the names of months by their number.
var monthForms = byForm(map[int]string{
	1: "январь января январе январем янв january jan", 2: "февраль февраля феврале февралем фев february feb",
	3: "март марта марте мартом мар march mar", 4: "апрель апреля апреле апрелем апр april apr", 5: "май мая мае маем may",
	6: "июнь июня июне июнем июн june jun", 7: "июль июля июле июлем июл july jul", 8: "август августа августе августом авг august aug",
	9: "сентябрь сентября сентябре сентябрем сен сент september sep sept", 10: "октябрь октября октябре октябрем окт october oct",
	11: "ноябрь ноября ноябре ноябрем ноя нояб november nov", 12: "декабрь декабря декабре декабрем дек december dec",
}, func(n int) int { return n })

// byForm turns numbers with their forms into forms with their number.
func byForm[N comparable, V any](forms map[N]string, value func(N) V) map[string]V {
	all := map[string]V{}
	for number, words := range forms {
		for form := range strings.FieldsSeq(words) {
			all[form] = value(number)
		}
	}
	return all
}
