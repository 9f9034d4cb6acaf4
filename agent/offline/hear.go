package offline

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/intent"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// known holds the names of the account that have been read so far.
type known struct {
	ctx   context.Context
	names answer.Names
	index func(context.Context, answer.Names) (*naming.Goods, *naming.List)

	read                           int // the stage up to which names have been read
	warehouses, channels, supplier *naming.List
	goods                          *naming.Goods
	vocabularies                   []*words.Vocabulary // of all these
	debtors                        *naming.List        // the counterparties of the last answer
}

// The stages of reading names: none, those that take two calls, and all cards.
const (
	nothingRead = iota
	placesRead
	goodsRead
)

// upTo reads names up to a stage. Names that cannot be read stay unknown: the report's call will fail and say why.
func (k *known) upTo(stage int) {
	places := func(read func(context.Context) ([]string, error)) *naming.List {
		names, _ := read(k.ctx)
		return naming.NewList(names)
	}
	for ; k.names != nil && k.read < stage; k.read++ {
		if k.read == nothingRead {
			k.warehouses, k.channels = places(k.names.Warehouses), places(k.names.Channels)
			k.vocabularies = append(k.vocabularies, k.warehouses.Vocabulary, k.channels.Vocabulary)
			continue
		}
		k.goods, k.supplier = k.index(k.ctx, k.names)
		if k.supplier != nil {
			k.vocabularies = append(k.vocabularies, k.supplier.Vocabulary)
		}
		if k.goods != nil {
			k.vocabularies = append(k.vocabularies, k.goods.Vocabulary)
		}
	}
}

// heard is a message with everything found in it, before a view is chosen.
type heard struct {
	*lexicon
	text     string
	tokens   []words.Token
	function []bool
	unknown  []bool // the word is in no lexicon and no name
	spelled  []bool // the token is part of the name of a product, written as in the books
	slips    bool   // a word was taken for a misspelt other one
	lang     string

	words    []int          // the token of each symbol; -1 where it is a name or a number
	likely   []*view        // the views, the likeliest first
	guesses  []intent.Guess // what the question may ask for, by class
	learnt   []bool         // an example has the word
	wares    []bool         // the word names goods, and no example has it
	familiar bool           // examples have most of the words

	periods                         []calendar.Period
	spans                           []calendar.Span
	partly                          [][]int // the tokens of times that no report can be about
	warehouses, channels, suppliers []naming.Match
	debtors                         []naming.Match // counterparties that the last answer has shown
	goods                           *naming.Goods
	sentence                        *naming.Sentence // the tokens, as the names of goods
	deadline                        *calendar.Span   // a future day that ends something; nil: none
	today                           time.Time
	like                            calendar.Period // the one spoken of before; zero: none
}

// names reports whether a message has names of the account other than those of goods.
func (h *heard) names() bool { return len(h.warehouses)+len(h.channels)+len(h.suppliers) > 0 }

// hear reads a message with the names that are known so far. last is the frame before it, or nil.
func (c *catalog) hear(message, lang string, today time.Time, last *frame, k *known) *heard {
	h := &heard{lexicon: &c.lexicon, text: message, lang: lang, today: today, goods: k.goods, like: last.spoken()}
	raw := c.joined(c.apart(words.TokensIn(lang, message), k.goods))
	vocabularies := append(c.static(), k.vocabularies...)
	if k.debtors != nil {
		vocabularies = append(vocabularies, k.debtors.Vocabulary)
	}
	h.tokens = words.Read(raw, vocabularies...)
	knows := func(t words.Token) bool {
		return slices.ContainsFunc(vocabularies, func(v *words.Vocabulary) bool { return v.Knows(t) })
	}
	proper := func(i int) bool { return h.capital(i) && !naming.IsGeneric(h.tokens[i]) }
	for i, t := range h.tokens {
		h.slips = h.slips || t.IsWord() && !knows(raw[i])
		h.numerals(i)
		if last != nil && last.draft != nil && h.is(i, c.One) && (h.is(i+1, c.More) || h.is(i+1, c.Less)) { // "one less"
			h.tokens[i].Number = new(decimal.NewFromInt(1))
		}
		percent := i > 0 && h.tokens[i-1].Number != nil && h.is(i, c.Percent)
		if percent {
			h.tokens[i-1].Percent = true
		}
		named := proper(i) && (proper(i-1) || proper(i+1))   // "Grand Hotel", although "grand" has a meaning alone
		replaced := t.Number != nil && h.after(h.Instead, i) // "6 months instead of 3"
		h.unknown = append(h.unknown, named || t.IsWord() && !knows(t))
		ordinary := t.IsWord() && !named && !h.is(i, c.Marketplaces)
		ofGoods := func(t words.Token) bool {
			return t.IsWord() && (namesGoods(t) || k.goods != nil && k.goods.Vocabulary.Knows(t))
		}
		describes := naming.Qualifies(t) && i+1 < len(h.tokens) && ofGoods(h.tokens[i+1]) // "red mugs" are not "in the red"
		asWritten := t.IsWord() && c.learntWords[t.Forms[0].Full] && !describes
		h.learnt = append(h.learnt, ordinary && c.learnt[stem(t.Forms[0])] && (asWritten || !ofGoods(t)))
		measure := h.is(i, c.Measures) && (i == 0 || h.tokens[i-1].Number == nil) // "how many kg of almonds", but "dumbbells of 3 kg"
		none := t.Number != nil && t.Number.IsZero()                              // "a price of 0"
		little := t.Mark || percent || replaced || t.IsWord() && c.function.Knows(t) && !words.IsSize(t)
		h.function = append(h.function, none || h.initial(i) || measure || !named && little)
	}
	h.sentence = h.goods.In(h.tokens)
	h.takeBack()
	h.spell()
	h.readTime()
	h.periods = slices.DeleteFunc(h.periods, func(p calendar.Period) bool { return c.amount(h, p, last) })
	for i, t := range raw {
		if !t.IsWord() || h.tokens[i].Number != nil {
			continue
		}
		named := !t.Cyrillic() && !h.is(i+1, c.Sums.From) || strings.HasSuffix(words.Folded(t.Text), "й")
		ordinal := named && calendar.Ordinal(t) > 0 // "the third", «третий», but not "a third of", «трети»
		if percent := h.Parts[t.Forms[0].Full]; percent.IsPositive() && !h.timed(i) && !ordinal {
			h.tokens[i].Number, h.tokens[i].Percent = &percent, true
		}
	}
	h.warehouses, h.channels, h.suppliers = h.named(k.warehouses), h.named(k.channels), h.named(k.supplier)
	if k.debtors != nil {
		h.debtors = slices.DeleteFunc(k.debtors.Find(h.tokens, h.content), func(m naming.Match) bool {
			return !m.Whole && h.capital(slices.Max(m.Tokens)+1) // of a name in other letters, only a part is found
		})
	}
	if goods := h.sentence.Find(h.content); goods != nil { // their names may have words of a supplier's
		within := func(i int) bool { return slices.Contains(goods.Tokens, i) }
		h.suppliers = slices.DeleteFunc(h.suppliers, func(m naming.Match) bool {
			return len(m.Tokens) < len(goods.Tokens) && all(m.Tokens, within)
		})
	}
	c.guess(h, last.about())
	for i, t := range raw { // "compost" is not "compose" with an error: it would mean nothing here. Nor is "from Bereg" from something else.
		clear := func(v *view) bool { return h.weight(v, i) > clearly && !h.is(i-1, c.drafts.From) }
		if h.learnt[i] && h.content(i) && !h.timed(i) && !knows(t) && !h.inList(i) && !slices.ContainsFunc(h.likely, clear) {
			h.tokens[i], h.learnt[i], h.unknown[i] = t, false, true
			h.sentence = h.goods.In(h.tokens)
		}
	}
	for i, t := range h.tokens {
		h.wares = append(h.wares, t.IsWord() && !h.learnt[i] && (c.isGoods(h, i) || naming.Translated().Knows(t)))
	}
	return h
}

// amount reports whether numbers that could be years are none: "2030 roubles", "10 of them at 2010", "raise the price from 2010 to 2050",
// and "no, 2050" after a draft.
func (c *catalog) amount(h *heard, p calendar.Period, last *frame) bool {
	year := func(i int) bool { return h.tokens[i].Number != nil && len(h.tokens[i].Text) == len("2030") }
	if !all(p.Tokens, func(i int) bool { return year(i) || h.function[i] }) {
		return false
	}
	i, price := slices.Max(p.Tokens), c.drafts.Price
	at := h.is(i-1, c.drafts.PriceAt) && !h.is(i-1, h.During)
	if h.counted(i+1) || at && len(p.Tokens) == 1 {
		return true
	}
	dated := h.is(i-1, h.BeforePeriods) && !h.is(i-1, c.drafts.To) && !h.is(i-1, c.drafts.By) // "in 2025"
	alters := h.has(price.Raise) || h.has(price.Lower) || h.has(price.Alters)
	return !dated && (alters || last != nil && last.draft != nil)
}

// takeBack leaves out the goods that a message begins by taking back, "no, not pasta, deer antlers", and others after an "and not".
func (h *heard) takeBack() {
	not := h.first(h.Negation)
	if not < 0 || slices.Contains(h.function[:not], false) {
		return
	}
	parts := func(i int) bool { return h.tokens[i].Mark || h.is(i, h.Follow) || h.is(i, loaded().drafts.But) }
	for ; not < len(h.tokens); not++ {
		if !h.is(not, h.Negation) || not > h.first(h.Negation) && !h.is(not-1, h.NextPart) {
			continue
		}
		end := not + 1
		for end < len(h.tokens) && (h.function[end] && !parts(end) || h.content(end) && !h.ordinary(end)) {
			end++
		}
		parted := end < len(h.tokens)-1 && parts(end)
		for i := not; i < end && parted && slices.Contains(h.function[end:], false); i++ {
			h.function[i] = true
		}
	}
}

// leastSpelled is the least number of words by which a text is certainly the beginning of a product's name.
const leastSpelled = 3

// spell finds a product whose name is written as in the books. Its words ask for nothing, "big", and its numbers count nothing, "12
// colours".
func (h *heard) spell() {
	h.spelled = make([]bool, len(h.tokens))
	goods := h.sentence.Find(h.content)
	if goods.One() == "" || len(goods.Tokens) < leastSpelled {
		return
	}
	first, last := slices.Min(goods.Tokens), slices.Max(goods.Tokens)
	said := words.Folded(h.text[h.tokens[first].Start:h.tokens[last].End])
	if !strings.HasPrefix(words.Folded(goods.One()), said) {
		return
	}
	for i := first; i <= last; i++ {
		h.spelled[i], h.learnt[i] = true, false
		h.tokens[i].Number, h.tokens[i].Percent = nil, false
	}
}

// spells reports whether a token is part of a name written as in the books.
func (h *heard) spells(i int) bool { return i < len(h.spelled) && h.spelled[i] }

// named returns the names of a list that a message has.
func (h *heard) named(list *naming.List) []naming.Match {
	if list == nil {
		return nil
	}
	anything := func(i int) bool { return !h.function[i] || len(h.tokens[i].Text) > 1 }
	return slices.DeleteFunc(list.Find(h.tokens, anything), func(m naming.Match) bool {
		return otherGender(m.Named(), h.tokens[m.Tokens[0]].Text) || !m.Whole && all(m.Tokens, h.ordinary)
	})
}

// otherGender reports whether a word is a form of an adjective that is a name, but in another gender: "основную выручку" is not the main
// warehouse.
func otherGender(name, word string) bool {
	ends := func(text string, endings ...string) bool {
		return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(words.Folded(text), e) })
	}
	return ends(name, "ой", "ый", "ий") && ends(word, "ую", "ая", "ое", "ые")
}

// ordinary reports whether a word is one of the examples and not quoted. It names nothing, although a name may have it.
func (h *heard) ordinary(i int) bool { return h.learnt[i] && !h.tokens[i].Quoted }

// numerals turns a word into a number, "пять", and multiplies a number by the letters after it, "407k".
func (h *heard) numerals(i int) {
	t := &h.tokens[i]
	if !t.IsWord() {
		return
	}
	if t.Number == nil {
		n, known := valueOf(*t, h.Numerals)
		if counted := i > 0 && h.tokens[i-1].Number != nil; !known && !counted && len(t.Text) > shortestScale { // "over a million"
			n, known = h.Scales[t.Forms[0].Full]
		}
		months := i+1 < len(h.tokens) && calendar.Vocabulary.Knows(h.tokens[i+1]) // "the two months"
		if n.Equal(decimal.NewFromInt(2)) && h.is(i-1, h.Pair) && !months {
			t.Forms = []words.Form{words.FormOf("both")}
		} else if known {
			t.Number = &n
		} else if h.is(i, h.EachOne) && h.is(i-1, h.Just) && h.left(i+1) { // "по одной штуке"
			t.Number = new(decimal.NewFromInt(1))
		}
		return
	}
	if scale := h.scale(words.Token{Forms: []words.Form{words.FormOf(letters(*t))}}); scale.IsPositive() { // "10к", "407k"
		t.Number = new(t.Number.Mul(scale))
	}
}

// valueOf returns the number that a word stands for. «Пятый» stands for none, although it sounds like «пяти».
func valueOf(t words.Token, of map[string]decimal.Decimal) (n decimal.Decimal, known bool) {
	if !t.IsWord() || strings.HasSuffix(words.Folded(t.Text), "ый") {
		return n, false
	}
	n, known = of[t.Forms[0].Full]
	return n, known
}

// letters returns the letters after the digits of a number: "шт" of "5шт".
func letters(t words.Token) string {
	all := words.Folded(t.Text)
	after := strings.TrimLeft(all, "0123456789., \u00a0")
	if after == all {
		return ""
	}
	return after
}

// scale returns what a word multiplies a number by, or 0.
func (x *lexicon) scale(t words.Token) decimal.Decimal {
	n, _ := valueOf(t, x.Scales)
	return n
}

// shortestScale is the length up to which a word for a scale means nothing alone: "к", "тыс".
const shortestScale = 6

// initial reports whether a token is the first letter of a name, as in "Соколова М. И."
func (h *heard) initial(i int) bool {
	dotted := func(i int) bool {
		return i >= 0 && h.mark(i+1, ".") && h.tokens[i].Capital() && h.tokens[i].End == h.tokens[i+1].Start &&
			utf8.RuneCountInString(h.tokens[i].Text) == 1
	}
	return dotted(i) && (dotted(i-2) || dotted(i+2) || i > 0 && h.tokens[i-1].Capital() && !words.IsSize(h.tokens[i]))
}

// apart divides what looks like a code but is a word that ranks with a number, "ТОП-10", unless it is the code of a product.
func (c *catalog) apart(tokens []words.Token, goods *naming.Goods) (all []words.Token) {
	for _, t := range tokens {
		parts := []words.Token{t}
		if codes.MatchString(t.Text) && !goods.HasCode(t.Text) {
			parts = words.Tokens(words.Folded(t.Text))
		}
		if len(parts) == 1 || !c.Top.Is(parts[0]) && !c.Bottom.Is(parts[0]) {
			all = append(all, t)
			continue
		}
		for _, part := range parts {
			part.Start, part.End, part.Quoted = part.Start+t.Start, part.End+t.Start, t.Quoted
			all = append(all, part)
		}
	}
	return all
}

// joined joins numerals that are one number, "сорок пять", and the parts of an order's number: "59492044-1705-3".
func (c *catalog) joined(tokens []words.Token) []words.Token {
	var all []words.Token
	at := func(i int) words.Token {
		if i < len(tokens) {
			return tokens[i]
		}
		return words.Token{}
	}
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		n, length := c.numeral(tokens[i:])
		if length == 0 && t.Number != nil {
			n, length = *t.Number, 1
		}
		next := i + length + 1
		if c.Articles.Is(at(next)) {
			next++
		}
		switch scale := c.scale(at(next)); {
		case length > 0 && c.AndHalf.Is(at(i+length)) && c.Half.Is(at(next)): // "two and a half"
			n, length = n.Add(decimal.New(5, -1)), next+1-i
		case length == 0 && c.Half.Is(t) && scale.IsPositive(): // "half a million"
			n, length = scale.Div(decimal.NewFromInt(2)), next+1-i
		}
		if length > 1 {
			i += length - 1
			t.Number, t.End = &n, tokens[i].End
		}
		for len(t.Text) >= longNumber && i+2 < len(tokens) && tokens[i].Number != nil && tokens[i+1].Text == "-" && tokens[i+2].Number != nil {
			t.Text, t.End = t.Text+"-"+tokens[i+2].Text, tokens[i+2].End
			i += 2
		}
		all = append(all, t)
	}
	return all
}

// numeral returns the number that the first words say together, «тысяча четыреста девяносто», and how many words they are. A scale at the
// end is left out: it can also stand behind digits.
func (c *catalog) numeral(tokens []words.Token) (n decimal.Decimal, length int) {
	hundred, thousand := decimal.NewFromInt(100), decimal.NewFromInt(1000)
	value := func(i int, of map[string]decimal.Decimal) decimal.Decimal {
		if i >= len(tokens) {
			return decimal.Zero
		}
		n, _ := valueOf(tokens[i], of)
		return n
	}
	thousands, below := decimal.Zero, thousand // what is already said, and what the next part must be less than
	for ; ; length++ {
		part, next := value(length, c.Numerals), value(length+1, c.Numerals)
		switch {
		case part.Equal(hundred) && n.IsPositive() && n.LessThan(decimal.NewFromInt(10)): // "four hundred"
			n, below = n.Mul(hundred), hundred
		case part.IsPositive() && part.LessThan(below):
			n, below = n.Add(part), unitOf(part)
		case value(length, c.Scales).Equal(thousand) && thousands.IsZero() && next.IsPositive() && next.LessThan(thousand):
			thousands, n, below = decimal.Max(n, decimal.NewFromInt(1)).Mul(thousand), decimal.Zero, thousand
		default:
			return thousands.Add(n), length
		}
	}
}

// unitOf returns the power of ten of a numeral's first digit. Those up to 19 are ones, since nothing can follow them.
func unitOf(n decimal.Decimal) decimal.Decimal {
	digits := n.NumDigits() + int(n.Exponent())
	if n.LessThan(decimal.NewFromInt(20)) {
		digits = 1
	}
	return decimal.New(1, int32(digits-1))
}

// longNumber is the least length of a number that cannot be part of a date or a range.
const longNumber = 6

// scaled returns a number times its scale word, and how many tokens both take.
func (h *heard) scaled(i int) (decimal.Decimal, int) {
	n := *h.tokens[i].Number
	if i+1 < len(h.tokens) {
		if scale := h.scale(h.tokens[i+1]); scale.IsPositive() {
			return n.Mul(scale), 2
		}
	}
	return n, 1
}

// large reports whether a number is said in thousands or more, as money is: "50 тысяч", "a million".
func (h *heard) large(i int) bool {
	_, length := h.scaled(i)
	return length > 1 || h.scale(h.tokens[i]).IsPositive()
}

func (h *heard) is(i int, w oneWord) bool {
	return i >= 0 && i < len(h.tokens) && h.tokens[i].IsWord() && !h.spells(i) && w.Is(h.tokens[i])
}

// after reports whether a token comes after a word, with at most one function word between them.
func (h *heard) after(w oneWord, i int) bool {
	return h.is(i-1, w) || h.is(i-2, w) && h.function[i-1] && !h.tokens[i-1].Mark
}

// has reports whether a message has a word.
func (h *heard) has(w oneWord) bool { return h.first(w) >= 0 }

// first returns the first token that is a word, or -1.
func (h *heard) first(w oneWord) int { return h.find(func(i int) bool { return h.is(i, w) }) }

// find returns the first token that fits, or -1.
func (h *heard) find(fits func(int) bool) int {
	for i := range h.tokens {
		if fits(i) {
			return i
		}
	}
	return -1
}

// any reports whether a token fits.
func (h *heard) any(fits func(int) bool) bool { return h.find(fits) >= 0 }

// contents returns the tokens that have a meaning that the view must explain.
func (h *heard) contents() (tokens []int) {
	for i := range h.tokens {
		if h.content(i) {
			tokens = append(tokens, i)
		}
	}
	return tokens
}

// content reports whether a token has a meaning that the view must explain.
func (h *heard) content(i int) bool { return !h.tokens[i].Mark && !h.function[i] }

// namesGoods reports whether a word names goods, or is an English word that a dictionary of goods has, but no verb: "covered".
func namesGoods(t words.Token) bool {
	if !t.IsWord() {
		return false
	}
	asWritten := words.Token{Text: t.Text, Forms: t.Forms[:1]}
	english := !t.Cyrillic()
	verb := english && words.Inflected(t) && strings.HasSuffix(words.Folded(t.Text), "ed")
	return !verb && (naming.KindOf(t) == naming.Thing || english && !naming.IsGeneric(t) && naming.Translated().Knows(asWritten))
}

// readTime finds periods and lengths of time.
func (h *heard) readTime() {
	h.spans, h.deadline = calendar.Spans(h.tokens), calendar.Until(h.tokens, h.today)
	h.periods = calendar.Read(h.tokens, h.today, cmp.Or(h.like.Unit, h.like.Length))
	h.periods = slices.DeleteFunc(h.periods, func(p calendar.Period) bool { return h.replaced(p.Tokens) })
	h.spans = slices.DeleteFunc(h.spans, func(s calendar.Span) bool { return h.replaced(s.Tokens) })
	h.spans = slices.DeleteFunc(h.spans, func(s calendar.Span) bool { // "3 квартал" is the third
		return s.Count > 1 && slices.ContainsFunc(h.periods, func(p calendar.Period) bool {
			return p.Unit == s.Unit && slices.Contains(p.Tokens, s.Tokens[0])
		})
	})
	h.recur()
	h.periods = slices.DeleteFunc(h.periods, func(p calendar.Period) bool {
		i := p.Tokens[0]
		company := i > 0 && naming.IsCompany(h.tokens[i-1]) // "кафе Весна" is no season
		ordinal := len(p.Tokens) == 1 && calendar.Ordinal(h.tokens[i]) > 0
		described := h.is(i+1, h.One) || i+1 < len(h.function) && h.content(i+1) // "второй товар" is no quarter
		most := h.is(i-1, h.Top) && !h.is(i-1, h.More)                           // "самый первый" neither, but "больше второго" is
		rank := h.is(slices.Max(p.Tokens)+1, h.Rank)                             // "from the 11th to the 20th place"
		return company || rank || ordinal && (described || most)
	})
}

// recur finds days and hours that no report can be about alone, "on Mondays", "between 9 and 12 today". They are no periods.
func (h *heard) recur() {
	oneDay := func(p calendar.Period) bool { return p.From.Equal(p.To) && len(p.Tokens) > 0 && !p.Wrong }
	h.periods = slices.DeleteFunc(h.periods, func(p calendar.Period) bool {
		again := slices.ContainsFunc(p.Tokens, func(i int) bool { return h.is(i, h.Recurring) })
		each := oneDay(p) && h.is(p.Tokens[0]-1, h.EachDay)
		number := func(i int) bool {
			return h.tokens[i].Number != nil || h.is(i, h.BeforePeriods) || h.is(i, h.RangeFrom) || h.is(i, h.RangeTo)
		}
		hours := !oneDay(p) && all(p.Tokens, number) &&
			slices.ContainsFunc(h.periods, oneDay)
		if again || each || hours {
			h.partly = append(h.partly, p.Tokens)
		}
		return again || each || hours
	})
	for i := range h.tokens {
		if h.is(i, h.Recurring) && !h.timed(i) {
			h.partly = append(h.partly, []int{i})
		}
	}
}

// withUnit returns a message in which a bare length of time has the unit that another one has, in it or in the message before: "the last 7
// days vs the previous 7", or "for 90?" after a message with days. It returns "" if no length lacks its unit, or none has one.
func (h *heard) withUnit(last *frame) string {
	brief := last != nil && len(h.contents()) < 2
	bare := h.find(func(i int) bool {
		ends := i == len(h.tokens)-1 || !h.content(i+1) // "the last 3 orders" has no unit
		length := i > 0 && calendar.Relative(h.tokens[i-1]) || brief && h.during(i)
		return h.tokens[i].Number != nil && !h.timed(i) && ends && length
	})
	if bare < 0 {
		return h.withDay(last)
	}
	said, at := h, h.tokens[bare].End
	if !calendar.Relative(h.tokens[bare-1]) {
		said = last.heard
	}
	for i, t := range said.tokens {
		if i > 0 && t.Number == nil && said.timed(i) && said.tokens[i-1].Number != nil {
			return h.text[:at] + " " + t.Text + h.text[at:]
		}
	}
	return h.withDay(last)
}

// withDay returns a message in which a bare number is a day of the month, as after an answer about one day: "and 21?", or "".
func (h *heard) withDay(last *frame) string {
	i := h.number()
	if i < 0 || last == nil || len(last.periods) != 1 || last.period().Days() > 1 || last.limit > 0 || len(h.contents()) > 1 || h.timed(i) {
		return ""
	}
	at := h.tokens[i].End
	return h.text[:at] + "-го" + h.text[at:]
}

// replaced reports whether a time is not meant any more, "a year instead of 3 months". It then says nothing.
func (h *heard) replaced(tokens []int) bool {
	if !h.after(h.Instead, tokens[0]) {
		return false
	}
	for _, i := range tokens {
		h.function[i] = true
	}
	return true
}

// coded returns a token that is a product's code, with the words before it that announce one: "the code 00017". It returns none if the
// token is not a code. While the products are not known, a code is a long number that begins with 0.
func (h *heard) coded(i int) (tokens []int) {
	text := h.tokens[i].Text
	if h.goods == nil && (!h.isOrder(i) || text[0] != '0') || h.goods != nil && !h.goods.HasCode(text) {
		return nil
	}
	tokens = append(tokens, i)
	for i--; h.is(i, h.BeforeCodes); i-- {
		tokens = append(tokens, i)
	}
	return tokens
}

// said returns the text of tokens as the question has it.
func (h *heard) said(tokens []int) string {
	if len(tokens) == 0 {
		return ""
	}
	return h.text[h.tokens[slices.Min(tokens)].Start:h.tokens[slices.Max(tokens)].End]
}

// phrases returns the text of some words, with the little words between them, but without what stands between those that are far apart.
func (h *heard) phrases(tokens []int) string {
	const gap = 2 // "bicycles with a basket"
	var all []string
	tokens = slices.Sorted(slices.Values(tokens))
	for begin, n := 0, 1; n <= len(tokens); n++ {
		if n < len(tokens) && tokens[n]-tokens[n-1] <= gap+1 && h.little(tokens[n-1]+1, tokens[n]) {
			continue
		}
		all = append(all, h.said(tokens[begin:n]))
		begin = n
	}
	return strings.Join(all, ", ")
}

// little reports whether all tokens before the end of a range are words without content that may be within a name.
func (h *heard) little(begin, end int) bool {
	for i := begin; i < end; i++ {
		if h.content(i) || h.tokens[i].Mark || h.is(i, h.NextPart) || h.is(i, h.Or) {
			return false
		}
	}
	return true
}
