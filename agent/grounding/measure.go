package grounding

import (
	"slices"
	"strings"
	"sync"

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
	{named("наш долг|наши долг|нашего долга|наша задолжен|нашей задолжен|our debt|мы должн|мы все должн|должны мы|задолжали|кредитор|we owe|owed by us|payable"), money, inField(`payables|creditors`)},
	{named("заплатил|оплатил|погасил|рассчитался|рассчитались|получили от|мы получили|поступило от| paid |we received|collected from"), money, notField(`receivables|payables|debtors|creditors`)},
	{named("не заплатил|не оплатил|не погасил|не рассчитал|предоплатил|n't paid|not paid|not yet paid|to be paid|will be paid"), bare, nil},
	{named("на счету|на счетах|на счете|в касс|на банковск|in the bank|cash is|cash now|cash balance|cash on hand|cash at hand"), money, inField(`cash$|balance`)},
	{named("на начало|opening"), bare, notField(`closing|(?:^|[.])(?:in|out)[.]`)},
	{named("на конец|closing"), bare, notField(`opening|(?:^|[.])(?:in|out)[.]`)},
	{named("приход|поступ|пришло|income|inflow"), bare, notField(`opening|closing|(?:^|[.])out[.]|expense`)},
	{named("расход|ушло|уходит|expense|outflow|spent|spend"), bare, notField(`opening|closing|(?:^|[.])in[.]|income`)},
	{named("неликвид|заморож|dead stock|frozen"), money, notField(`turning`)},
	{named("розничн|цена продаж|retail|selling price"), money, inField(`(?:^|[.])(?:old_)?price$`)},
	{named("доступн|свободн|available"), quantity, stock("available")},
	{named("резерв|зарезерв|reserved"), quantity, stock("reserved")},
	{named("в пути|in transit"), quantity, stock("in_transit")},
	{named("продано|продали|sold "), quantity, notField(`(?:^|[._])(?:reserved|in_transit|available|minimum|shortage)$`)},
	{named("просроч|overdue|опозда"), duration, inField(`overdue`)},
	{named("срок поставки|время поставки|lead time"), duration, inField(`lead_time`)},
	{named("хватит|хватает|запаса на|will last|run out|runs out"), duration, notField(`overdue|lead_time|in_warehouse|in_stock`)},
	{named("известн|покры|учтен|без |known|cover|without"), bare, nil},
	{named("не хватает|нехватк|недоста|shortage|short by|short of"), quantity, notField(`(?:^|[._])(?:units|reserved|in_transit|available)$`)},
	{named("минимум|минимал|порог|неснижаем|minimum|sold|не через|оборот|turnover|заказ|отгру|order|ship"), bare, nil},
}

// owed is a debt, whoever owes it, and owing leads to one.
var (
	owed  = &measure{nil, money, inField(`receivables|payables|debtors|creditors|balance|(?:^|[.])net$`)}
	owing = expression.Of(`(?:^|[^\p{L}])(?:долг(?:а|у|ом|и|ов|ам|ами)?(?:[^\p{L}]|$)|задолженност|debts?(?:[^\p{L}]|$)|(?:долж(?:ен|на|ны|но)|задолжал[аи]?|owes?)(?: нам| вам| us| you| еще| всего| сейчас)* ?[:—-]? ?$)`)
)

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
	before := p.before(f)
	own := measuresIn(before)
	if len(own) == 0 && f.is == money && owing.MatchString(before) {
		return owed
	}
	if len(own) == 0 && p.cell {
		return only(measuresIn(p.heading()), f).over(f, true)
	}
	if len(own) == 0 && f.after == 0 {
		return only(measuresIn(p.label), f).over(f, false)
	}
	return only(own, f).over(f, true)
}

// heading is what a cell is said of: its row and the head of its column, of which the name of a product is no measure.
func (p passage) heading() string {
	if len(p.subjects) > 0 && p.over.head != "" {
		return p.over.head
	}
	return p.label
}

func only(named []*measure, f figure) *measure {
	named = slices.DeleteFunc(named, func(m *measure) bool { return m.of == duration && f.is != duration })
	if len(named) != 1 {
		return nil
	}
	return named[0]
}

// over is the measure if it can be of the figure: a heading that speaks of money says nothing of a number without a unit.
func (m *measure) over(f figure, near bool) *measure {
	if m == nil || m.fits == nil || m.of == duration && f.is != duration || f.is != m.of && (!near || f.is != bare && m.of != bare) {
		return nil
	}
	return m
}

// rightBehind is the measure that stands behind a figure: "1,2 млн ₽ чистой прибыли", not "при выручке". A nominative is
// what the next figure is said of.
func rightBehind(text string) *measure {
	text = strings.TrimPrefix(text, ".") // of "шт."
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
			if slices.ContainsFunc(m.words, func(stem string) bool { return strings.HasPrefix(text, stem) }) && !ofNext.MatchString(text) {
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
	// ofNext leads to the next figure at once: "Из 37 шт. в резерве 4".
	ofNext = expression.Of(`^\p{L}+(?: \p{L}+)?(?: [—-]|:)? \d`)

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
