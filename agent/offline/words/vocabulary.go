package words

import (
	_ "embed"
	"slices"
	"strings"
	"unicode/utf8"
)

// Word is a word of a pattern, in any of several spellings.
type Word struct {
	spellings []spelling
	initials  letters // with which they begin; most words begin with another one
}

type spelling struct {
	Form
	prefix bool // matches any word that begins like this
	exact  bool // matches no other form of the word
}

// ParseWord reads a word as the lexicons write it: "долж*|owe", with a star for any ending and "=" for no other form.
func ParseWord(text string) Word {
	var w Word
	for one := range strings.SplitSeq(text, "|") {
		begin, prefix := strings.CutSuffix(one, "*")
		begin, exact := strings.CutPrefix(begin, "=")
		form := FormOf(begin)
		w.spellings, w.initials = append(w.spellings, spelling{form, prefix, exact}), w.initials.with(form)
	}
	return w
}

// Or returns a word with the spellings of both.
func (w Word) Or(other Word) Word {
	return Word{append(w.spellings[:len(w.spellings):len(w.spellings)], other.spellings...), w.initials | other.initials}
}

// letters is a set of first letters of forms, a bit each.
type letters uint64

func (l letters) with(f Form) letters { return l | initial(f.Full) }

// initial returns the set of the first letter of a text. Those that are not ASCII letters share a bit.
func initial(text string) letters {
	if text == "" {
		return 0
	}
	return 1 << (text[0] % 64)
}

// Is reports whether a token is the word.
func (w Word) Is(t Token) bool {
	for i := range t.Forms { // plain loops, since one question calls this ten thousand times
		f := &t.Forms[i]
		if w.initials&initial(f.Full) == 0 {
			continue
		}
		for j := range w.spellings {
			if w.spellings[j].is(f) {
				return true
			}
		}
	}
	return false
}

// shortest is the least length of a word that can match a word in the other alphabet, and of a stem that both must share: "ты" is not
// "ty", "до" is not "do", and "goods" are not "года".
const shortest = 4

func (s *spelling) is(f *Form) bool {
	least := 1
	if s.Russian != f.Russian {
		least = shortest
	}
	switch {
	case len(s.Full) < least:
		return false
	case s.prefix:
		return strings.HasPrefix(f.Full, s.Full)
	}
	return s.Full == f.Full || !s.exact && s.Key == f.Key && len(s.Key) >= max(shortestStem, least)
}

// Vocabulary is a set of words.
type Vocabulary struct {
	byText   map[string][]spelling // by the whole words, and by the stems of those that may have other forms
	byLength map[int][]string      // the same texts, to find typing errors
	prefixes map[string][]spelling // with a star

	Names bool // it has names, so that words with a capital letter may match
	Rare  bool // look for typing errors in long words only
}

// NewVocabulary returns an empty vocabulary.
func NewVocabulary() *Vocabulary {
	return &Vocabulary{byText: map[string][]spelling{}, byLength: map[int][]string{}, prefixes: map[string][]spelling{}}
}

// Add adds a word.
func (v *Vocabulary) Add(w Word) {
	for _, s := range w.spellings {
		v.add(s)
	}
}

func (v *Vocabulary) add(s spelling) {
	if s.prefix {
		v.prefixes[s.Full] = append(v.prefixes[s.Full], s)
		return
	}
	v.put(s.Full, s)
	if !s.exact && s.Key != s.Full {
		v.put(s.Key, s)
	}
}

// AddForm adds one reading of a word.
func (v *Vocabulary) AddForm(f Form) { v.add(spelling{Form: f}) }

func (v *Vocabulary) put(text string, s spelling) {
	if len(v.byText[text]) == 0 {
		v.byLength[len(text)] = append(v.byLength[len(text)], text)
	}
	v.byText[text] = append(v.byText[text], s)
}

// Knows reports whether any reading of a token is a word of the vocabulary.
func (v *Vocabulary) Knows(t Token) bool {
	return slices.ContainsFunc(t.Forms, func(f Form) bool {
		_, known := v.known(f)
		return known
	})
}

// known returns a form if a word of the vocabulary matches it.
func (v *Vocabulary) known(f Form) (Form, bool) {
	for n := range len(f.Full) {
		if slices.ContainsFunc(v.prefixes[f.Full[:n+1]], func(s spelling) bool { return s.is(&f) }) {
			return f, true
		}
	}
	own := func(s spelling) bool { return v.Names || s.Russian == f.Russian } // "hotel" is not «хотел»
	inflects := func(s spelling) bool { return !s.exact && own(s) }
	return f, slices.ContainsFunc(v.byText[f.Full], own) || len(f.Key) >= shortestStem && slices.ContainsFunc(v.byText[f.Key], inflects)
}

// whole returns the word of the form's own language that it is.
func (v *Vocabulary) whole(f Form) (Form, bool) {
	own := func(s spelling) bool { return s.Russian == f.Russian }
	all := v.byText[f.Full]
	if i := slices.IndexFunc(all, func(s spelling) bool { return own(s) && s.Full == f.Full }); i >= 0 {
		return all[i].Form, true
	}
	// "pens" is "pen", not «пенс».
	return f, slices.ContainsFunc(all, own) || !f.Russian && slices.ContainsFunc(v.byText[f.Key], own)
}

// near returns the word, or the stem of one, from which a text differs by one typing error. The text is the whole form or its stem.
func (v *Vocabulary) near(f Form, text string) (Form, bool) {
	code := strings.ContainsAny(f.Full, "0123456789") // another code is another product
	if code || v.Rare && len(f.Full) < 8 || len(text) < min(len(f.Full), longStem) {
		return f, false
	}
	for length := len(text) - 1; length <= len(text)+1; length++ {
		for _, known := range v.byLength[length] {
			if !slip(text, known) {
				continue
			}
			for _, s := range v.byText[known] {
				switch {
				case s.Russian != f.Russian && !v.Names:
				case s.Full == known:
					return s.Form, true
				case len(known) >= longStem:
					return Form{Full: known, Key: known, Russian: s.Russian}, true
				}
			}
		}
	}
	return f, false
}

// ways are the ways to find a form in a vocabulary, the surest first. A whole word of the form's own language goes before others: "skolko"
// is a Russian word, and not an English one that sounds like it.
var ways = []func(*Vocabulary, Form) (Form, bool){
	(*Vocabulary).whole,
	(*Vocabulary).known,
	func(v *Vocabulary, f Form) (Form, bool) { return v.near(f, f.Full) },
	func(v *Vocabulary, f Form) (Form, bool) { return v.near(f, f.Key) },
}

// longStem is the length from which on a stem can be recognized although it has an error.
const longStem = 6

// firstSlip is the first way that finds words with typing errors.
const firstSlip = 2

// Read chooses a known reading for each token. If none is known, it takes the known word that differs by one typing error.
func Read(tokens []Token, all ...*Vocabulary) []Token {
	read := slices.Clone(tokens)
	for i, t := range read {
		name := (i > 0 || strings.HasSuffix(Folded(t.Text), "'s")) && t.Capital() && t.Text != strings.ToUpper(t.Text)
		if f, known := meant(t, name, all); known {
			read[i].Forms = []Form{f}
		}
	}
	return read
}

// meant returns the known word that a token is. A name is no ordinary word of the other language, "Hotel" is not "хотел", and no ordinary
// word with an error, "Bosch" is not "больш".
func meant(t Token, name bool, all []*Vocabulary) (Form, bool) {
	for n, find := range ways {
		for _, f := range t.Forms {
			if name && n >= firstSlip && len(f.Full) < longStem { // "Saint" is not «Сайт»
				continue
			}
			ordinary := !name || n < firstSlip && f.Russian == t.Cyrillic()
			for _, v := range all {
				if !ordinary && !v.Names {
					continue
				}
				switch known, is := find(v, f); {
				case !is:
				case n < firstSlip && t.Cyrillic():
					return f, true
				default: // "ostalos" lacks the letter that its stem needs
					return known, true
				}
			}
		}
	}
	return Form{}, false
}

// Listed returns the words of a text, without lines that begin with #.
func Listed(text string) (all []string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			all = append(all, strings.Fields(line)...)
		}
	}
	return all
}

//go:embed data/function.txt
var functionText string

//go:embed data/endings.txt
var endingsText string

var endings = Listed(endingsText)

// shortestStem is the least length of a stem, and the least number of letters before an ending.
const shortestStem = 3

// Inflected reports whether a word has no capital letters and ends like a verb, an adverb or an adjective. Such a word names nothing.
func Inflected(t Token) bool {
	low := Folded(t.Text)
	return strings.ToLower(t.Text) == t.Text && slices.ContainsFunc(endings, func(e string) bool {
		return strings.HasSuffix(low, e) && utf8.RuneCountInString(low)-utf8.RuneCountInString(e) >= shortestStem
	})
}

// Function returns the words without content, such as prepositions.
func Function() *Vocabulary {
	v := NewVocabulary()
	for _, text := range Listed(functionText) {
		v.Add(ParseWord("=" + text))
	}
	return v
}
