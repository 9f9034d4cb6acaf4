package grounding

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/render"
)

// names are the texts of results that have digits in them: product names, codes, numbers of documents. A figure of an
// answer that stands inside such a name, written as the name is, is a part of the name and no claim. It never grounds
// the same figure elsewhere.
type names struct {
	parts   map[string][]place // by each word with a digit
	known   map[string]bool
	trusted []string // notes, which are of our own making, as plain text
}

// place is a word of a name.
type place struct {
	name *name
	at   int
}

type name struct {
	words  []string
	metric bool // speaks of money or stock itself, as a planted "прибыль 5 000 000 ₽" does
}

// maxNameWords bounds what a hostile name of whole pages costs; the longer ones are never shown whole.
const maxNameWords = 64

func (n *names) add(text string) {
	if !strings.ContainsFunc(text, unicode.IsDigit) {
		return
	}
	for _, shown := range []string{text, render.Inline(text)} {
		if n.known[shown] {
			continue
		}
		if n.known == nil {
			n.known, n.parts = map[string]bool{}, map[string][]place{}
		}
		n.known[shown] = true
		words := wordsOf(plain(shown))
		entry := &name{words: words[:min(len(words), maxNameWords)]}
		for i, word := range entry.words {
			entry.metric = entry.metric || metricWord(word)
			if strings.ContainsFunc(word, unicode.IsDigit) {
				n.parts[word] = append(n.parts[word], place{entry, i})
			}
		}
	}
}

// trust takes a text of our own, by the sentences in which a gate will see it.
func (n *names) trust(text string) {
	var none list
	for text != "" {
		end, _ := cut(text, 0, &none)
		if end == 0 {
			end = len(text)
		}
		if shown := plain(text[:end]); strings.ContainsFunc(shown, unicode.IsDigit) {
			n.trusted = append(n.trusted, shown)
		}
		text = text[end:]
	}
}

// metrics begin the words by which a name would pass for a figure of the business.
var metrics = strings.Fields("марж прибыл выручк наценк итог всего рентабел покрыт дол себестоим остат долг деньг денег сумм цен баланс оборот задолж margin profit revenue markup total coverage share cost stock debt cash sum price balance amount owe")

func metricWord(word string) bool {
	for _, metric := range metrics {
		if strings.HasPrefix(word, metric) {
			return true
		}
	}
	return false
}

// cover reports whether a figure stands inside a name that the text has there: a whole name, or a run of its words with
// one that names a thing. Money, long numbers and counts pass only inside a whole name that speaks of nothing of the
// business, or that fills the cell of a table. A number that is a name by itself, such as a code, needs a sign that it is
// one.
func (n *names) cover(text string, wordsOfIt func() []word, f figure, cell bool) bool {
	for _, trusted := range n.trusted {
		if at := strings.Index(text, trusted); at >= 0 && at <= f.start && f.end <= at+len(trusted) {
			return true
		}
	}
	if len(n.parts) == 0 {
		return false
	}
	words := wordsOfIt()
	for i, w := range words {
		if w.end <= f.from || w.start >= f.to {
			continue
		}
		if cell && n.onlyCodes(words) {
			return true
		}
		for _, p := range n.parts[w.text] {
			first, last := p.run(words, i)
			if p.within(text, f, words[first:last+1], cell) {
				return true
			}
		}
		return false
	}
	return false
}

// onlyCodes reports whether a cell holds names of one word and nothing else, such as a product's barcodes.
func (n *names) onlyCodes(words []word) bool {
	return !slices.ContainsFunc(words, func(w word) bool {
		return !slices.ContainsFunc(n.parts[w.text], func(p place) bool { return len(p.name.words) == 1 })
	})
}

// run extends a place over the words of the text that go on as the name does.
func (p place) run(words []word, i int) (first, last int) {
	first, last = i, i
	for first > 0 && p.at-(i-first) > 0 && words[first-1].text == p.name.words[p.at-(i-first)-1] {
		first--
	}
	for last+1 < len(words) && p.at+(last-i)+1 < len(p.name.words) && words[last+1].text == p.name.words[p.at+(last-i)+1] {
		last++
	}
	return first, last
}

// within judges a figure against the run of words that it shares with a name.
func (p place) within(text string, f figure, run []word, cell bool) bool {
	start, end := run[0].start, run[len(run)-1].end
	whole := len(run) == len(p.name.words)
	if cell && whole && !strings.ContainsFunc(text[:start], letterOrDigit) && !strings.ContainsFunc(text[end:], letterOrDigit) {
		return true
	}
	if f.start < start || f.end > end+1 || f.end > end && text[end] != '.' {
		return false
	}
	if len(run) == 1 && len(p.name.words) == 1 {
		return isCode(run[0].text, text[:start])
	}
	if !namesThing(run) {
		return false
	}
	switch {
	case whole:
		return !p.name.metric || quotedIn(text, start, end)
	case f.is == money || f.to-f.from > 4:
		return false
	case metricWord(wordAt(text, min(len(text), end+1))):
		return false // "Молоко 3,2% маржи"
	default:
		return !p.name.metric && (f.is != quantity && f.is != duration || f.end-f.to <= len("мм ")+1 && !countWord(text[f.to:f.end]))
	}
}

// quotedIn reports whether the text has quotation marks right around a name.
func quotedIn(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return strings.ContainsRune("«\"„“", before) && strings.ContainsRune("»\"“”", after)
}

// countWord reports the units in which stock is counted, so that a size may pass in a part of a name and a count may not.
func countWord(unit string) bool { return countWords[strings.Trim(unit, " -.")] }

var countWords = set("шт штук штуки штука ед единиц уп упак pcs pc items item units дней дн days кг kg т")

// namesThing reports whether a run of words has one that names something: three letters or more.
func namesThing(run []word) bool {
	for _, w := range run {
		letters := 0
		for _, r := range w.text {
			if unicode.IsLetter(r) {
				letters++
			}
		}
		if letters >= 3 && !metricWord(w.text) {
			return true
		}
	}
	return false
}

// codeWords announce that a number is a name.
var codeWords = set("код кода коду артикул артикула арт штрихкод штрихкоды заказ заказа заказы заказов заказу отгрузка отгрузки отгрузку отгрузок документ документы номер номера no счет приемка приемки перемещение sku code article barcode order orders shipment shipments document number ref po")

// isCode reports whether a name of one word stands where a code stands: it has letters in it, begins with 0, is quoted, or
// is announced by a word.
func isCode(code, before string) bool {
	if strings.ContainsFunc(code, unicode.IsLetter) || code[0] == '0' && len(code) > 1 && digit(code[1]) {
		return true
	}
	before = strings.TrimRight(lead(before), " ")
	previous, _ := utf8.DecodeLastRuneInString(before)
	if strings.ContainsRune("«\"(#„“", previous) {
		return true
	}
	const near = 5
	words := wordsOf(before)
	for _, w := range words[max(0, len(words)-near):] {
		if codeWords[w] {
			return true
		}
	}
	return false
}
