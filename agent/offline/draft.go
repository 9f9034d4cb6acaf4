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
	lines     []line
	shortage  bool              // order everything below its minimum
	values    map[string]string // by argument; a price type is repeated in each line
	corrects  bool              // it is a new version of the draft before
	untouched []*naming.Choice  // goods that the message leaves out
}

type line struct {
	goods  *naming.Choice
	said   string // the words for goods that the account does not have
	amount *decimal.Decimal
	price  *decimal.Decimal // the purchase price of one
	change string           // the argument that changes a price by an amount; empty if the amount is the new price
	all    bool             // the line is of all goods that match its words
}

// unnamed reports whether a message does not say which goods the line is of.
func (l line) unnamed() bool { return l.goods == nil && l.said == "" }

// several reports whether the user must say which goods the line means.
func (l line) several() bool { return l.goods != nil && len(l.goods.Names) > 1 && !l.all }

// products lists the names of a line's goods for a tool.
func (l line) products() (all []string) {
	for i, code := range l.goods.Codes {
		all = append(all, cmp.Or(code, l.goods.Names[i]))
	}
	return all
}

func (c *catalog) readDraft(f *frame, h *heard) {
	f.draft = &draft{shortage: f.view.shortage, values: map[string]string{}}
	c.readPlaces(f, h)
	switch f.view.draft {
	case c.drafts.Order:
		c.readSupplier(f, h)
	case c.drafts.Price:
		c.readPriceType(f, h)
	}
	c.readLines(f, h)
	f.draft.leaveOut()
	if len(f.draft.lines) == 1 {
		f.goods = f.draft.lines[0].goods
	}
}

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

// readPlaces reads the source and target warehouse. Without a word such as "from", the last place is the target.
func (c *catalog) readPlaces(f *frame, h *heard) {
	from, to := "", ""
	for _, m := range slices.Backward(h.warehouses) {
		name, before := m.Named(), h.beforePlace(m)
		switch {
		case name == "" || f.view.draft == c.drafts.Price:
			continue
		case h.is(before, c.Negation) || h.is(before-1, c.Negation): // "to the shop, not to the warehouse"
		case f.view.draft == c.drafts.Order && h.is(before, c.drafts.At):
			continue // a supplier may have the same name
		case f.view.draft == c.drafts.Order:
			f.warehouse = cmp.Or(f.warehouse, name)
		case h.is(before, c.drafts.From), from == "" && h.leavesFrom(m):
			from = name
		case to == "":
			to = name
		default:
			from = cmp.Or(from, name)
		}
		f.use(m.Tokens...)
	}
	f.draft.set("from_warehouse", from)
	f.draft.set("to_warehouse", to)
	for i := range h.tokens {
		if f.view.draft == c.drafts.Transfer && !f.used[i] && (c.kind(h, i) == naming.Place || c.strange(h, i) && c.beside(h, i)) {
			f.ask = &question{slot: "warehouse", said: h.tokens[i].Text}
			f.use(i)
		}
	}
}

// leavesFrom reports whether "from there" after a name means the place: "there are too many in the shop, move 10 from there to …".
func (h *heard) leavesFrom(m naming.Match) bool {
	at := h.first(h.Thence)
	return at > m.Tokens[0] && !slices.ContainsFunc(h.warehouses, func(other naming.Match) bool {
		return m.Tokens[0] < other.Tokens[0] && other.Tokens[0] < at
	})
}

// beforePlace returns the token before the name of a warehouse and the words that go with it.
func (h *heard) beforePlace(m naming.Match) int {
	i := m.Tokens[0] - 1
	for i > 0 && (naming.IsGeneric(h.tokens[i]) || h.is(i, h.Articles)) {
		i--
	}
	return i
}

// readSupplier reads the supplier, or the words in a supplier's place, so that the model can ask about them. After the first of these,
// words with a capital letter belong to the name, not to goods.
func (c *catalog) readSupplier(f *frame, h *heard) {
	var supplier naming.Match
	if len(h.suppliers) > 0 {
		supplier = h.suppliers[0]
	}
	said := supplier.Tokens
	name := func(i int) bool { return i < len(h.tokens) && !f.used[i] && h.content(i) && h.tokens[i].Number == nil }
	for i := 1; i < len(h.tokens) && said == nil; i++ {
		if h.is(i-1, c.drafts.At) && name(i) && (h.capital(i) || !c.isGoods(h, i)) {
			said = []int{i}
			for j := i + 1; name(j) && h.capital(j); j++ {
				said = append(said, j)
			}
		}
	}
	f.use(said...)
	f.draft.set("supplier", supplier.Named())
	if supplier.Named() == "" && said != nil {
		f.ask = &question{slot: "supplier", said: h.said(said), candidates: supplier.Names}
	}
}

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
		if i < len(h.tokens) && !h.separates(c, i) {
			continue
		}
		c.readLine(f, h, begin, i)
		begin = i + 1
	}
	lines := f.draft.lines
	at := slices.IndexFunc(lines, func(l line) bool { return l.change != "" })
	for i := range lines { // "10% off mugs and plates"
		if at >= 0 && lines[i].amount == nil {
			lines[i].amount, lines[i].change = lines[at].amount, lines[at].change
		}
	}
}

// leaveOut removes what is not to be touched from the lines.
func (d *draft) leaveOut() {
	var lines []line
	for _, l := range d.lines {
		named := l.goods != nil
		for _, goods := range d.untouched {
			if l.goods.Overlaps(goods) {
				l.goods = l.goods.Without(goods)
			}
		}
		if l.goods != nil || !named {
			lines = append(lines, l)
		}
	}
	d.lines = lines
}

func (h *heard) separates(c *catalog, i int) bool {
	return i >= 0 && h.tokens[i].Mark && strings.Contains(",;", h.tokens[i].Text) && !h.enclosed(i) || h.is(i, c.NextPart)
}

// enclosed reports whether a token stands in quotation marks or brackets, as the comma of "T-shirt (M, black)".
func (h *heard) enclosed(i int) bool {
	open := strings.Count(h.text[:h.tokens[i].Start], "(") - strings.Count(h.text[:h.tokens[i].Start], ")")
	return h.tokens[i].Quote != 0 || open > 0 && strings.Contains(h.text[h.tokens[i].End:], ")")
}

// readLine reads goods and what is to be done with them between two tokens.
func (c *catalog) readLine(f *frame, h *heard, begin, end int) {
	l := line{all: f.view.draft == c.drafts.Price && h.has(c.drafts.Every)}
	asked := func(i int) bool { return i >= begin && i < end && !f.used[i] && h.content(i) && !h.is(i+1, c.Articles) }
	name := h.goods.Find(h.tokens, asked)
	named := func(i int) bool { // "5" in "the set of 5 pieces"
		outside := func(at int) bool { return name == nil || !slices.Contains(name.Tokens, at) }
		return !slices.ContainsFunc([]int{i - 1, i, i + 1}, outside) ||
			i+1 < end && strings.Contains(words.Folded(name.One()), words.Folded(h.said([]int{i, i + 1})))
	}
	c.readAmount(f, h, &l, begin, end, named)
	if l.goods = h.goods.Find(h.tokens, asked); l.goods != nil {
		f.use(l.goods.Tokens...)
	} else {
		var strange []int
		for i := begin; i < end; i++ {
			if asked(i) && (c.strange(h, i) || strings.ContainsAny(h.tokens[i].Text, "0123456789")) {
				strange = append(strange, i)
			}
		}
		l.said = h.said(strange)
		f.use(strange...)
	}
	if l.unnamed() && l.amount == nil && l.price == nil {
		return
	}
	d := f.draft
	if l.goods != nil && slices.ContainsFunc(h.tokens[begin:end], c.drafts.Untouched.Is) {
		d.untouched = append(d.untouched, l.goods)
		return
	}
	if n := len(d.lines); n > 0 {
		last := &d.lines[n-1]
		if l.goods == nil && last.amount == nil || l.amount == nil && last.goods == nil {
			last.take(l, false)
			return
		}
	}
	d.lines = append(d.lines, l)
}

// readAmount reads the number of a line, and in an order also a price: "20 at 600". A number that is named belongs to the product's name.
func (c *catalog) readAmount(f *frame, h *heard, l *line, begin, end int, named func(int) bool) {
	at := -1
	take := func(i int) *decimal.Decimal {
		value, length := h.scaled(i)
		for j := i; j < min(i+length, end); j++ {
			f.use(j)
		}
		return &value
	}
	for i := begin; i < end; i++ {
		t := h.tokens[i]
		switch {
		case t.Number == nil || f.used[i] || isCode(t) || named(i):
		case h.after(c.drafts.Instead, i):
			f.used[i] = true
		case f.view.draft == c.drafts.Order && h.is(i-1, c.drafts.PriceAt) && !c.counts(h, i, at < 0):
			l.price = take(i)
		case at < 0, h.is(i+1, c.Units), f.view.draft == c.drafts.Price && !h.tokens[at].Percent:
			at = i
		}
	}
	if at < 0 {
		return
	}
	l.amount = take(at)
	if f.view.draft == c.drafts.Price {
		c.readChange(h, l, at)
	}
}

// counts reports whether a number after a word such as "at" counts something and is not a price: "for 20 frying pans", "for 20 of them",
// or "20 each" if it is the first number.
func (c *catalog) counts(h *heard, i int, first bool) bool {
	next := i + 1
	return first && h.is(i-1, c.drafts.Each) && !h.has(c.Money) || h.is(next, c.Units) || h.is(next, c.Of) ||
		next < len(h.tokens) && h.tokens[next].IsWord() && h.content(next) && !h.is(next, c.Money)
}

// readChange distinguishes a change, "на 10 %" or "на 100 рублей дешевле", from a new price, "до 500".
func (c *catalog) readChange(h *heard, l *line, at int) {
	raise, lower := c.drafts.Price.Raise, c.drafts.Price.Lower
	raised, lowered := h.has(raise), h.has(lower) || at > 0 && h.tokens[at-1].Text == "-"
	switch {
	case h.tokens[at].Percent:
		l.change = "change_percent"
	case (raised || lowered) && h.is(at-1, c.drafts.By), h.is(at-1, raise), h.is(at-1, lower): // "накинь 100"
		l.change = "change"
	default:
		return
	}
	if lowered && !raised {
		l.amount = new(l.amount.Abs().Neg())
	}
}

// missing returns the question that the user must answer before the draft is complete, or nil.
func (c *catalog) missing(f *frame) *question {
	d, kind := f.draft, f.view.draft
	if q := f.ask; q != nil && (q.slot == "warehouse" || q.slot == "purchase_price" || q.slot == "supplier" && d.values["supplier"] == "") {
		return q
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
func (d *draft) arguments(f *frame) map[string]any {
	args := map[string]any{}
	var lines []map[string]any
	for _, l := range d.lines {
		for _, product := range l.products() {
			one := map[string]any{"product": product, cmp.Or(l.change, f.view.draft.Amount): number(*l.amount)}
			if l.price != nil {
				one["price"] = number(*l.price)
			}
			if priceType := d.values["price_type"]; priceType != "" {
				one["price_type"] = priceType
			}
			lines = append(lines, one)
		}
	}
	if len(lines) > 0 {
		args["lines"] = lines
	} else {
		args["from_shortage"] = true
	}
	for _, need := range f.view.draft.Needs {
		args[need] = d.values[need]
	}
	if f.warehouse != "" {
		args["warehouse"] = f.warehouse
	}
	return args
}

// largestPercent is the largest change of a price, in percent, that is made without asking. Without a word such as "percent", a larger
// number is a price.
var largestPercent = decimal.NewFromInt(100)
