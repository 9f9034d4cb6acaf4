package grounding

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/kopeck/kopeck/agent/expression"
)

// share is a share that is easily taken for another one.
type share int

const (
	anyShare share = iota
	marginShare
	coverageShare // of the revenue whose cost is known
	partShare     // of all revenue
	computedShare // a markup, a discount or a part of the goods, which no tool gives
)

var shareWords = map[share]*expression.Expression{
	marginShare:   expression.Of(`марж|рентабельност|margin|profitability`),
	coverageShare: expression.Of(`покрыти(?:е|я|ю|и)(?:[^\p{L}]|$)|известн[аоы] для|coverage|known for`),
	partShare:     expression.Of(`дол[яюией](?:[^\p{L}]|$)(?:[^.;,]{0,60}?(?:выручк|продаж))?|\bshare\b(?: of [\p{L} ]{0,20}?(?:revenue|sales))?`),
	computedShare: expression.Of(`наценк|скидк|markup|mark-up|discount`),
	// words of other shares, which a margin may be told with
	anyShare: expression.Of(`покрыт[оыа]|известн|учтен|выручк|продаж|порог|разброс|сервис|covered|known|revenue|sales|threshold|variation|service|cost`),
}

// ofGoods stands behind a share of how many there are, which no coverage or margin is, and ofRevenue behind one that is a margin only
// where profit is spoken of.
var (
	ofGoods   = expression.Of(ofWhole + `(?:товаров|позиций|ассортимента|склада|остатков|запас(?:а|ов)|заказов|клиентов|products|items|positions|stock|inventory|orders|customers)(?:[^\p{L}]|$)`)
	ofRevenue = expression.Of(ofWhole + `(?:выручки|продаж|оборота|revenue|sales)(?:[^\p{L}]|$)`)
)

const ofWhole = `^ ?(?:от )?(?:всех |всей |всего |наших |общей |общего |of (?:the |your |our |all |total )*)?`

// share is the word of a share right behind a figure, else the nearest one before it; of a cell, in its row and head too.
func (p passage) share(f figure) share {
	if f.is != percent && f.is != bare {
		return anyShare
	}
	behind := p.behind(f)
	if f.is == percent && ofGoods.MatchString(behind) {
		return computedShare
	}
	if f.is == percent && ofRevenue.MatchString(behind) && !anyOf(p.label+p.text, "прибыл", "марж", "рентаб", "profit", "margin") {
		return partShare
	}
	words := p.shares()
	if at := slices.IndexFunc(words, func(w shareWord) bool { return w.end+len(" ") == f.start }); at >= 0 && words[at].share.ofOne() {
		return words[at].share
	}
	if words := sharesIn(behind); len(words) > 0 {
		first := slices.MinFunc(words, func(a, b shareWord) int { return cmp.Or(a.start-b.start, b.end-a.end) })
		if first.share.ofOne() && first.start > len("-") {
			return anyShare
		}
		return first.share
	}
	for _, w := range slices.Backward(words) {
		switch {
		case w.end > f.start:
		case w.share.ofOne() && w.end < f.after:
			return anyShare
		default:
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

// sharesIn are the shares that a text names, in its order, of those that end alike the longest last. The part of the revenue that is
// profit is a margin.
func sharesIn(text string) (found []shareWord) {
	for s, word := range shareWords {
		for _, span := range word.FindAllStringIndex(text, -1) {
			w := shareWord{s, span[0], span[0] + len(strings.TrimRight(text[span[0]:span[1]], " ,.;:—-()"))}
			if s == partShare && anyOf(text[w.start:w.end], "прибыл", "profit") {
				w.share = anyShare
			}
			found = append(found, w)
		}
	}
	slices.SortFunc(found, func(a, b shareWord) int { return cmp.Or(a.end-b.end, b.start-a.start) })
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

// ofOne reports whether a word for a share is of the one figure beside it only: "маржа 42 % при покрытии 87 %".
func (s share) ofOne() bool { return s == coverageShare || s == partShare }

func (s share) fits(field string) bool {
	switch {
	case field == "" || s == anyShare:
		return true
	case s == marginShare:
		return strings.Contains(field, "margin")
	case s == coverageShare:
		return strings.Contains(field, "coverage")
	case s == partShare:
		return !strings.Contains(field, "margin")
	}
	return !strings.HasSuffix(field, "percent")
}
