package grounding

import (
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
