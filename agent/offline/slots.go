package offline

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/kopeck/kopeck/agent/expression"
)

// slots are what a question says beside its task.
type slots struct {
	warehouse, toWarehouse string
	product, supplier      string
	exact                  bool // the product is quoted, or given by its code
	channel, groupBy       string
	except                 string // what is left out
	tax                    bool   // value added tax is spoken of
	metric                 string // what an ABC analysis is by
	by                     string // the field by which rows are wanted, the largest first
	period                 *period
	others                 []period // that are named beside it
	unread                 string   // a word for a time that is in none of them
	apart                  bool     // by days, weeks or months, which no report is
	days                   int      // an age or a time without sales
	unsold                 bool
	leadDays               int
	service                float64 // a share
	limit                  int
	products               []string      // that are quoted
	units, prices          []json.Number // of the lines of a draft, in order
	short                  bool          // a draft of what falls short
	expression             string
}

const (
	opening = `[«"“„'‘]`
	closing = `[»"”“'’]`
	inQuote = opening + `([^«»"“”„]+?)` + closing
	// proper is a name by its capital letters: "Основной", "Main Street 2", "Склад Ozon FBO".
	proper = `([А-ЯЁA-Z][\pL\d-]*(?:\s+(?:на\s+|of\s+)?[А-ЯЁA-Z\d][\pL\d-]*)*)`
	// company is a name in quotes, with its legal form before them, or by its capital letters.
	company = `(?:«([^«»]*«[^«»]+»[^«»]*)»|((?:ООО|ОАО|ЗАО|ПАО|АО|ИП|LLC|Ltd)\s+` + opening + `[^«»"“”„]+?` + closing + `)|` + inQuote + `|(?-i:` + proper + `))`
)

// marketplaces are the usual sales channels, by the beginnings of their names.
var marketplaces = []struct{ name, spelt string }{
	{"Ozon", "ozon/озон"}, {"Wildberries", "wildberries/вайлдберр/валдберис/=вб/=wb"}, {"Яндекс Маркет", "яндекс/yandex"},
	{"Мегамаркет", "мегамаркет/megamarket"}, {"Avito", "avito/авито"}, {"Сайт", "=сайт/=сайта/=сайте/=сайту/=website"}, {"Розница", "розниц"},
}

func marketplace(word string) string {
	for _, m := range marketplaces {
		if hasTerm([]string{word}, m.spelt) {
			return m.name
		}
	}
	return ""
}

var (
	channelForm  = expression.Of(`(?i)(?:канал\pL*(?:\s+продаж)?|channel)\s+(?:` + inQuote + `|(?-i:` + proper + `))`)
	supplierForm = expression.Of(`(?i)(?:поставщик\pL*|supplier|vendor)\s+` + company)
	sellerForm   = expression.Of(`(?i)(?:^|\s)(?:у|от|from|to|with)\s+` + company)
	codeForm     = expression.Of(`(?i)(?:артикул\pL*|штрих-?код\pL*|код\pL*|sku|code|barcode|article)\s*[:№#]?\s*([\pL\d][\pL\d._/-]*\d[\pL\d._/-]*)`)
	quotedForm   = expression.Of(inQuote)

	topForm     = expression.Of(`(?i)(?:топ|top|первые|первых|first)[\s-]*(\d+)|(?:покажи|выведи|show|list)\s+(\d+)\s`)
	leadForm    = expression.Of(`(?i)(?:срок\pL*(?:\s+поставки)?|lead[\s-]?time)\D{0,12}?(\d+)[\s-]*(дн|день|дней|day|недел|week|месяц|month)\pL*|(\d+)[\s-]*(day|week|month)s?\s+(?:of\s+)?lead`)
	serviceForm = expression.Of(`(?i)(?:сервис\pL*|service(?:\s+level)?)\D{0,12}?(\d+(?:[.,]\d+)?)\s*(?:%|процент|percent)|(\d+(?:[.,]\d+)?)\s*(?:%|процент\pL*|percent)\s+(?:уров\pL+\s+)?(?:сервис|service)`)
	daysForm    = expression.Of(`(?:больше|более|дольше|свыше|старше|over|more than|longer than|older than|for|in|за|>)\s*` + count + `[\s-]*` + unit + `|` + count + `[\s-]+` + unit)
	halfForm    = expression.Of(`полугод\pL*|полгода|half a year|half-year|six months`)
	longForm    = expression.Of(`(?:больше|более|дольше|свыше|старше|over|more than a|longer than a)\s+(недел|месяц|квартал|год|week|month|quarter|year)\pL*`)
	unsoldForm  = expression.Of(`(?:не прода|без прода|no sales|not sold|without sales|unsold)`)
	percentOf   = expression.Of(`(?i)` + amount + `\s*(?:%|процент\pL*|percent)\s+(?:от|of)\s+` + amount)
	sumForm     = expression.Of(`[\d(][\d\s.,()%]*[+\-*/×÷][\d\s.,()%+\-*/×÷]*[\d)%]`)
)

// findSlots reads everything that a question says beside its task.
func findSlots(question string, now time.Time) slots {
	var s slots
	task := best(question)
	s.tax, question = takeTax(question)
	s.except, question = takeExcept(question)
	rest := s.bothPlaces(question, task)
	s.channel, rest = take(rest, channelForm)
	s.supplier, rest = take(rest, supplierForm)
	if s.supplier == "" && task != nil && task.ofSupplier() {
		s.supplier, rest = take(rest, sellerForm)
	}
	code, rest := take(rest, codeForm)
	rest = s.top(s.times(s.numbers(rest), now))
	if s.warehouse == "" && (task == nil || !slices.Contains(task.tools, "draft_price_change")) { // "цену на Сланцы Уют": goods
		s.warehouse, rest = findPlace(rest)
		if other, without := findPlace(rest); s.warehouse != "" && other != "" { // two of them: all are shown
			s.warehouse, rest = "", without
		}
	}
	if s.channel == "" {
		for _, w := range wordsOf(rest) {
			if name := marketplace(w); name != "" {
				s.channel = name
			}
		}
	}
	s.groupBy = groupOf(wordsOf(question))
	if hasTerm(wordsOf(question), "прибыл/profit") {
		s.metric = "profit"
	}
	s.by = rankIn(folded(question))
	s.expression = expressionIn(question)
	s.product, s.exact = code, code != "" || quotedForm.MatchString(rest)
	if s.product == "" {
		s.product = productIn(rest)
	}
	s.content(rest)
	s.short = shortageForm.MatchString(folded(question)) || s.lines() == nil && s.product == "" && len(s.units) == 0
	return s
}

// expressionIn is what a question wants to have computed.
func expressionIn(question string) string {
	if m := percentOf.FindStringSubmatch(question); m != nil {
		return string(plainNumber(m[2])) + " * " + string(plainNumber(m[1])) + " / 100"
	}
	return strings.TrimSpace(sumForm.FindString(question))
}

// times reads the periods that a text names, and gives the text without them.
func (s *slots) times(text string, now time.Time) string {
	found, without := findPeriods(text, now)
	s.unread, s.apart = cmp.Or(noSuchDays(quotedForm.ReplaceAllStringFunc(without, blank), startOfDay(now)), unreadTime(without)), s.apart || apartForm.MatchString(folded(withoutQuotes(text)))
	if len(found) == 0 {
		return text
	}
	s.period, s.others = &found[0], found[1:]
	return keepCase(text, without)
}

// keepCase gives the part of a text that is left in its folded form, with its own letters.
func keepCase(text, left string) string {
	kept := wordsOf(left)
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\n' })
	return strings.Join(slices.DeleteFunc(words, func(w string) bool {
		folded := wordsOf(w)
		return len(folded) > 0 && !slices.Contains(kept, folded[0])
	}), " ")
}

// take finds a form's name in a text, and gives the text without it.
func take(text string, form *expression.Expression) (name, rest string) {
	at := form.FindStringSubmatchIndex(text)
	if at == nil {
		return "", text
	}
	return strings.Join(submatches(text, at)[1:], ""), text[:at[0]] + " " + text[at[1]:]
}

// numbers reads the numbers that have a meaning by the words around them, and gives the text without them.
func (s *slots) numbers(text string) string {
	if m := leadForm.FindStringSubmatch(text); m != nil {
		s.leadDays = numberOf(m[1]+m[3]) * unitDays(folded(m[2]+m[4]))
		text = strings.Replace(text, m[0], " ", 1)
	}
	if m := serviceForm.FindStringSubmatch(text); m != nil {
		share, err := strconv.ParseFloat(strings.Replace(m[1]+m[2], ",", ".", 1), 64)
		if err == nil {
			s.service = share / 100
		}
		text = strings.Replace(text, m[0], " ", 1)
	}
	s.days = daysIn(folded(text))
	s.unsold = unsoldForm.MatchString(folded(text))
	return text
}

// top reads how many rows are wanted, and gives the text without it.
func (s *slots) top(text string) string {
	m := topForm.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	s.limit = numberOf(m[1] + m[2])
	return strings.Replace(text, m[0], " ", 1)
}

func daysIn(text string) int {
	if halfForm.MatchString(text) {
		return 180
	}
	if m := daysForm.FindStringSubmatch(text); m != nil {
		return numberOf(m[1]+m[3]) * unitDays(m[2]+m[4])
	}
	if m := longForm.FindStringSubmatch(text); m != nil {
		return unitDays(m[1])
	}
	return 0
}

func groupOf(words []string) string {
	for _, g := range []struct{ name, pattern string }{
		{"channel", "канал/канала/channel/маркетплейс/площадк"}, {"variant", "модификац/вариант/variant"}, {"product", "товар/product"},
	} {
		if hasTerm(words, "=по/=by/разрез/=per/каждо") && hasTerm(words, g.pattern) {
			return g.name
		}
	}
	return ""
}

// withoutWordsOf leaves out of a question's product the words by which its tasks were recognized.
func withoutWordsOf(s slots, found []*task) slots {
	if s.exact {
		return s
	}
	searched := slices.ContainsFunc(found, func(t *task) bool { return t.lines == nothing })
	words := slices.DeleteFunc(strings.Fields(s.product), func(word string) bool {
		return !strings.ContainsFunc(word, unicode.IsLetter) && !(searched && bareCode.MatchString(word)) || slices.ContainsFunc(found, func(t *task) bool { return t.hasWord(folded(word)) })
	})
	s.product = strings.Join(words, " ")
	return s
}

// bareCode is a code by its look: it begins with a zero, or is as long as a barcode.
var bareCode = expression.Of(`^(?:0\d{2,}|\d{8,14})$`)

func withoutQuotes(text string) string { return quotedForm.ReplaceAllString(text, " ") }

// productIn is what a question is about when everything else has been taken out of it: a quoted name, or the words that
// mean nothing to this package.
func productIn(rest string) string {
	if m := quotedForm.FindStringSubmatch(rest); m != nil {
		return m[1]
	}
	var words []string
	for _, w := range strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(" \t\n?!;:,()«»\"“”„", r) }) {
		if w = strings.Trim(w, ".-–—"); w != "" && !slices.ContainsFunc(wordsOf(w), noise) && marketplace(folded(w)) == "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}
