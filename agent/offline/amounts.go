package offline

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// number is a number of a draft's line, with what the words around it say.
type number struct {
	at, next int // its token, and the one behind it and the words that scale it
	value    decimal.Decimal
	length   int            // how many tokens it and its scale are
	goods    *naming.Choice // those named in the line
	steps    bool           // it adds to the amount before: "two more"
	counts   bool           // a word for pieces follows
	kinds    bool           // a word for goods follows
	costs    bool           // a word for money is beside it
	each     bool           // it is said to be of one piece
	odd      bool           // the words or marks beside it do not let it be an amount
}

// readAmounts reads the numbers of a line: how many, and in an order also at which price, "20 at 600". Any other number makes the line
// unclear. named finds the goods in what is left of the line.
func (c *catalog) readAmounts(f *frame, h *heard, l *line, begin, end int, named func() *naming.Choice) {
	order, price := f.view.draft == c.drafts.Order, f.view.draft == c.drafts.Price
	amountAt, priceAt := -1, -1
	sized := named() // their name may have a number
	for i := begin; i < end; i++ {
		t := h.tokens[i]
		if t.Number == nil || f.used[i] || isCode(t) || h.inName(sized, i) || h.timed(i) || c.ranks(f, h, i) {
			continue
		}
		n := c.number(f, h, i, end, named)
		l.more = l.more || n.steps
		last := n.next - 1 // the last token to quote
		switch {
		case h.isRange(n.next):
			last = n.next + 1
		case n.odd:
			last = n.next
		}
		said := func(first int) string {
			if first > begin && !f.slot[first-1] {
				first--
			}
			return h.said([]int{first, min(last, end-1)})
		}
		priced := order && c.prices(h, n, amountAt >= 0)
		grouped := (priced || price) && n.length == 1 && t.Number.Exponent() < -2 // "2,790" could be 2790
		switch {
		case c.outdated(h, i), price && h.is(i-1, c.drafts.From): // it is replaced
		case priced && priceAt >= 0, !priced && amountAt >= 0 && priceAt >= 0: // "at 300 or 280", "at 120 roubles 50 kopecks"
			l.price, l.unpriced = nil, said(priceAt)
		case priced:
			priceAt = i
			if n.odd || grouped || h.is(i-1, c.During) && !n.each { // "10 for 3000" may be the sum
				l.unpriced = said(i)
			}
			if !n.odd && !grouped {
				l.price = &n.value
				l.loose = amountAt < 0 && !n.costs && h.is(i-1, c.GroupBy)
			}
		case n.odd, amountAt >= 0, grouped, !price && (n.costs || t.Percent), order && c.costsInAll(h, n):
			l.unclear = cmp.Or(l.unclear, said(i))
		default:
			l.amount, amountAt = &n.value, i
			l.each = n.each || (n.counts || n.kinds) && h.is(i-1, c.drafts.PriceAt)
			l.loose = !n.counts && !n.costs && (n.each || h.is(i-1, c.drafts.PriceAt) && h.is(i-1, c.GroupBy))
		}
	}
	if price {
		l.change = c.readChange(h, begin, end, amountAt)
	} else if one := h.first(c.One); l.more && l.amount == nil && l.price == nil && one >= begin {
		if h.is(one+1, c.drafts.More) || one == begin && h.is(end-1, c.More) { // "one more mug", "one mug more"
			l.amount = new(decimal.NewFromInt(1))
		}
	}
}

// number reads a number and the words beside it, in a line that ends before end.
func (c *catalog) number(f *frame, h *heard, i, end int, named func() *naming.Choice) number {
	n := number{at: i}
	n.value, n.length = h.scaled(i)
	n.next = i + n.length
	if f.view.draft != c.drafts.Price {
		c.readStep(h, &n, end)
	}
	f.use(i, n.next-1)
	n.counts = h.is(n.next, c.Units)
	n.costs = h.is(n.next, c.Money) || h.is(i-1, c.Money) || h.mark(n.next, "₽")
	n.each = h.each(n.next) || n.costs && h.each(n.next+1)
	n.goods = named()
	n.kinds = h.describes(n.next, n.goods) || n.goods == nil && n.next < end && c.isGoods(h, n.next) // "by 10 mugs"
	n.odd = !c.plain(f, h, i, n.next, n.goods) || c.wholly(h, i, n.next)
	if n.odd && n.next < end && !h.describes(n.next, n.goods) { // the question will quote it
		f.use(n.next)
	}
	return n
}

// readStep reads whether a number adds to the one before, or takes off it: "на две меньше", "one mug more", "minus 4",
// "увеличь на 5".
func (c *catalog) readStep(h *heard, n *number, end int) {
	step := n.next
	for h.is(step, c.Units) || step < end && c.isGoods(h, step) {
		step++
	}
	by := h.is(n.at-1, c.drafts.By) && h.number() == n.at
	less, more := h.is(step, c.Less), h.is(step, c.More)
	switch {
	case less || more:
		n.next = step + 1
	case h.is(n.at-1, c.drafts.Less), by && h.has(c.drafts.Price.Lower):
		less = true
	case h.is(n.at-1, c.Sums.Plus), by && h.has(c.drafts.Price.Raise):
	default:
		return
	}
	if n.steps = true; less {
		n.value = n.value.Neg()
	}
}

// prices reports whether a number of an order is the price of one. counted is set if the line has an amount before it.
func (c *catalog) prices(h *heard, n number, counted bool) bool {
	if h.tokens[n.at].Percent || n.counts || !counted && h.says(c.drafts.EveryOne) {
		return false
	}
	at := h.is(n.at-1, c.drafts.PriceAt) || (n.costs || c.sets(h, n.at-1)) && h.is(n.at-2, c.drafts.PriceAt)
	return at && (n.costs || counted || !n.kinds) || n.each && (n.costs || counted)
}

// costsInAll reports whether a number of an order may be what all of it costs: "закажи на 50 тысяч".
func (c *catalog) costsInAll(h *heard, n number) bool {
	alone := n.goods != nil || all(h.contents(), h.counting)
	return !n.counts && !n.steps && h.is(n.at-1, c.drafts.By) && (h.large(n.at) || !n.kinds && alone)
}

// ranks reports whether a number says how many rows of a list are meant, "the first three", "reprice the five most expensive". It is the
// frame's limit then.
func (c *catalog) ranks(f *frame, h *heard, i int) bool {
	n, small := h.small(i)
	first := i > 0 && h.leads(i-1)
	most := f.view.draft == c.drafts.Price && (h.is(i+1, h.Top) || h.is(i+2, h.Top))
	if !small || !first && !most {
		return false
	}
	f.limit = n
	if f.use(i); first {
		f.use(i - 1)
	}
	return true
}

// leads reports whether a number after a token says how many rows at an end of a list are meant: "the first three", but not
// «первого 10».
func (h *heard) leads(i int) bool {
	first := calendar.Ordinal(h.tokens[i]) == 1 && !strings.HasSuffix(words.Folded(h.tokens[i].Text), "го")
	return first || h.is(i, loaded().drafts.Last)
}

// sets reports whether a word may stand between "price" and a number: "цену поставь 750", "the price to 750".
func (c *catalog) sets(h *heard, i int) bool {
	return h.is(i, c.drafts.Price.Alters) || h.is(i, c.drafts.To) || h.is(i, c.drafts.By)
}

// each reports whether words at a token say that what stands before them is of one piece: "each", "за штуку".
func (h *heard) each(i int) bool {
	return h.is(i, loaded().drafts.Each) || h.is(i, h.PerOne) && h.is(i+1, h.Units)
}

// outdated reports whether a token is a number in whose place another one is said: "not 10 but 15". «Не 25» alone says "no, 25".
func (c *catalog) outdated(h *heard, i int) bool {
	other := func(at int) bool { return at != i && h.tokens[at].Number != nil }
	corrects := i == 1 && h.is(0, h.Decline) && h.tokens[0].Cyrillic() && !h.any(other)
	return h.tokens[i].Number != nil && h.after(c.drafts.Instead, i) && !corrects
}

// wholly reports whether a number is about all lines together: "3000 in total", "3000 is for all of it".
func (c *catalog) wholly(h *heard, i, next int) bool {
	sum := func(at int) bool {
		return h.is(at, c.Amounts) && !h.counted(at) && !h.is(at, c.Equal) && !h.is(at, c.Percent)
	}
	return sum(i-1) || sum(next) || sum(next+1) && h.counted(next) ||
		h.any(func(i int) bool { return h.is(i, c.All) && h.is(i-1, c.drafts.PriceAt) && h.is(i-1, c.During) })
}

// plain reports whether the words and marks beside a number, which ends before next, let it be an amount. "5 dozen", "5 kg", "$30",
// "10-15", "300 у.е.", "2 times", "-5", "1e3" and "5000 is" do not.
func (c *catalog) plain(f *frame, h *heard, i, next int, goods *naming.Choice) bool {
	const marks = "$€£¥/×*"
	t, price := h.tokens[i], f.view.draft == c.drafts.Price
	negative := h.mark(i-1, "-–—−") && h.tokens[i-1].End == t.Start && !t.Percent && !(price && h.signed(i))
	glued := words.Tokens(letters(t)) // "5шт"
	counted := slices.ContainsFunc(glued, func(g words.Token) bool { return c.Units.Is(g) || c.Money.Is(g) || c.scale(g).IsPositive() })
	bound := h.is(i-1, c.More) || h.is(i-1, c.Less) // "at least 10"
	if negative || !price && (bound || h.is(i-1, c.Sums.Minus)) && !h.is(i-1, c.drafts.Less) || len(glued) > 0 && !counted {
		return false
	}
	if h.mark(i-1, marks) || h.mark(next, marks) || h.isRange(i-1) || h.isRange(next) {
		return false
	}
	switch {
	case next == len(h.tokens):
		return true
	case h.tokens[next].Mark:
		return !strings.ContainsFunc(h.tokens[next].Text, unicode.IsLetter) // "у.е."
	case t.Percent, h.counted(next), f.slot[next], h.describes(next, goods):
		return true
	case !h.content(next):
		return !h.is(next, c.Whether) && (h.is(next, c.Several) || !h.is(next, c.Anaphor))
	}
	changes := price && (h.is(next, c.drafts.Price.Raise) || h.is(next, c.drafts.Price.Lower))
	return changes || h.is(next, c.drafts.Replace) || h.is(next, c.drafts.More) || h.is(next, c.drafts.Later) || h.is(next, c.drafts.Each) ||
		h.is(next, c.Anaphor) ||
		goods == nil && (c.isGoods(h, next) || c.strange(h, next))
}

// inName reports whether a number is in the name of goods: "the 1.7 kettle", "the set of 5 pieces", "the pan of 24 cm", "size 36-37".
func (h *heard) inName(goods *naming.Choice, i int) bool {
	if goods == nil {
		return false
	}
	inside := func(i int) bool { return slices.Contains(goods.Tokens, i) }
	if inside(i) && !h.tokens[i].Number.IsInteger() {
		return !h.is(i+1, h.Units)
	}
	first, last := i, i+1 // with the word behind it
	switch {
	case h.isRange(i - 1):
		first, last = i-2, i
	case h.isRange(i + 1):
		last = i + 2
	}
	sized := last > i+1 || first < i
	if last == len(h.tokens) || sized && h.is(last+1, h.Units) { // "36-37 pieces" is no size
		return false
	}
	return all([]int{i - 1, i, i + 1}, inside) || strings.Contains(words.Folded(goods.Names[0]), words.Folded(h.said([]int{first, last})))
}

// readChange reads what the number at a token, or -1, does to a price in a part of a message: "на 10 %" or "накинь 100" changes
// it, "до 500" is the new one.
func (c *catalog) readChange(h *heard, begin, end, at int) change {
	raise, lower := c.drafts.Price.Raise, c.drafts.Price.Lower
	verb := c.changing(h, begin, end, at)
	read := change{
		by:      h.is(at-1, c.drafts.By) || h.is(at-1, raise) || h.is(at-1, lower) || h.signed(at) || h.is(verb, c.drafts.Takes),
		percent: at >= 0 && h.tokens[at].Percent,
		price:   h.has(c.Money) || h.is(at-1, c.drafts.To),
	}
	read.by = read.by && !h.is(at-1, c.drafts.To)
	switch {
	case h.is(verb, raise), h.signed(at) && h.mark(at-1, "+"):
		read.sign = 1
	case h.is(verb, lower), at > 0 && h.tokens[at-1].Text == "-":
		read.sign = -1
	case h.is(verb, c.drafts.Sets), h.has(c.drafts.Replace): // "replace the price with 500"
		read.by = false
	}
	return read
}

// changing returns the word that says what the number at a token does to a price, or -1: one that raises or lowers it in the part of the
// number, or sets it there, or one of another part. Of several, that is the last one before the number. "Not raise" does not raise.
func (c *catalog) changing(h *heard, begin, end, at int) int {
	own := func(i int) bool { return i >= begin && i < end }
	directs := func(i int) bool {
		return (h.is(i, c.drafts.Price.Raise) || h.is(i, c.drafts.Price.Lower)) && !h.is(i-1, c.Negation)
	}
	says := func(i int) bool { return directs(i) || h.is(i, c.drafts.Sets) && !h.is(i-1, c.Negation) }
	for _, fits := range []func(int) bool{
		func(i int) bool { return own(i) && directs(i) },
		func(i int) bool { return own(i) && says(i) },
		says,
	} {
		for i := range slices.Backward(h.tokens) {
			if fits(i) && (at < 0 || i < at) {
				return i
			}
		}
		if i := h.find(fits); i >= 0 {
			return i
		}
	}
	return -1
}

// signed reports whether a plus or minus belongs to a number, "+100". The hyphen of "чайник-100" does not.
func (h *heard) signed(i int) bool {
	return h.mark(i-1, "+-–—−") && h.tokens[i-1].End == h.tokens[i].Start && (i == 1 || h.tokens[i-2].End < h.tokens[i-1].Start)
}
