package offline

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/intent"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
	"github.com/kopeck/kopeck/schemas/bilingual"
)

// known holds the names of the account that have been read so far.
type known struct {
	ctx   context.Context
	names answer.Names
	index func(context.Context, answer.Names) (*naming.Goods, error)

	read                           int // the stage up to which names have been read
	warehouses, channels, supplier *naming.List
	goods                          *naming.Goods
}

// The stages of reading names: none, those that take two calls, and all cards.
const (
	nothingRead = iota
	placesRead
	goodsRead
)

// upTo reads names up to a stage. Names that cannot be read stay unknown: the report's call will fail and say why.
func (k *known) upTo(stage int) {
	list := func(read func(context.Context) ([]string, error)) *naming.List {
		names, _ := read(k.ctx)
		return naming.NewList(names)
	}
	for ; k.names != nil && k.read < stage; k.read++ {
		if k.read == nothingRead {
			k.warehouses, k.channels = list(k.names.Warehouses), list(k.names.Channels)
		} else {
			k.supplier = list(k.names.Suppliers)
			k.goods, _ = k.index(k.ctx, k.names)
		}
	}
}

func (k *known) vocabularies() (all []*words.Vocabulary) {
	for _, list := range []*naming.List{k.warehouses, k.channels, k.supplier} {
		if list != nil {
			all = append(all, list.Vocabulary)
		}
	}
	if k.goods != nil {
		all = append(all, k.goods.Vocabulary)
	}
	return all
}

// heard is a message with everything found in it, before a view is chosen.
type heard struct {
	*lexicon
	text     string
	tokens   []words.Token
	function []bool
	unknown  []bool // the word is in no lexicon and no name
	slips    bool   // a word was taken for a misspelt other one
	lang     string

	words    []int                  // the token of each symbol; -1 where it is a name or a number
	likely   []*view                // the views, the likeliest first
	guesses  map[*view]intent.Guess // what the question may ask for
	learnt   []bool                 // an example has the word
	inNames  map[int]bool           // numbers that are part of the name of goods
	familiar bool                   // examples have most of the words

	periods                         []calendar.Period
	spans                           []calendar.Span
	deadline                        *calendar.Span // a future day that ends something; nil: none
	warehouses, channels, suppliers []naming.Match
	markets                         []string // the channels that are marketplaces, if the message is about all of them
	goods                           *naming.Goods
	today                           time.Time
}

// names reports whether a message has names of the account other than those of goods.
func (h *heard) names() bool { return len(h.warehouses)+len(h.channels)+len(h.suppliers) > 0 }

// hear reads a message with the names that are known so far. last is the frame before it, or nil.
func (c *catalog) hear(message, lang string, today time.Time, last *frame, k *known) *heard {
	h := &heard{lexicon: &c.lexicon, inNames: map[int]bool{}, text: message, lang: lang, today: today, goods: k.goods}
	raw := c.joined(words.Tokens(message))
	vocabularies := append(c.static(), k.vocabularies()...)
	h.tokens = words.Read(raw, vocabularies...)
	knows := func(t words.Token) bool {
		return slices.ContainsFunc(vocabularies, func(v *words.Vocabulary) bool { return v.Knows(t) })
	}
	for i, t := range h.tokens {
		h.slips = h.slips || t.IsWord() && !knows(raw[i])
		h.unknown = append(h.unknown, t.IsWord() && !knows(t))
		h.numerals(i)
		percent := i > 0 && h.tokens[i-1].Number != nil && h.is(i, c.Percent)
		if percent {
			h.tokens[i-1].Percent = true
		}
		h.learnt = append(h.learnt, t.IsWord() && c.learnt[stem(t.Forms[0])] && (c.learnt[t.Forms[0].Full] || !namesGoods(t)))
		h.function = append(h.function, t.Mark || percent || t.IsWord() && c.function.Has(t) && !words.IsSize(t))
	}
	h.readTime(last.unit())
	for i, t := range h.tokens {
		if percent := h.Parts[words.FormOf(t.Text).Full]; t.IsWord() && percent > 0 && !h.timed(i) {
			h.tokens[i].Number, h.tokens[i].Percent = new(decimal.NewFromInt(percent)), true
		}
	}
	h.properNames()
	h.warehouses, h.channels, h.suppliers = h.named(k.warehouses), h.named(k.channels), h.named(k.supplier)
	h.separate()
	h.readMarkets(k.channels)
	c.guess(h, last.about())
	return h
}

// named returns the names of a list that a message has.
func (h *heard) named(list *naming.List) []naming.Match {
	if list == nil {
		return nil
	}
	anything := func(i int) bool { return !h.function[i] || len(h.tokens[i].Text) > 1 }
	generic := func(i int) bool { return naming.IsGeneric(h.tokens[i]) }
	return slices.DeleteFunc(list.Find(h.tokens, anything), func(m naming.Match) bool {
		switch first := m.Tokens[0]; {
		case otherGender(m.Named(), h.tokens[first].Text):
			return true
		case all(m.Tokens, generic): // "прибыль магазина" is that of the whole business
			return !h.is(first-1, h.BeforeNames)
		}
		return !m.Whole && all(m.Tokens, h.ordinary)
	})
}

// ordinary reports whether a word is one of the examples and not quoted. It names nothing, although a name may have it.
func (h *heard) ordinary(i int) bool { return h.learnt[i] && h.tokens[i].Quote == 0 }

// otherGender reports whether a word is a form of an adjective that is a name, but in another gender: "основную выручку" is not the main
// warehouse.
func otherGender(name, word string) bool {
	ends := func(text string, endings ...string) bool {
		return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(words.Folded(text), e) })
	}
	return ends(name, "ой", "ый", "ий") && ends(word, "ую", "ая", "ое", "ые")
}

// properNames finds words that are a name together, "Grand Hotel", although some of them have a meaning alone.
func (h *heard) properNames() {
	capital := func(i int) bool { return h.capital(i) && !naming.IsGeneric(h.tokens[i]) }
	for i := range h.tokens {
		if capital(i) && (capital(i-1) || capital(i+1)) && !h.timed(i) {
			h.learnt[i], h.function[i], h.unknown[i] = false, false, true
		}
	}
}

// readMarkets finds the channels that "marketplaces" means. "By marketplace" means all channels.
func (h *heard) readMarkets(channels *naming.List) {
	at := h.first(h.Marketplaces)
	if at < 0 || channels == nil || h.is(at-1, h.GroupBy) || len(h.channels) > 0 {
		return
	}
	for _, name := range channels.Names {
		if naming.IsMarketplace(name) {
			h.markets = append(h.markets, name)
		}
	}
}

// separate settles which words belong to the name of goods: a number in it is no number of the question, and a word that only
// resembles a supplier is part of the goods.
func (h *heard) separate() {
	goods := h.goods.Find(h.tokens, h.content)
	if goods == nil || len(goods.Tokens) < 2 {
		return
	}
	in := func(i int) bool { return slices.Contains(goods.Tokens, i) }
	h.suppliers = slices.DeleteFunc(h.suppliers, func(m naming.Match) bool {
		exactly := func(i int) bool { return strings.Contains(words.Folded(m.Named()), words.Folded(h.tokens[i].Text)) }
		return len(m.Names) == 1 && len(m.Tokens) < len(goods.Tokens) && all(m.Tokens, in) && !all(m.Tokens, exactly)
	})
	for _, i := range goods.Tokens {
		h.inNames[i] = h.tokens[i].Number != nil
	}
}

// numerals turns words into numbers ("пять"), and multiplies numbers by the scale after them ("407 тысяч").
func (h *heard) numerals(i int) {
	t := &h.tokens[i]
	if !t.IsWord() {
		return
	}
	if t.Number == nil {
		n, known := h.Numerals[t.Forms[0].Full]
		if counted := i > 0 && h.tokens[i-1].Number != nil; !known && !counted && len(t.Text) > shortestScale { // "over a million"
			n, known = h.Scales[t.Forms[0].Full]
		}
		switch both := known && n == 2 && h.is(i-1, h.Pair); {
		case both && (i+1 == len(h.tokens) || !calendar.Vocabulary.Knows(h.tokens[i+1])): // "the two", but not "the two months"
			t.Forms = []words.Form{words.FormOf(bilingual.Text{RU: "оба", EN: "both"}.In(h.lang))}
		case known:
			d := decimal.NewFromInt(n)
			t.Number = &d
		}
		return
	}
	letters := strings.TrimLeft(words.Folded(t.Text), "0123456789., \u00a0") // "10к", "407k"
	if scale, known := h.Scales[words.FormOf(letters).Full]; known {
		d := t.Number.Mul(decimal.NewFromInt(scale))
		t.Number = &d
	}
}

// shortestScale is the length up to which a word for a scale means nothing alone: "к", "тыс".
const shortestScale = 6

// joined joins numerals that are one number, "сорок пять", and the parts of an order's number: "59492044-1705-3".
func (c *catalog) joined(tokens []words.Token) []words.Token {
	value := func(i int) int64 {
		if i >= len(tokens) || !tokens[i].IsWord() {
			return 0
		}
		return c.Numerals[tokens[i].Forms[0].Full]
	}
	var all []words.Token
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if tens, ones := value(i), value(i+1); tens >= 20 && tens < 100 && ones > 0 && ones < 10 {
			n := decimal.NewFromInt(tens + ones)
			t.Number, t.End = &n, tokens[i+1].End
			i++
		}
		for len(t.Text) >= longNumber && i+2 < len(tokens) && tokens[i].Number != nil && tokens[i+1].Text == "-" && tokens[i+2].Number != nil {
			t.Text, t.End = t.Text+"-"+tokens[i+2].Text, tokens[i+2].End
			i += 2
		}
		all = append(all, t)
	}
	return all
}

// longNumber is the least length of a number that cannot be part of a date or a range.
const longNumber = 6

// scaled returns a number times its scale word, and how many tokens both take.
func (h *heard) scaled(i int) (decimal.Decimal, int) {
	n := *h.tokens[i].Number
	if i+1 < len(h.tokens) && h.tokens[i+1].IsWord() {
		if scale, known := h.Scales[h.tokens[i+1].Forms[0].Full]; known {
			return n.Mul(decimal.NewFromInt(scale)), 2
		}
	}
	return n, 1
}

func (h *heard) is(i int, w oneWord) bool {
	return i >= 0 && i < len(h.tokens) && h.tokens[i].IsWord() && w.Is(h.tokens[i])
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

// namesGoods reports whether a word names goods, or is an English word that a dictionary of goods has.
func namesGoods(t words.Token) bool {
	asWritten := words.Token{Text: t.Text, Forms: t.Forms[:1]}
	return naming.KindOf(t) == naming.Thing || !t.Cyrillic() && !naming.IsGeneric(t) && naming.Translated().Knows(asWritten)
}

// readTime finds periods and lengths of time.
func (h *heard) readTime(like calendar.Unit) {
	h.periods, h.spans, h.deadline = calendar.Read(h.tokens, h.today, like), calendar.Spans(h.tokens), calendar.Until(h.tokens, h.today)
	h.periods = slices.DeleteFunc(h.periods, func(p calendar.Period) bool { // "more than 2000" is not a year, nor "кафе Весна" a season
		i := p.Tokens[0]
		if i > 0 && naming.IsCompany(h.tokens[i-1]) || len(p.Tokens) == 1 && h.is(i-1, h.Top) { // "самый первый" is not a quarter
			return true
		}
		compared := h.is(i-1, h.More) || h.is(i-1, h.Less) || h.is(i-1, h.Against) && (h.is(i-2, h.More) || h.is(i-2, h.Less))
		return compared && p.Unit == calendar.Year && h.tokens[i].Number != nil
	})
	for _, p := range h.periods {
		if h.deadline != nil && slices.Contains(p.Tokens, h.deadline.Tokens[0]) { // "from October 1 to 15"
			h.deadline = nil
		}
	}
}

// coded returns a token that is a product's code, with the words before it that announce one: "with the code 00017". It returns none if the
// token is not a code. While the products are not known, it is one if it is announced or begins with 0.
func (h *heard) coded(i int) (tokens []int) {
	text := h.tokens[i].Text
	announced := h.is(i-1, h.BeforeCodes)
	if known := h.goods != nil; known && !h.goods.HasCode(text) || !known && (!h.isOrder(i) || !announced && text[0] != '0') {
		return nil
	}
	tokens = append(tokens, i)
	for i--; announced && (h.is(i, h.BeforeCodes) || h.is(i, h.BesideCodes)); i-- {
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
