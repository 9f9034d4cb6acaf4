package offline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// draft is the content of a draft, as far as the messages have said it.
type draft struct {
	lines              []line
	shortage           bool // order everything below its minimum
	from, to, supplier string
	supplierSaid       string
	priceType          string
	usualPrice         bool             // the message names the usual type of price
	corrects           bool             // it is a new version of the draft before
	untouched          []*naming.Choice // goods that the message leaves out
}

type line struct {
	goods  *naming.Choice
	said   string // the words for goods that the account does not have
	amount *decimal.Decimal
	price  *decimal.Decimal // the purchase price of one
	change string           // the argument that changes a price by an amount; empty if the amount is the new price
	every  bool             // the line means all goods that match its words
}

// products lists the names of a line's goods for a tool.
func (l line) products() (all []string) {
	for i, code := range l.goods.Codes {
		all = append(all, cmpOr(code, l.goods.Names[i]))
	}
	return all
}

func (c *catalog) readDraft(f *frame, h *heard) {
	d := &draft{shortage: f.view.shortage}
	f.draft = d
	kind := f.view.draft
	c.readPlaces(f, h)
	if kind == c.drafts.Order {
		for _, m := range h.suppliers {
			if f.free(m.Tokens) && d.supplier == "" && d.supplierSaid == "" {
				f.use(m.Tokens...)
				if d.supplier = m.Named(); d.supplier == "" {
					d.supplierSaid = h.said(m.Tokens)
					f.ask = &question{slot: "supplier", said: d.supplierSaid, candidates: m.Names}
				}
			}
		}
	}
	if kind == c.drafts.Price {
		if h.has(c.drafts.Purchase) {
			f.ask = &question{slot: "purchase_price"}
		}
		for i := range h.tokens {
			for name, w := range c.drafts.PriceTypes {
				if h.is(i, w) {
					d.priceType, d.usualPrice = name, name == ""
					f.use(i)
				}
			}
		}
		for _, m := range h.channels {
			if f.free(m.Tokens) && m.Named() != "" {
				d.priceType = m.Named()
				f.use(m.Tokens...)
			}
		}
	}
	if kind == c.drafts.Order {
		c.readUnknownSupplier(f, h)
	}
	c.readLines(f, h)
	d.leaveOut()
	if len(d.lines) == 1 {
		f.goods = d.lines[0].goods
	}
}

// readPlaces reads the source and target warehouse by the words before them.
func (c *catalog) readPlaces(f *frame, h *heard) {
	d := f.draft
	var unsaid []string // places without a word that says whether they are source or target
	for _, m := range h.warehouses {
		name := m.Named()
		if name == "" || !f.free(m.Tokens) || f.view.draft == c.drafts.Price {
			continue
		}
		before := m.Tokens[0] - 1
		for before > 0 && naming.IsGeneric(h.tokens[before]) || before > 0 && h.is(before, oneWord{words.ParseWord("the")}) {
			before--
		}
		switch {
		case h.is(before, c.Negation) || h.is(before-1, c.Negation): // "to the shop, not to the warehouse"
		case f.view.draft == c.drafts.Order && h.is(before, c.drafts.At):
			continue // a supplier may have the same name
		case f.view.draft == c.drafts.Order:
			f.warehouse = name
		case h.is(before, c.drafts.From):
			d.from = name
		case h.is(before, c.drafts.To) && d.to == "":
			d.to = name
		default:
			unsaid = append(unsaid, name)
		}
		f.use(m.Tokens...)
	}
	if len(unsaid) == 2 {
		d.from, d.to = cmpOr(d.from, unsaid[0]), cmpOr(d.to, unsaid[1])
	} else if len(unsaid) == 1 && d.to != "" {
		d.from = cmpOr(d.from, unsaid[0])
	} else if len(unsaid) == 1 {
		d.to = unsaid[0]
	}
	for i := range h.tokens {
		if f.view.draft == c.drafts.Transfer && !f.used[i] && (c.kind(h, i) == naming.Place || c.strange(h, i) && c.beside(h, i)) {
			f.ask = &question{slot: "warehouse", said: h.tokens[i].Text}
			f.use(i)
		}
	}
}

// readLines divides the remaining words at commas and "и" into lines. Each line has goods and a number.
func (c *catalog) readLines(f *frame, h *heard) {
	begin := 0
	for i := 0; i <= len(h.tokens); i++ {
		if i < len(h.tokens) && !h.separates(c, i) {
			continue
		}
		if i > begin && !c.leavesOut(f, h, begin, i) {
			c.readLine(f, h, begin, i)
		}
		begin = i + 1
	}
	c.shareChange(f)
}

// shareChange gives a change of price that is said once to all the goods: "10% off mugs and plates".
func (c *catalog) shareChange(f *frame) {
	lines, at := f.draft.lines, -1
	for i, l := range lines {
		switch {
		case l.amount == nil:
		case at >= 0 || l.change == "":
			return
		default:
			at = i
		}
	}
	for i := range lines {
		if at >= 0 && lines[i].amount == nil && lines[i].goods != nil {
			lines[i].amount, lines[i].change = lines[at].amount, lines[at].change
		}
	}
}

// leavesOut reads a part that says what the draft does not touch, beside what it changes.
func (c *catalog) leavesOut(f *frame, h *heard, begin, end int) bool {
	at := slices.IndexFunc(h.tokens[begin:end], c.drafts.Untouched.Is)
	if at < 0 || h.goods == nil {
		return false
	}
	goods := h.goods.Find(h.tokens, func(i int) bool { return i >= begin && i < end && !f.used[i] && h.content(i) })
	if goods == nil {
		return false
	}
	for i := begin; i < end; i++ {
		f.use(i)
	}
	f.draft.untouched = append(f.draft.untouched, goods)
	return true
}

// leaveOut removes what is not to be touched from the lines.
func (d *draft) leaveOut() (changed bool) {
	for _, goods := range d.untouched {
		d.lines = slices.DeleteFunc(slices.Clone(d.lines), func(l line) bool {
			alone := l.goods.Overlaps(goods) && l.goods.Without(goods) == nil
			changed = changed || alone
			return alone
		})
		for i := range d.lines {
			if l := &d.lines[i]; l.goods.Overlaps(goods) {
				l.goods, changed = l.goods.Without(goods), true
			}
		}
	}
	return changed
}

// isCounted reports whether a word behind a number names what is counted, not money: "for 20 frying pans".
func (c *catalog) isCounted(h *heard, i, end int) bool {
	return i < end && h.tokens[i].IsWord() && h.tokens[i].Number == nil && h.content(i) && !h.is(i, c.Money)
}

// numbers counts the numbers of a message.
func (h *heard) numbers() (n int) {
	for _, t := range h.tokens {
		if t.Number != nil {
			n++
		}
	}
	return n
}

func (h *heard) separates(c *catalog, i int) bool {
	return i >= 0 && h.tokens[i].Mark && strings.Contains(",;", h.tokens[i].Text) || h.is(i, c.NextPart)
}

func (c *catalog) readLine(f *frame, h *heard, begin, end int) {
	d, l := f.draft, line{every: h.has(c.drafts.Every)}
	at := -1
	for i := begin; i < end; i++ {
		t := h.tokens[i]
		if t.Number == nil || f.used[i] || strings.HasPrefix(t.Text, "0") && len(t.Text) > 1 {
			continue
		}
		named := h.goods != nil && t.IsWord() && h.goods.Has(t) && c.Numerals[t.Forms[0].Full] == 0
		if named || h.is(i-1, c.drafts.Instead) || i > 1 && h.function[i-1] && h.is(i-2, c.drafts.Instead) {
			f.used[i] = f.used[i] || !named
			continue
		}
		each := i > 1 && h.is(i-1, c.drafts.Each) && !h.has(c.Money) && h.numbers() == 1 // "make it 20 each"
		if f.view.draft == c.drafts.Order && h.is(i-1, c.drafts.PriceAt) && !h.is(i+1, c.Units) && !each && !c.isCounted(h, i+1, end) {
			value, length := h.scaled(i)
			l.price = &value
			for j := i; j < min(i+length, end); j++ {
				f.use(j)
			}
			continue
		}
		price := f.view.draft == c.drafts.Price
		if at < 0 || price && !h.tokens[at].Percent || h.is(i+1, c.Units) && !h.is(at+1, c.Units) {
			at = i
		}
	}
	if at >= 0 {
		value, length := h.scaled(at)
		l.amount = &value
		for j := at; j < min(at+length, end); j++ {
			f.use(j)
		}
		if at > begin && h.tokens[at-1].Text == "-" {
			negative := value.Neg()
			l.amount = &negative
		}
		if f.view.draft == c.drafts.Price {
			c.readChange(h, &l, at)
		}
	}
	asked := func(i int) bool { return !f.used[i] && h.content(i) && !h.is(i+1, c.Articles) && i >= begin && i < end }
	if h.goods != nil {
		if l.goods = h.goods.Find(h.tokens, asked); l.goods != nil {
			f.use(l.goods.Tokens...)
		}
	}
	if l.goods == nil {
		var strange []int
		for i := begin; i < end; i++ {
			if asked(i) && (c.strange(h, i) || strings.ContainsAny(h.tokens[i].Text, "0123456789")) {
				strange = append(strange, i)
			}
		}
		l.said = h.said(strange)
		f.use(strange...)
	}
	if l.goods == nil && l.amount == nil && l.price == nil && l.said == "" {
		return
	}
	if n := len(d.lines); n > 0 {
		last := &d.lines[n-1]
		if l.goods == nil && last.amount == nil {
			last.amount = l.amount
			return
		}
		if l.amount == nil && last.goods == nil {
			last.goods = l.goods
			return
		}
	}
	d.lines = append(d.lines, l)
}

// readChange tells a change, "на 10 %" or "на 100 рублей дешевле", from a new price, "до 500".
func (c *catalog) readChange(h *heard, l *line, at int) {
	has := func(all []pattern) bool {
		return slices.ContainsFunc(all, func(p pattern) bool { return p.in(h) != nil })
	}
	raised, lowered := has(c.drafts.Price.Raise), has(c.drafts.Price.Lower)
	switch {
	case h.tokens[at].Percent:
		l.change = "change_percent"
	case (raised || lowered) && (h.is(at-1, c.drafts.By) || h.begins(at-1, c.drafts.Price.Raise, c.drafts.Price.Lower)):
		l.change = "change"
	default:
		return
	}
	if lowered && !raised && l.amount.IsPositive() {
		negative := l.amount.Neg()
		l.amount = &negative
	}
}

// begins reports whether the word alone matches a pattern: "накинь 100".
func (h *heard) begins(i int, all ...[]pattern) bool {
	return i >= 0 && slices.ContainsFunc(slices.Concat(all...), func(p pattern) bool {
		return len(p.words) == 1 && p.words[0].Is(h.tokens[i])
	})
}

// readUnknownSupplier keeps the words in a supplier's place, so that the model can ask about them. Behind the first, words with a capital
// letter belong to the name: they are no goods.
func (c *catalog) readUnknownSupplier(f *frame, h *heard) {
	name := func(i int) bool {
		return i < len(h.tokens) && !f.used[i] && h.content(i) && h.tokens[i].IsWord() && h.tokens[i].Number == nil
	}
	for i := range h.tokens {
		if f.draft.supplier == "" && h.is(i-1, c.drafts.At) && name(i) && (h.capital(i) || !c.isGoods(h, i)) {
			said := []int{i}
			for i++; name(i) && h.capital(i); i++ {
				said = append(said, i)
			}
			f.draft.supplierSaid = h.said(said)
			f.use(said...)
			f.ask = &question{slot: "supplier", said: f.draft.supplierSaid}
			return
		}
	}
}

// revised applies a message to the draft: another supplier or warehouse, another number for the only line or for the named goods, more
// lines, or fewer. It returns nil if the message changes nothing.
func (d *draft) revised(c *catalog, h *heard, next *draft) *draft {
	again := *d
	again.lines, again.corrects = slices.Clone(d.lines), true
	again.supplier, again.supplierSaid = cmpOr(next.supplier, d.supplier), ""
	if again.priceType = cmpOr(next.priceType, d.priceType); next.usualPrice {
		again.priceType = ""
	}
	if d.from != "" {
		again.from, again.to = cmpOr(next.from, d.from), cmpOr(next.to, d.to)
	}
	changed := again.supplier != d.supplier || again.priceType != d.priceType || again.from != d.from || again.to != d.to
	for i := range h.tokens {
		n := calendar.Ordinal(h.tokens[i])
		if n > 0 && n <= len(d.lines) && len(d.lines) > 1 && h.has(c.drafts.Remove) { // "remove the second line"
			again.lines = slices.Delete(again.lines, n-1, n)
			return &again
		}
	}
	again.untouched = next.untouched
	changed = again.leaveOut() || changed
	for _, l := range next.lines {
		l.like(d.lines, h, c.drafts.By)
		at := slices.IndexFunc(d.lines, func(own line) bool { return l.goods.Overlaps(own.goods) })
		switch {
		case at >= 0 && !h.has(c.drafts.Remove) && len(l.goods.Names) < len(d.lines[at].goods.Names): // some of several: a draft of their own
			l.every, l.amount, l.change = d.lines[at].every, cmp.Or(l.amount, d.lines[at].amount), cmpOr(l.change, d.lines[at].change)
			again.lines, again.corrects = []line{l}, false
			return &again
		case l.price != nil && l.amount == nil && (at >= 0 || len(d.lines) == 1):
			again.lines[max(at, 0)].price = l.price
		case h.has(c.drafts.Remove) && at >= 0:
			again.lines = slices.DeleteFunc(again.lines, func(own line) bool { return l.goods.Overlaps(own.goods) })
		case l.goods == nil && l.amount != nil && l.said == "" && (len(d.lines) == 1 || h.has(c.drafts.Each)):
			for i := range again.lines {
				again.lines[i].amount, again.lines[i].change = l.amount, l.change
			}
		case at >= 0 && l.amount != nil:
			if again.lines[at].amount != nil && h.has(c.drafts.More) {
				sum := again.lines[at].amount.Add(*l.amount)
				l.amount = &sum
			}
			again.lines[at].amount, again.lines[at].change = l.amount, l.change
		case at < 0 && l.goods != nil && l.amount == nil && len(d.lines) > 0 && h.has(c.drafts.Also):
			like := d.lines[len(d.lines)-1]
			l.goods, l.amount, l.change = like.goods.Narrowed(l.goods), like.amount, like.change
			again.lines = append(again.lines, l)
		case l.goods != nil && l.amount != nil, l.said != "" && l.amount != nil:
			again.lines = append(again.lines, l)
		default:
			continue
		}
		changed = true
	}
	if !changed {
		return nil
	}
	return &again
}

// like takes a number without a word for money or percent as the same kind of change as before: "no, by 5".
func (l *line) like(all []line, h *heard, by oneWord) {
	if l.change != "" || l.amount == nil || h.has(h.Money) {
		return
	}
	at := slices.IndexFunc(all, func(own line) bool { return l.goods == nil || l.goods.Overlaps(own.goods) })
	if at < 0 || all[at].change == "" {
		return
	}
	number := slices.IndexFunc(h.tokens, func(t words.Token) bool { return t.Number != nil })
	if all[at].change == "change_percent" && l.amount.GreaterThan(largestPercent) && (l.goods != nil || !h.is(number-1, by)) {
		return // "make it 1490" is a price
	}
	l.change = all[at].change
	if all[at].amount.IsNegative() && l.amount.IsPositive() {
		lower := l.amount.Neg()
		l.amount = &lower
	}
}

// more fills what a draft lacked from a later message.
func (d *draft) more(next *draft, asked *question) {
	if next.supplier != "" {
		d.supplier, d.supplierSaid = next.supplier, ""
	}
	d.priceType = cmpOr(next.priceType, d.priceType)
	place := cmpOr(next.to, next.from)
	switch {
	case next.from != "" && next.to != "":
		d.from, d.to = next.from, next.to
	case next.from != "":
		d.from = next.from
	case place != "" && asked != nil && asked.slot == "from_warehouse":
		d.from = place
	case place != "":
		d.to = place
	}
	for _, l := range next.lines {
		if l.goods == nil && l.amount == nil && l.price == nil && len(next.lines) > 1 { // words beside what was said
			continue
		}
		at := slices.IndexFunc(d.lines, func(own line) bool {
			other := len(d.lines) == 1 && l.amount != nil && l.said == "" // "not 10 but 15"
			return l.goods != nil && (own.goods == nil || len(own.goods.Names) > 1) || l.goods == nil && (own.amount == nil || other)
		})
		if at < 0 {
			d.lines = append(d.lines, l)
			continue
		}
		if l.goods != nil {
			d.lines[at].goods = d.lines[at].goods.Narrowed(l.goods)
			d.lines[at].said = ""
		}
		if l.amount != nil {
			d.lines[at].amount, d.lines[at].change, d.lines[at].every = l.amount, l.change, d.lines[at].every || l.every
		}
	}
}

// missing returns the question that the user must answer before the draft is complete, or nil.
func (c *catalog) missing(f *frame) *question {
	d, kind := f.draft, f.view.draft
	if f.ask != nil && (f.ask.slot == "warehouse" || f.ask.slot == "purchase_price" || f.ask.slot == "supplier" && d.supplier == "") {
		return f.ask
	}
	if kind == c.drafts.Order && d.shortage && len(d.lines) == 0 {
		if d.supplier == "" {
			return &question{slot: "supplier"}
		}
		return nil
	}
	if len(d.lines) == 0 {
		return &question{slot: "products"}
	}
	for _, l := range d.lines {
		switch {
		case l.goods == nil:
			return &question{slot: "product", said: l.said}
		case len(l.goods.Names) > 1 && !(l.every && kind == c.drafts.Price):
			return &question{slot: "product", said: l.goods.Said, candidates: l.goods.Names}
		case l.amount == nil && kind == c.drafts.Price:
			return &question{slot: "price", said: l.goods.One()}
		case l.excessive():
			return &question{slot: "percent", said: l.goods.One()}
		case l.amount == nil:
			return &question{slot: "units", said: l.goods.One()}
		}
	}
	switch {
	case kind == c.drafts.Order && d.supplier == "":
		return &question{slot: "supplier"}
	case kind == c.drafts.Transfer && d.from == "":
		return &question{slot: "from_warehouse"}
	case kind == c.drafts.Transfer && d.to == "":
		return &question{slot: "to_warehouse"}
	}
	return nil
}

// arguments returns the draft as arguments for its tool.
func (d *draft) arguments(c *catalog, f *frame) map[string]any {
	kind, args := f.view.draft, map[string]any{}
	var lines []map[string]any
	for _, l := range d.lines {
		amount := "units"
		if kind == c.drafts.Price {
			amount = cmpOr(l.change, "price")
		}
		for _, product := range l.products() {
			one := map[string]any{"product": product, amount: number(*l.amount)}
			if l.price != nil {
				one["price"] = number(*l.price)
			}
			if d.priceType != "" {
				one["price_type"] = d.priceType
			}
			lines = append(lines, one)
		}
	}
	if len(lines) > 0 {
		args["lines"] = lines
	} else {
		args["from_shortage"] = true
	}
	switch kind {
	case c.drafts.Order:
		args["supplier"] = d.supplier
		if f.warehouse != "" {
			args["warehouse"] = f.warehouse
		}
	case c.drafts.Transfer:
		args["from_warehouse"], args["to_warehouse"] = d.from, d.to
	}
	return args
}

// largestPercent is the largest change of a price in percent that is made without asking, and the largest number that means one without
// a word for it.
var largestPercent = decimal.NewFromInt(100)

// excessive reports whether a line changes a price by so many percent that the user has hardly meant that.
func (l line) excessive() bool {
	return l.change == "change_percent" && l.amount != nil &&
		(l.amount.GreaterThan(largestPercent) || l.amount.LessThanOrEqual(largestPercent.Neg()))
}
