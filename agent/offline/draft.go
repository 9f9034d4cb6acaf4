package offline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
)

// draft is what the messages have said about a purchase order, a transfer or a change of prices. readDraft reads what one message says. If
// that goes on with a draft, followDraft puts it into this one. If not, inheritDraft completes it by what was shown.
type draft struct {
	lines    []line
	shortage bool                // order or move everything below its minimum
	except   *naming.Choice      // goods that a message leaves out
	values   map[string]string   // by argument; a price type is repeated in each line
	open     map[string][]string // the names said for an argument without a value, if there are several
	corrects bool                // it is a new version of the draft before
	ignored  []string            // times that were said: a draft has none
	skipped  []string            // what was shown and cannot be in it
	noted    []string            // what it has taken from the last message, if it still lacks something
}

// line is a line of a draft, or what a part of a message says about one.
type line struct {
	goods  *naming.Choice
	said   string           // the words for goods that the account does not have
	all    bool             // the line is of all goods that match its words
	amount *decimal.Decimal // as it was said
	more   bool             // the amount adds to the one before
	each   bool             // the amount is also that of lines without one
	loose  bool             // «по 6», "6 each": no word says whether the number is an amount or a price
	change change           // what the amount does to a sale price
	price  *decimal.Decimal // the purchase price of one
	bare   bool             // the product's card has no purchase price

	instead *decimal.Decimal // the number of a line before that this one replaces: "not 10 but 15"

	// Words around a number that is not understood. Only a later message with another amount or price takes them away.
	unclear, unpriced string
}

// change is what a message says about the amount of a price change.
type change struct {
	sign    int  // 1 if the price is raised, -1 if it is lowered, 0 if neither is said
	by      bool // "by" stands before the amount
	percent bool
	price   bool // a word for money or "to" says that it is a price
}

// argument returns the argument for an amount that changes the price. It is empty if the amount is the new price.
func (c change) argument() string {
	switch {
	case c.percent:
		return "change_percent"
	case c.by:
		return "change"
	}
	return ""
}

// unnamed reports whether a message does not say which goods the line is of.
func (l line) unnamed() bool { return l.goods == nil && l.said == "" }

// several reports whether the user must say which goods the line means.
func (l line) several() bool { return l.goods != nil && len(l.goods.Names) > 1 && !l.all }

// set keeps what a message says for an argument.
func (d *draft) set(argument, value string) {
	if value != "" {
		d.values[argument] = value
	}
}

// prepares makes the draft that of the frame. Later questions may be about its only product.
func (f *frame) prepares(d *draft) {
	f.draft = d
	if len(d.lines) == 1 {
		f.goods = d.lines[0].goods
	}
}

// readDraft reads what a message says about a draft. It asks about whatever has no place in it.
func (c *catalog) readDraft(f *frame, h *heard) {
	f.draft = &draft{shortage: f.view.shortage, values: map[string]string{}, open: map[string][]string{}}
	switch f.view.draft {
	case c.drafts.Order:
		c.readPlaces(f, h)
		c.readSupplier(f, h)
	case c.drafts.Transfer:
		c.readPlaces(f, h)
		c.askUnknown(f, h, "warehouse", func(i int) bool { return c.beside(h, i) })
	case c.drafts.Price:
		c.readPriceType(f, h)
	}
	f.draft.except = c.readExcept(f, h)
	c.readLines(f, h)
	if f.draft.except != nil {
		f.draft.leave([]*naming.Choice{f.draft.except}, false)
	}
	_, often := calendar.Rate(h.tokens) // "every month"
	timed := func(i int) bool { return h.timed(i) || slices.Contains(often, i) || h.is(i, c.drafts.Later) }
	for i := range h.tokens {
		if timed(i) && !f.used[i] && (i == 0 || !timed(i-1)) {
			last := i
			for timed(last + 1) {
				last++
			}
			f.draft.ignored = append(f.draft.ignored, h.said([]int{i, last}))
		}
	}
	if open := len(f.draft.open); open > 1 || open > 0 && len(f.draft.lines) > 1 {
		f.ask = &question{slot: "one_draft", again: true}
	} else if f.ask == nil || !f.ask.again {
		c.askUnplaced(f, h)
	}
	f.prepares(f.draft)
}

// readExcept reads the goods whose prices stay: "raise mugs by 10% except Sova".
func (c *catalog) readExcept(f *frame, h *heard) *naming.Choice {
	at := h.first(c.Except)
	if at < 0 || f.view.draft != c.drafts.Price {
		return nil
	}
	except := h.sentence.Find(func(i int) bool { return i > at && !f.used[i] && h.content(i) && h.tokens[i].Number == nil })
	if except != nil {
		f.use(append(except.Tokens, at)...)
	}
	return except
}

// unasked reports whether a message says not to do something, leaves something out, or asks a question. No draft must be made of it. "Not
// 10 but 15", "not to the shop", "what is not enough" and "can you order 5?" are no such messages.
func (c *catalog) unasked(f *frame, h *heard) bool {
	refuses := func(i int) bool {
		if h.tokens[i].Denies() {
			return true
		}
		named := func(m naming.Match) bool { return m.Tokens[0] == i+1 || h.beforeName(m.Tokens[0]) == i+1 }
		number := i+1 < len(h.tokens) && h.tokens[i+1].Number != nil
		return h.is(i, c.Negation) && !number && !h.is(i+1, c.More) && !slices.ContainsFunc(slices.Concat(h.warehouses, h.suppliers), named)
	}
	asks := (strings.HasSuffix(h.text, "?") || h.is(0, h.Question) && h.is(1, h.Whether) || h.asksWhether()) && !h.has(c.drafts.Polite)
	if f.draft.shortage { // its own words may have a "not"
		return refuses(0) || h.has(c.Except)
	}
	quoted := func(i int) bool { return h.tokens[i].Quoted && !h.tokens[0].Quoted && h.weight(f.view, i) > speaks } // of somebody else
	return asks || h.any(func(i int) bool { return c.beyond(h, i) && !f.slot[i] }) || h.any(refuses) || h.any(quoted)
}

// beyond reports whether a word asks for less than what a draft has, or for what no draft can do.
func (c *catalog) beyond(h *heard, i int) bool {
	return h.is(i, c.drafts.Beyond) || h.is(i, c.drafts.Remove) && !h.is(i, c.drafts.Price.Lower)
}

// asksPrice reports whether a message has a word that asks for a price or for a change of it. A number beside goods may also count them.
func (c *catalog) asksPrice(f *frame, h *heard) bool {
	kind := c.drafts.Price
	changes := h.has(kind.Raise) || h.has(kind.Lower)
	percent := h.any(func(i int) bool { return h.tokens[i].Percent && h.tokens[i].Number != nil })
	named := !f.unnamed() || h.has(h.Anaphor)
	to := h.has(c.drafts.To) && !h.any(h.ranges)
	return h.has(kind.Asks) || changes && (percent || h.has(h.Money)) || named && (h.has(kind.Alters) || to)
}

// fromOwn reports whether goods are to come from a warehouse, "send it there from the main one". That is no purchase.
func (c *catalog) fromOwn(h *heard) bool {
	return slices.ContainsFunc(h.warehouses, func(m naming.Match) bool { return h.after(c.drafts.From, m.Tokens[0]) })
}

// movable returns the frame of the report whose rows become the lines of a transfer: what its target lacks and its source can give. It
// returns nil for any other draft, and if there are lines.
func (c *catalog) movable(f *frame) *frame {
	if f.draft == nil || !f.draft.shortage || f.view.draft != c.drafts.Transfer || len(f.draft.lines) > 0 || c.missing(f) != nil {
		return nil
	}
	route := said{warehouse: f.draft.values["to_warehouse"], source: f.draft.values["from_warehouse"]}
	return &frame{view: c.byClass["below_minimum.movable"], heard: f.heard, lang: f.lang, said: route}
}

// readPlaces reads the warehouses. "From Ozon and WB" names two sources. Without a word such as "from", the last one is the target.
func (c *catalog) readPlaces(f *frame, h *heard) {
	order, to, place, last := f.view.draft == c.drafts.Order, "to_warehouse", "", -1
	if order {
		to = "warehouse"
	}
	var bare []naming.Match
	for _, m := range h.warehouses {
		before := h.beforeName(m.Tokens[0])
		listed := before-1 == last && (h.is(before, c.NextPart) || h.is(before, c.Or) || h.mark(before, ","))
		last = slices.Max(m.Tokens)
		switch {
		case order && h.is(before, c.drafts.At): // a supplier may have the same name
			continue
		case h.replacedName(m):
			f.use(m.Tokens...)
			continue
		case listed:
		case order, h.is(before, c.BeforeNames) && !h.is(before, c.drafts.From):
			place = to
		case h.is(before, c.drafts.From):
			place = "from_warehouse"
		default:
			place = ""
		}
		if place == "" {
			bare = append(bare, m)
		} else {
			f.mention(place, m)
		}
	}
	for _, m := range slices.Backward(bare) {
		if f.draft.values[to] == "" && len(f.draft.open[to]) == 0 {
			f.mention(to, m)
		} else {
			f.mention("from_warehouse", m)
		}
	}
}

// mention puts a name into a draft for an argument. It stays open which one is meant if the message says several.
func (f *frame) mention(argument string, m naming.Match) {
	f.use(m.Tokens...)
	d := f.draft
	names := slices.Concat(m.Names, d.open[argument])
	if said := d.values[argument]; said != "" {
		names = append(names, said)
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 1 {
		d.values[argument] = names[0]
		return
	}
	d.values[argument], d.open[argument] = "", names
}

// replacedName reports whether a message says a name only to say another one: "to the shop, not to the warehouse".
func (h *heard) replacedName(m naming.Match) bool {
	before, instead := h.beforeName(m.Tokens[0]), loaded().drafts.Instead
	return h.is(before, instead) || h.is(before-1, instead)
}

// beforeName returns the token before a name and the words that go with it, "the" and "warehouse".
func (h *heard) beforeName(first int) int {
	i := first - 1
	for i > 0 && (naming.IsGeneric(h.tokens[i]) || h.is(i, h.Articles)) {
		i--
	}
	return i
}

// readSupplier reads the supplier.
func (c *catalog) readSupplier(f *frame, h *heard) {
	if len(h.suppliers) == 0 {
		c.askUnknown(f, h, "supplier", func(i int) bool { return h.is(h.beforeName(i), c.drafts.At) })
	}
	for _, m := range h.suppliers {
		if h.replacedName(m) {
			f.use(m.Tokens...)
		} else {
			f.mention("supplier", m)
		}
	}
}

// askUnknown asks about the first unknown word in the place of a name, with the words after it that have a capital letter.
func (c *catalog) askUnknown(f *frame, h *heard, slot string, inPlace func(int) bool) {
	at := h.find(func(i int) bool { return !f.used[i] && c.strange(h, i) && inPlace(i) })
	if at < 0 {
		return
	}
	tokens := []int{at}
	for i := at + 1; h.capital(i); i++ {
		tokens = append(tokens, i)
	}
	f.use(tokens...)
	f.ask = &question{slot: slot, said: h.said(tokens)}
}

// readPriceType reads which of the sale prices a draft changes.
func (c *catalog) readPriceType(f *frame, h *heard) {
	if h.has(c.drafts.Purchase) {
		f.ask = &question{slot: "purchase_price", again: true}
	}
	put := func(name string, tokens ...int) {
		if of, said := f.draft.values["price_type"]; said && of != name { // a line has one
			f.ask = &question{slot: "unplaced", said: h.said(tokens), again: true}
		}
		f.draft.values["price_type"] = name
		f.use(tokens...)
	}
	for i := range h.tokens {
		for name, w := range c.drafts.PriceTypes {
			if h.is(i, w) {
				put(name, i)
			}
		}
	}
	for _, m := range h.channels {
		put(m.Named(), m.Tokens...)
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
	if at := h.find(func(i int) bool { return c.outdated(h, i) }); at >= 0 && len(lines) == 1 {
		value, _ := h.scaled(at)
		lines[0].instead = &value
	}
	if last := len(lines) - 1; last > 0 && !slices.ContainsFunc(lines[:last], line.counts) {
		switch {
		case f.view.draft == c.drafts.Price: // "set mugs and plates to 500"
			lines[last].each = true
		case lines[last].loose && !f.follows: // "mugs and plates, по 10"
			lines[last] = lines[last].counting()
		}
	}
	f.draft.share(0)
}

// counting returns the line with its only number as the amount, also of lines without one.
func (l line) counting() line {
	l.amount, l.price, l.unpriced, l.each = cmp.Or(l.amount, l.price), nil, "", l.each || l.loose
	return l
}

// pricing returns the line with its only number as the price of one, also of lines without a number.
func (l line) pricing() line {
	l.price, l.amount, l.each = cmp.Or(l.price, l.amount), nil, l.each || l.loose
	return l
}

// share gives the lines without a number, from a place on, that of most goods: "10% off mugs and plates", "mugs and plates, 10 each".
func (d *draft) share(from int) {
	var common line
	for _, l := range d.lines {
		gives := l.counts() && (l.each || l.amount != nil && l.change.argument() != "")
		if gives && (!common.counts() || common.goods != nil && l.goods != nil && len(l.goods.Names) >= len(common.goods.Names)) {
			common = l
		}
	}
	for i, l := range d.lines {
		switch {
		case i < from:
		case l.amount == nil && common.amount != nil:
			d.lines[i].amount, d.lines[i].change = common.amount, common.change
		case !l.counts():
			d.lines[i].price = common.price
		}
	}
}

// separates reports whether a token stands between two names. The commas of "T-shirt (M, black)" and "20 mugs, at 600" do not.
func (h *heard) separates(c *catalog, i int) bool {
	if !h.tokens[i].Mark {
		instead := h.is(i, c.drafts.But) && h.any(func(at int) bool { return at < i && h.is(at, c.drafts.Instead) }) // "not A but B"
		return instead || h.is(i, c.NextPart) && (!h.is(i, c.Sums.Plus) || i+2 < len(h.tokens)) || h.besides(c, i)   // "pans plus 5"
	}
	before := h.text[:h.tokens[i].Start]
	return strings.Contains(",;", h.tokens[i].Text) && !h.is(i+1, c.drafts.PriceAt) && strings.Count(before, "(") <= strings.Count(before, ")")
}

// besides reports whether a "with" stands between goods that no name has together: «свечу с пазлом».
func (h *heard) besides(c *catalog, i int) bool {
	if !h.is(i, c.drafts.From) || !h.tokens[i].Cyrillic() {
		return false
	}
	before := h.sentence.Find(func(at int) bool { return at == i-1 })
	after := h.sentence.Find(func(at int) bool { return at == i+1 && !h.inList(at) })
	return before != nil && after != nil && !before.Overlaps(after)
}

// readLine reads goods and what is to be done with them between two tokens.
func (c *catalog) readLine(f *frame, h *heard, begin, end int) {
	free := func(i int) bool { return i >= begin && i < end && !f.used[i] && h.content(i) }
	l := line{all: f.view.draft == c.drafts.Price && h.has(c.drafts.Every)}
	if at := h.first(c.drafts.More); at >= 0 && at < end { // "baskets 3, puzzles 2 more" adds only puzzles
		l.more = true
	}
	named := func() *naming.Choice { return h.sentence.Find(free).Active() }
	c.readAmounts(f, h, &l, begin, end, named)
	if gone := h.sentence.Find(free); gone != nil && gone.Active() == nil && !all(gone.Tokens, h.ordinary) {
		f.ask = cmp.Or(f.ask, &question{slot: "archived", said: cmp.Or(gone.One(), gone.Said), again: true})
	}
	if goods := named(); goods != nil && !all(goods.Tokens, h.ordinary) { // "set it to 500" is no set
		l.goods = goods
		f.use(goods.Tokens...)
	} else {
		known := func(i int) bool { return !free(i) || h.inList(i) || !c.strange(h, i) }
		strange := slices.DeleteFunc(h.contents(), known)
		l.said = h.phrases(strange)
		f.use(strange...)
	}
	if !l.unnamed() || l.amount != nil || l.price != nil || l.unclear+l.unpriced != "" {
		f.draft.put(l, false)
	}
	more := named()
	byCode := func(i int) bool {
		return strings.ContainsAny(h.tokens[i].Text, "0123456789") || h.has(c.drafts.Replace) && !h.ordinary(i)
	}
	if more != nil && l.goods != nil && slices.ContainsFunc(more.Tokens, byCode) { // "candles I-369 E-762", "replace mugs with plates"
		f.use(more.Tokens...)
		f.draft.lines = append(f.draft.lines, line{goods: more})
	}
}

// missing returns the question that the user must answer before the draft is complete, or nil.
func (c *catalog) missing(f *frame) *question {
	d, kind := f.draft, f.view.draft
	if f.ask != nil {
		return f.ask
	}
	if len(d.lines) == 0 && !d.shortage {
		slot := "products"
		if d.values["supplier"] != "" {
			slot = "products_or_short"
		}
		return &question{slot: slot}
	}
	for _, l := range d.lines {
		if q := l.missing(kind, len(d.lines) > 1); q != nil {
			q.goods, q.all = l.goods, l.several() && kind == c.drafts.Price
			return q
		}
	}
	for _, need := range slices.Concat(kind.Needs, slices.Sorted(maps.Keys(d.open))) {
		if d.values[need] == "" || need == "to_warehouse" && d.values[need] == d.values["from_warehouse"] {
			taken := cmp.Or(d.values["from_warehouse"], d.values["to_warehouse"])
			return &question{slot: need, candidates: d.open[need], taken: taken}
		}
	}
	return nil
}

// missing returns the question about a line that the user must answer first, or nil. beside is set if the draft has other lines.
func (l line) missing(kind *draftKind, beside bool) *question {
	changes, several := l.change.argument() != "", l.several()
	switch {
	case l.unnamed() && l.amount != nil && beside: // "10 mugs, no, 12"
		return &question{slot: "unplaced", said: l.amount.String(), again: true}
	case l.unclear != "" && !several:
		return &question{slot: "number", said: l.unclear}
	case l.goods == nil:
		return &question{slot: "product", said: l.said}
	case several:
		return &question{slot: "product", said: l.goods.Said, candidates: l.goods.Names}
	case l.unpriced != "":
		return &question{slot: "price_of_one", said: l.unpriced}
	case l.bare && l.price == nil:
		return &question{slot: "line_price", said: l.goods.One()}
	case l.amount == nil, changes && l.amount.IsZero(), kind.Amount == "units" && !l.amount.IsPositive(): // three less of two
		return &question{slot: kind.Amount, said: l.goods.One()}
	case changes && l.change.sign == 0:
		return &question{slot: "direction", said: l.goods.One()}
	case l.change.percent && l.amount.GreaterThan(largestPercent):
		return &question{slot: "percent", said: l.goods.One()}
	}
	return nil
}

// largestPercent is the largest change of a price, in percent, that is made without asking. Without a word such as "percent", a larger
// number is a price.
var largestPercent = decimal.NewFromInt(100)

// arguments returns the draft as arguments for its tool. Here, an amount that lowers a price becomes negative.
func (d *draft) arguments(kind *draftKind) map[string]any {
	args := map[string]any{}
	for name, value := range d.values {
		if name != "price_type" && value != "" {
			args[name] = value
		}
	}
	if len(d.lines) == 0 {
		args["from_shortage"] = true
		return args
	}
	var lines []map[string]any
	for _, l := range d.lines {
		argument, amount := l.change.argument(), *l.amount
		if argument != "" && l.change.sign < 0 {
			amount = amount.Neg()
		}
		for i, code := range l.goods.Codes {
			one := map[string]any{"product": cmp.Or(code, l.goods.Names[i]), cmp.Or(argument, kind.Amount): jsonNumber(amount)}
			if l.price != nil {
				one["price"] = jsonNumber(*l.price)
			}
			if priceType := d.values["price_type"]; priceType != "" {
				one["price_type"] = priceType
			}
			lines = append(lines, one)
		}
	}
	args["lines"] = lines
	return args
}

// opposed says that a draft lowers a price that the user asked to raise, or the other way round. It returns "" if it does not.
func (t *turn) opposed(f *frame) string {
	if f.view.draft != t.talk.drafts.Price {
		return ""
	}
	told := t.telling(f, t.reads(f))
	place := 0
	for _, l := range f.draft.lines {
		sign := l.change.sign
		for range l.goods.Names {
			place++
			row := fmt.Sprintf("R.lines[%d]", place)
			changed, _ := told.decimal(row + ".price")
			if old, known := told.decimal(row + ".old_price"); known && sign != 0 && changed.Cmp(old) == -sign {
				name := "{{" + told.named(row+".name") + "}}"
				return reply(t.lang, map[int]string{1: "lowered_instead", -1: "raised_instead"}[sign], "NAME", name) + " "
			}
		}
	}
	return ""
}
