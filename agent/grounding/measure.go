package grounding

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/kopeck/kopeck/agent/expression"
)

// fitting tells which entries may stand behind a figure of a passage: in the row of a table or the item of a list that is
// of a product by its name, none of another product; beside the name of a measure, none of another measure. Figures
// without a subject and a field, such as calculations, fit anywhere; the user's own where nothing says that they are the
// books'.
func (c *Check) fitting(p passage, f figure) func(entry) bool {
	of := sync.OnceValue(func() scope { return c.scope(p, f) }) // most figures match nothing
	measured := sync.OnceValues(func() (share, *measure) { return p.share(f), p.measure(f) })
	stranger := sync.OnceValue(func() bool { return p.ofStranger(f) })
	confirms := sync.OnceValue(func() bool { return p.confirms(f) })
	return func(e entry) bool {
		if e.of != nil && !of().holds(e.of) || e.during != nil && (!p.when().fits(e.during) || p.when().coming && !strings.Contains(e.field, "month")) {
			return false
		}
		if !f.counts.fits(e.counts) || c.misses(p, f, of(), e) || e.asked && confirms() || e.field != "" && stranger() {
			return false
		}
		share, measure := measured()
		if e.field == "threshold" && !toThreshold.MatchString(p.text) {
			return false
		}
		return share.fits(e.field) && (measure == nil || e.field == "" || measure.fits(e))
	}
}

// share is a share that is easily taken for another one.
type share int

const (
	anyShare share = iota
	marginShare
	computedShare // a markup or a discount, which no tool gives
)

var shareWords = map[share]*expression.Expression{
	marginShare:   expression.Of(`марж|рентабельност|margin|profitability`),
	computedShare: expression.Of(`наценк|скидк|markup|mark-up|discount`),
	// words of other shares, which a margin may be told with
	anyShare: expression.Of(`покрыт|известн|учтен|выручк|продаж|дол[яюией]|порог|разброс|сервис|coverage|covered|known|revenue|sales|share|threshold|variation|service|cost`),
}

// share is the word of a share right behind a figure, else the nearest one before it; of a cell, in its row and head too.
func (p passage) share(f figure) share {
	if f.is != percent && f.is != bare {
		return anyShare
	}
	behind := p.behind(f)
	found, at := anyShare, len(behind)
	for m, word := range shareWords {
		if span := word.FindStringIndex(behind); span != nil && span[0] < at {
			found, at = m, span[0]
		}
	}
	if at < len(behind) {
		return found
	}
	for _, w := range slices.Backward(p.shares()) {
		if w.end <= f.start {
			return w.share
		}
	}
	if words := sharesIn(p.heading()); p.cell && len(words) > 0 {
		return words[len(words)-1].share
	}
	return anyShare
}

// shareWord is where a text names a share.
type shareWord struct {
	share      share
	start, end int
}

// sharesIn are the shares that a text names, in its order.
func sharesIn(text string) (found []shareWord) {
	for s, word := range shareWords {
		for _, span := range word.FindAllStringIndex(text, -1) {
			found = append(found, shareWord{s, span[0], span[1]})
		}
	}
	slices.SortFunc(found, func(a, b shareWord) int { return a.start - b.start })
	return found
}

// behind is the words right behind a figure.
func (p passage) behind(f figure) string {
	const near = 30
	behind := p.text[f.end:]
	if end := strings.IndexFunc(behind, func(r rune) bool { return !unicode.IsLetter(r) && r != ' ' && r != '-' && r != '—' }); end >= 0 {
		behind = behind[:end]
	}
	return behind[:min(len(behind), near)]
}

func (s share) fits(field string) bool {
	switch {
	case field == "" || s == anyShare:
		return true
	case s == marginShare:
		return strings.Contains(field, "margin")
	}
	return !strings.HasSuffix(field, "percent") // nor does any tool give a discount
}

// measure is one of money or stock whose figures are easily taken for those of another one.
type measure struct {
	words []string  // how people name it
	of    dimension // bare for any
	fits  func(entry) bool
}

// inField tests the path of a field.
func inField(pattern string) func(entry) bool {
	fields := expression.Of(pattern)
	return func(e entry) bool { return fields.MatchString(e.field) }
}

func notField(pattern string) func(entry) bool {
	fields := inField(pattern)
	return func(e entry) bool { return !fields(e) }
}

// of the stock a figure of one kind is none of the other kinds; counts of positions are none of them.
func stock(kind string) func(entry) bool {
	kinds := expression.Of(`(?:^|[._])(?:units|reserved|in_transit|available|sold_units)$`)
	return func(e entry) bool { return strings.HasSuffix(e.field, kind) || !kinds.MatchString(e.field) }
}

var otherMoney = inField(`revenue|profit|cash$|balance|receivables|payables|net$`)

// measures are all of them. Those that fit everything only part the words of the others from a figure.
var measures = []*measure{
	{named("прибыл|profit"), money, inField(`profit|value$`)},
	{named("выручк|revenue"), money, inField(`revenue|value$`)},
	{named("убыт|в минусе|in the red| loss| lost "), money, func(e entry) bool { return e.value.IsNegative() || strings.Contains(e.field, "burn") }},
	{named("себестоимост|cost of goods|cost of sales|unit cost|cogs"), money, func(e entry) bool { return !otherMoney(e) }},
	{named("нам должн|нам все должн|должны нам|должна нам|должен нам|дебитор|owe us|owes us|owed to us|receivable"), money, inField(`receivables|debtors`)},
	{named("мы должн|мы все должн|должны мы|задолжали|кредитор|we owe|owed by us|payable"), money, inField(`payables|creditors`)},
	{named("заплатил|оплатил|погасил|рассчитался|рассчитались|получили от|мы получили|поступило от| paid |we received|collected from"), money, notField(`receivables|payables|debtors|creditors`)},
	{named("не заплатил|не оплатил|не погасил|не рассчитал|предоплатил|n't paid|not paid|not yet paid|to be paid|will be paid"), bare, nil},
	{named("на счету|на счетах|на счете|в касс|на банковск|in the bank|cash is|cash now|cash balance|cash on hand|cash at hand"), money, inField(`cash$|balance|amount`)},
	{named("на начало|opening"), bare, notField(`closing|(?:^|[.])(?:in|out)[.]`)},
	{named("на конец|closing"), bare, notField(`opening|(?:^|[.])(?:in|out)[.]`)},
	{named("приход|поступ|пришло|income|inflow"), bare, notField(`opening|closing|(?:^|[.])out[.]|expense`)},
	{named("расход|ушло|уходит|expense|outflow|spent|spend"), bare, notField(`opening|closing|(?:^|[.])in[.]|income`)},
	{named("неликвид|заморож|dead stock|frozen"), money, notField(`turning`)},
	{named("розничн|цена продаж|retail|selling price"), money, inField(`(?:^|[.])(?:old_)?price$`)},
	{named("доступн|available"), quantity, stock("available")},
	{named("резерв|reserved"), quantity, stock("reserved")},
	{named("в пути|in transit"), quantity, stock("in_transit")},
	{named("известн|покры|учтен|без |known|cover|without"), bare, nil},
	{named("минимум|минимал|порог|неснижаем|не хватает|нехватк|minimum|short|продано|sold|не через|оборот|turnover|заказ|отгру|order|ship"), bare, nil},
}

func named(words string) []string { return strings.Split(words, "|") }

// measuresIn are the measures that a text names.
func measuresIn(text string) (found []*measure) {
	if text == "" {
		return nil
	}
	text = " " + text
	for _, m := range measures {
		if anyOf(text, m.words...) {
			found = append(found, m)
		}
	}
	return found
}

// measure is what a figure is said to be: by the word right behind it, else by the only one between the figure before and
// it, else by the head of its column or the heading above; nil where the text does not say.
func (p passage) measure(f figure) *measure {
	switch mood := p.mood(f); {
	case p.beyondTold(f):
		return beyond
	case p.changed(f):
		return change
	case mood != nil:
		return mood
	case f.is != duration && perTime.MatchString(p.text[f.end:]):
		return rate
	case f.is == money && perPiece.MatchString(p.text[f.end:]):
		return piece
	case f.is == percent || f.is == multiple:
		return nil
	}
	if right := rightBehind(p.text[f.end:]); right != nil {
		return right.over(f, true)
	}
	own := measuresIn(p.before(f))
	if len(own) == 0 && p.cell {
		return only(measuresIn(p.heading())).over(f, true)
	}
	if len(own) == 0 && f.after == 0 {
		return only(measuresIn(p.label)).over(f, false)
	}
	return only(own).over(f, true)
}

// heading is what a cell is said of: its row and the head of its column, of which the name of a product is no measure.
func (p passage) heading() string {
	if len(p.subjects) > 0 && p.over.head != "" {
		return p.over.head
	}
	return p.label
}

func only(named []*measure) *measure {
	if len(named) != 1 {
		return nil
	}
	return named[0]
}

// over is the measure if it can be of the figure: a heading that speaks of money says nothing of a number without a unit.
func (m *measure) over(f figure, near bool) *measure {
	if m == nil || m.fits == nil || f.is != m.of && (!near || f.is != bare && m.of != bare) {
		return nil
	}
	return m
}

// rightBehind is the measure that stands behind a figure: "1,2 млн ₽ чистой прибыли", not "при выручке". A nominative is
// what the next figure is said of.
func rightBehind(text string) *measure {
	if text == "" || text[0] != ' ' && text[0] != '-' {
		return nil
	}
	for {
		text = text[1:]
		word := wordAt(text, 0)
		if nominative[word] {
			return nil
		}
		for _, m := range measures {
			if slices.ContainsFunc(m.words, func(stem string) bool { return strings.HasPrefix(text, stem) }) {
				return m
			}
		}
		if len(word) == len(text) || text[len(word)] != ' ' || !beforeMeasure[word] {
			return nil
		}
		text = text[len(word):]
	}
}

var (
	nominative    = set("прибыль выручка себестоимость убыток приход расход")
	beforeMeasure = set("of в the our чистой валовой нашей общей net gross total")
)

// before is the words that lead to a figure. What stands right behind the figure before, up to a comma, is of that one; what
// there is none of has no figure.
func (p passage) before(f figure) string {
	before := p.text[f.after:f.start]
	if f.after > 0 {
		if at := nextPart.FindStringIndex(before); at != nil {
			before = before[at[1]:]
		}
	}
	if at := noneThere.FindStringIndex(before); at != nil {
		return before[at[1]:]
	}
	return before
}

var noneThere = expression.Of(`(?:\p{L}+ (?:нет|отсутству[а-я]+)|(?:^|[^\p{L}])(?:нет|no|none) \p{L}+),(?: |$)`)

var nextPart = expression.Of(`[,;(]| (?:и|а|and|but) `)

// change is how much something has become more or less, which no tool gives: it is computed.
var change = &measure{nil, bare, inField(`difference`)}

// rate is how much goes by in a unit of time, and piece is what is of each: what a whole period comes to is neither.
var (
	rate     = &measure{nil, bare, inField(`per_day|per_month|per_week|velocity|month`)}
	piece    = &measure{nil, bare, inField(`cost$|price`)}
	perTime  = expression.Of(`^\.? ?(?:(?:в|за кажд[а-я]+|кажд[а-я]+) (?:день|сутки|недел[юе]|месяц|квартал|год)(?:[^\p{L}]|$)|(?:ежедневно|еженедельно|ежемесячно)|(?:(?:per|a|each|every) (?:day|week|month|quarter|year)|daily|weekly|monthly)\b)`)
	perPiece = expression.Of(`^\.? ?(?:(?:за|на) (?:штуку|единицу|одну штуку)|с (?:каждого|одного) |per (?:unit|piece|item|customer|order)\b)`)
)

var (
	changeBefore = expression.Of(`(?:вырос|увелич|прибав|подрос|подня[лт]|упа[лв]|снизи|сокра[тщ]|уменьш|подорожа|подешев|прирос|рост)[\p{L}]*(?: [\p{L}]+){0,2} на $` +
		`|(?:\bgrew|\brose|\bincreased?|\bfell|\bdropped|\bdeclined|\bdecreased?|\bgrown|\bgrowth|\b(?:is|are|was|were|went|gone|going) (?:up|down))(?: by| of| about)? $`)
	changeBehind = expression.Of(`^ ?(?:more|less|higher|lower|growth|роста|прироста)(?:[^\p{L}]|$)`)
	toThreshold  = expression.Of(`ниже|минимум|порог|меньше|менее|below|minimum|less|under|threshold`)
	points       = expression.Of(`^ ?(?:п\. ?п|пп(?:[^\p{L}]|$)|p\.p|pps?\b|[\p{L}]* ?(?:пункт|points?\b))`)
)

// changed reports whether a figure is told as a change.
func (p passage) changed(f figure) bool {
	before := p.text[f.after:f.start]
	at := changeBefore.FindStringIndex(before)
	return at != nil && !toThreshold.MatchString(before[at[0]:]) || changeBehind.MatchString(p.text[f.end:]) ||
		f.is == percent && points.MatchString(p.text[f.to:])
}
