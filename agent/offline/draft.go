package offline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// draft is the content of a draft, as far as the messages have said it.
type draft struct {
	lines    []line
	shortage bool              // order everything below its minimum
	values   map[string]string // by argument; a price type is repeated in each line
	corrects bool              // it is a new version of the draft before
}

type line struct {
	goods  *naming.Choice
	said   string // the words for goods that the account does not have
	amount *decimal.Decimal
	price  *decimal.Decimal // the purchase price of one
	change string           // the argument that changes a price by an amount; empty if the amount is the new price
	lowers bool             // the change is downwards
	by     bool             // "by" stands before the amount
	all    bool             // the line is of all goods that match its words
}

// unnamed reports whether a message does not say which goods the line is of.
func (l line) unnamed() bool { return l.goods == nil && l.said == "" }

// several reports whether the user must say which goods the line means.
func (l line) several() bool { return l.goods != nil && len(l.goods.Names) > 1 && !l.all }

// readDraft reads what a message says about a draft.
func (c *catalog) readDraft(f *frame, h *heard) {
	f.draft = &draft{shortage: f.view.shortage, values: map[string]string{}}
	switch f.view.draft {
	case c.drafts.Order:
		c.readPlaces(f, h)
		c.readSupplier(f, h)
	case c.drafts.Transfer:
		if len(h.warehouses) > mostInTransfer {
			f.ask = &question{slot: "one_transfer"}
			return
		}
		c.readPlaces(f, h)
	case c.drafts.Price:
		c.readPriceType(f, h)
	}
	c.readLines(f, h)
	if l := f.draft.only(); l != nil {
		f.goods = l.goods
	}
}

// mostInTransfer limits the names of warehouses in a message about one transfer. Each of the two may be named twice.
const mostInTransfer = 3

// only returns the line of a draft that has just one, or nil.
func (d *draft) only() *line {
	if len(d.lines) != 1 {
		return nil
	}
	return &d.lines[0]
}

// set keeps what a message says for an argument.
func (d *draft) set(argument, value string) {
	if value != "" {
		d.values[argument] = value
	}
}

// readPlaces reads the warehouses. Without a word such as "from", the last one is the target.
func (c *catalog) readPlaces(f *frame, h *heard) {
	order := f.view.draft == c.drafts.Order
	from, to := "", ""
	for _, m := range slices.Backward(h.warehouses) {
		name, before := m.Named(), h.beforeName(m.Tokens[0])
		switch {
		case order && h.is(before, c.drafts.At): // a supplier may have the same name
			continue
		case h.is(before, c.Negation), h.is(before-1, c.Negation): // "to the shop, not to the warehouse"
		case !order && h.is(before, c.drafts.From):
			from = name
		case to == "":
			to = name
		default:
			from = cmp.Or(from, name)
		}
		f.use(m.Tokens...)
	}
	if order {
		f.draft.set("warehouse", to)
		return
	}
	f.draft.set("from_warehouse", from)
	f.draft.set("to_warehouse", to)
	for i := range h.tokens {
		if !f.used[i] && c.strange(h, i) && c.beside(h, i) {
			f.ask = &question{slot: "warehouse", said: h.tokens[i].Text}
			f.use(i)
		}
	}
}

// beforeName returns the token before a name and the words that go with it, "the" and "warehouse".
func (h *heard) beforeName(first int) int {
	i := first - 1
	for i > 0 && (naming.IsGeneric(h.tokens[i]) || h.is(i, h.Articles)) {
		i--
	}
	return i
}

// readSupplier reads the supplier, or the words in a supplier's place, so that the answer can ask about them.
func (c *catalog) readSupplier(f *frame, h *heard) {
	var supplier naming.Match
	if len(h.suppliers) > 0 {
		supplier = h.suppliers[0]
	} else {
		supplier.Tokens = c.unknownSupplier(f, h)
	}
	f.use(supplier.Tokens...)
	f.draft.set("supplier", supplier.Named())
	if supplier.Named() == "" && len(supplier.Tokens) > 0 {
		f.ask = &question{slot: "supplier", said: h.said(supplier.Tokens), candidates: supplier.Names}
	}
}

// unknownSupplier returns the word in a supplier's place, and those with a capital letter that follow it.
func (c *catalog) unknownSupplier(f *frame, h *heard) (tokens []int) {
	at := h.find(func(i int) bool { return h.is(h.beforeName(i), c.drafts.At) && !f.used[i] && c.strange(h, i) })
	for i := at; i >= 0 && (i == at || h.capital(i)); i++ {
		tokens = append(tokens, i)
	}
	return tokens
}

// readPriceType reads which of the sale prices a draft changes.
func (c *catalog) readPriceType(f *frame, h *heard) {
	if h.has(c.drafts.Purchase) {
		f.ask = &question{slot: "purchase_price"}
	}
	for i := range h.tokens {
		for name, w := range c.drafts.PriceTypes {
			if h.is(i, w) {
				f.draft.values["price_type"] = name
				f.use(i)
			}
		}
	}
	for _, m := range h.channels {
		f.draft.set("price_type", m.Named())
		f.use(m.Tokens...)
	}
}

// readLines divides the remaining words at commas and "и" into lines. Each line has goods and a number.
func (c *catalog) readLines(f *frame, h *heard) {
	begin := 0
	for i := 0; i <= len(h.tokens); i++ {
		if i == len(h.tokens) || h.separates(c, i) {
			c.readLine(f, h, begin, i)
			begin = i + 1
		}
	}
	lines := f.draft.lines
	at := slices.IndexFunc(lines, func(l line) bool { return l.change != "" })
	for i := range lines { // "10% off mugs and plates"
		if at >= 0 && lines[i].amount == nil {
			lines[i].amount, lines[i].change = lines[at].amount, lines[at].change
		}
	}
}

// separates reports whether a token stands between two names. The comma of "T-shirt (M, black)" does not.
func (h *heard) separates(c *catalog, i int) bool {
	if i < 0 || !h.tokens[i].Mark {
		return h.is(i, c.NextPart)
	}
	before := h.text[:h.tokens[i].Start]
	return strings.Contains(",;", h.tokens[i].Text) && strings.Count(before, "(") <= strings.Count(before, ")")
}

// readLine reads goods and what is to be done with them between two tokens.
func (c *catalog) readLine(f *frame, h *heard, begin, end int) {
	l := line{all: f.view.draft == c.drafts.Price && h.has(c.drafts.Every)}
	free := func(i int) bool { return i >= begin && i < end && !f.used[i] && h.content(i) }
	c.readAmount(f, h, &l, begin, end, h.goods.Find(h.tokens, free))
	if l.goods = h.goods.Find(h.tokens, free); l.goods != nil {
		f.use(l.goods.Tokens...)
	} else {
		strange := slices.DeleteFunc(h.contents(), func(i int) bool { return !free(i) || !c.strange(h, i) })
		l.said = h.said(strange)
		f.use(strange...)
	}
	if l.unnamed() && l.amount == nil && l.price == nil {
		return
	}
	d := f.draft
	if n := len(d.lines) - 1; n >= 0 && (l.goods == nil && d.lines[n].amount == nil || l.amount == nil && d.lines[n].goods == nil) {
		d.lines[n].take(c, h, l) // goods and their number stand apart
		return
	}
	d.lines = append(d.lines, l)
}

// readAmount reads the number of a line, and in an order also a price: "20 at 600". goods are what the line names, perhaps with a number.
func (c *catalog) readAmount(f *frame, h *heard, l *line, begin, end int, goods *naming.Choice) {
	kind, at := f.view.draft, -1
	scaled := func(i int) *decimal.Decimal {
		value, length := h.scaled(i)
		f.use(i, i+length-1)
		return &value
	}
	for i := begin; i < end; i++ {
		t := h.tokens[i]
		ends := i+1 == len(h.tokens) || !h.content(i+1)
		switch {
		case t.Number == nil, f.used[i], isCode(t), t.Percent && kind != c.drafts.Price, h.inName(goods, i):
		case h.after(c.drafts.Instead, i):
			f.used[i] = true
		case kind == c.drafts.Order && h.is(i-1, c.drafts.PriceAt) && (h.is(i+1, c.Money) || at >= 0 && ends):
			l.price = scaled(i)
		case at < 0, h.is(i+1, c.Units), kind == c.drafts.Price && !h.tokens[at].Percent:
			at = i
		}
	}
	if kind == c.drafts.Price {
		c.readChange(h, l, at)
	}
	if at >= 0 {
		l.amount = scaled(at)
		l.turn()
	}
}

// turn makes the amount of a change negative if the price goes down.
func (l *line) turn() {
	if l.change != "" && l.lowers {
		l.amount = new(l.amount.Abs().Neg())
	}
}

// inName reports whether a number is in the name of goods, like "5" in "the set of 5 pieces" and "1.7" in "the 1.7 kettle".
func (h *heard) inName(goods *naming.Choice, i int) bool {
	if goods == nil {
		return false
	}
	inside := func(i int) bool { return slices.Contains(goods.Tokens, i) }
	if inside(i) && !h.tokens[i].Number.IsInteger() {
		return !h.is(i+1, h.Units)
	}
	if i+1 == len(h.tokens) {
		return false
	}
	return all([]int{i - 1, i, i + 1}, inside) || strings.Contains(words.Folded(goods.Names[0]), words.Folded(h.said([]int{i, i + 1})))
}

// readChange distinguishes a change, "на 10 %" or "на 100 рублей дешевле", from a new price, "до 500". at is the number, or -1 if the
// message has none yet: "raise the price of knives".
func (c *catalog) readChange(h *heard, l *line, at int) {
	raise, lower := c.drafts.Price.Raise, c.drafts.Price.Lower
	raised, lowered := h.has(raise), h.has(lower) || at > 0 && h.tokens[at-1].Text == "-"
	l.by = at > 0 && h.is(at-1, c.drafts.By)
	switch {
	case at >= 0 && h.tokens[at].Percent:
		l.change = "change_percent"
	case at < 0 && (raised || lowered), (raised || lowered) && l.by, h.is(at-1, raise), h.is(at-1, lower): // "накинь 100"
		l.change = "change"
	}
	l.lowers = lowered && !raised
}

// missing returns the question that the user must answer before the draft is complete, or nil.
func (c *catalog) missing(f *frame) *question {
	d, kind := f.draft, f.view.draft
	if f.ask != nil {
		return f.ask
	}
	if len(d.lines) == 0 && !d.shortage {
		return &question{slot: "products"}
	}
	for _, l := range d.lines {
		switch {
		case l.goods == nil:
			return &question{slot: "product", said: l.said}
		case l.several():
			return &question{slot: "product", said: l.goods.Said, candidates: l.goods.Names}
		case l.amount == nil:
			return &question{slot: kind.Amount, said: l.goods.One()}
		case l.change == "change_percent" && l.amount.Abs().GreaterThan(largestPercent):
			return &question{slot: "percent", said: l.goods.One()}
		}
	}
	for _, need := range kind.Needs {
		if d.values[need] == "" {
			return &question{slot: need}
		}
	}
	return nil
}

// arguments returns the draft as arguments for its tool.
func (d *draft) arguments(kind *draftKind) map[string]any {
	var lines []map[string]any
	for _, l := range d.lines {
		for i, code := range l.goods.Codes {
			one := map[string]any{"product": cmp.Or(code, l.goods.Names[i]), cmp.Or(l.change, kind.Amount): number(*l.amount)}
			if l.price != nil {
				one["price"] = number(*l.price)
			}
			if priceType := d.values["price_type"]; priceType != "" {
				one["price_type"] = priceType
			}
			lines = append(lines, one)
		}
	}
	args := map[string]any{"lines": lines}
	if len(lines) == 0 {
		args = map[string]any{"from_shortage": true}
	}
	for name, value := range d.values {
		if name != "price_type" && value != "" {
			args[name] = value
		}
	}
	return args
}

// largestPercent is the largest change of a price, in percent, that is made without asking. Without a word such as "percent", a larger
// number is a price.
var largestPercent = decimal.NewFromInt(100)
