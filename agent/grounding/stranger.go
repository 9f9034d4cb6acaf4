package grounding

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/expression"
)

// A right figure of a customer, a product or a warehouse that there is not is found by the name: what a text marks as one
// must have the words that some result has, in any case and in either alphabet. Names of ordinary words without a mark
// cannot be told from what a figure is called.

// vocabulary is the words that results have in their texts, by their beginnings, and by how the words of one alphabet
// sound, for those who write "Озон" for "Ozon".
type vocabulary struct {
	texts  []string // not yet read: few answers ask
	begins map[string]bool
	sounds map[string]bool
}

func (v *vocabulary) add(text string) { v.texts = append(v.texts, text) }

// read takes the words of the texts that have come since.
func (v *vocabulary) read() {
	if v.begins == nil {
		v.begins, v.sounds = map[string]bool{}, map[string]bool{}
	}
	slices.Sort(v.texts)
	for _, text := range slices.Compact(v.texts) {
		for _, word := range lettersOf(plain(text)) {
			for _, stem := range stems(word) {
				v.begins[stem] = true
			}
			v.sounds[soundIn(alphabet(word), word)] = true
		}
	}
	v.texts = nil
}

// knows reports whether each word of a plain name is one of the books'.
func (v *vocabulary) knows(name string) bool {
	v.read()
	return v.hasAll(name) || v.hasAll(strings.ReplaceAll(name, "-", ""))
}

func (v *vocabulary) hasAll(name string) bool {
	for _, word := range lettersOf(name) {
		if utf8.RuneCountInString(word) >= shortestStem && !v.has(word) {
			return false
		}
	}
	return true
}

func (v *vocabulary) has(word string) bool {
	const least = 3 // its alphabet and two consonants
	for _, stem := range stems(word) {
		if sound := soundIn(!alphabet(word), stem); v.begins[stem] || len(sound) >= least && v.sounds[sound] {
			return true
		}
	}
	return false
}

// shortestStem is the least of a word that tells it from others, in letters.
const shortestStem = 3

// stems are a word and what is left of it without one or two letters of its ending.
func stems(word string) []string {
	all := []string{word}
	for n := utf8.RuneCountInString(word) - 1; n >= shortestStem && len(all) < 3; n-- {
		_, size := utf8.DecodeLastRuneInString(word)
		word = word[:len(word)-size]
		all = append(all, word)
	}
	return all
}

// lettersOf are the runs of letters in a text.
func lettersOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}

// alphabet reports whether a word is Cyrillic.
func alphabet(word string) bool { return strings.ContainsFunc(word, cyrillic) }

// soundIn is the consonants of a word, those alike as one, with its alphabet before them.
func soundIn(cyrillic bool, word string) string {
	sound := consonants.Replace(word)
	if cyrillic {
		return "c" + sound
	}
	return "l" + sound
}

var consonants = strings.NewReplacer("a", "", "e", "", "i", "", "o", "", "u", "", "y", "", "j", "", "h", "", "w", "", "v", "", "z", "s", "c", "k", "q", "k", "x", "ks", "f", "p",
	"а", "", "е", "", "и", "", "о", "", "у", "", "ы", "", "э", "", "ю", "", "я", "", "й", "", "ь", "", "ъ", "", "в", "", "х", "", "б", "b", "г", "g", "д", "d", "ж", "s", "з", "s", "к", "k", "л", "l", "м", "m",
	"н", "n", "п", "p", "р", "r", "с", "s", "т", "t", "ф", "p", "ц", "ts", "ч", "k", "ш", "s", "щ", "sk")

const (
	legalForm  = `(?:ООО|ОАО|ЗАО|ПАО|АО|ИП|ТОО)`
	kindOfName = `(?i:товар|поставщик|клиент|контрагент|покупател|должник|кредитор|склад|канал)[а-я]*`
)

var (
	// marked is a name that a text marks as one, as it is shown: by a legal form, or by its kind, before quotation marks or a
	// capital letter.
	marked = expression.Of(`(?:^|[^\p{L}])(?:(?:` + kindOfName + ` (?:` + legalForm + ` )?|` + legalForm + ` )[*_]*(?:["«„“]([^"»“”]{2,80})["»“”]|([А-ЯЁ][\p{L}-]{2,}))|(\p{Lu}[\p{L}-]{2,}),? (?:LLC|Ltd|Inc|GmbH|JSC))(?:[^\p{L}]|$)`)

	// markStems are in every text that has one: a look that costs little.
	markStems = strings.Fields("ооо ао ип тоо товар поставщик клиент контрагент покупател должник кредитор склад канал llc ltd inc gmbh jsc")

	// ofAnother stands between a name and a figure that is not of it.
	ofAnother = expression.Of(`[,;]| (?:нет|не|а|но|из|no|not|but|of) |всего|итог|общ|total|\d`)

	// nameHead is the head of a column of names, and noName what else stands in it.
	nameHead = expression.Of(`^(?:товары?|контрагенты?|клиенты?|покупател[ьи]|должники?|кредиторы?|поставщики?|склады?|канал(?:ы|ы? продаж)?)$`)
	noName   = expression.Of(`итог|всего|^все[гмх]?(?: |$)|сумм|проч|остальн|друг|неизвест|отсутств|^(?:без|нет|не)(?: |$)`)
)

// strangers are where a passage names somebody or something that no result has.
func (c *Check) strangers(p passage) (found []mention) {
	if !anyOf(p.text, markStems...) {
		return nil
	}
	from := 0
	for _, at := range marked.FindAllStringSubmatch(p.shown, -1) {
		name := plain(at[1] + at[2] + at[3])
		start := strings.Index(p.text[from:], name)
		if start < 0 || name == "" {
			continue
		}
		from += start + len(name)
		if (alphabet(name) || at[3] != "") && !noName.MatchString(name) && !c.words.knows(name) {
			found = append(found, mention{start: from - len(name), end: from})
		}
	}
	return found
}

// strange reports whether a cell that should name something of the results names nothing of them.
func (c *Check) strange(p passage) bool {
	return nameHead.MatchString(p.over.head) && alphabet(p.text) && !noName.MatchString(p.text) && len(figures(p.text)) == 0 && !c.words.knows(p.text)
}

// ofStranger reports whether a figure is told of such a name, with nothing between them that it could be of: behind the
// figure only as its object, "37 шт. товара «Самовар»".
func (p passage) ofStranger(f figure) bool {
	if p.cell {
		return p.stranger
	}
	for _, s := range p.strangers() {
		from, to := s.end, f.start
		if f.end <= s.start {
			from, to = f.end, s.start
		}
		between := p.text[from:max(from, to)]
		if len(between) > reach || ofAnother.MatchString(between) || f.end <= s.start && strings.ContainsAny(between, ":—(") {
			continue
		}
		if !slices.ContainsFunc(p.mentions(), func(m mention) bool { return from <= m.start && m.end <= to }) {
			return true
		}
	}
	return false
}
