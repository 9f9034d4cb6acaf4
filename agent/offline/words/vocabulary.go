package words

import (
	_ "embed"
	"slices"
	"strings"
	"unicode/utf8"
)

// Word is a word of a pattern, in any of several spellings.
type Word []spelling

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
		w = append(w, spelling{FormOf(begin), prefix, exact})
	}
	return w
}

// Is reports whether a token is the word.
func (w Word) Is(t Token) bool {
	for i := range t.Forms { // plain loops, since one question calls this ten thousand times
		for j := range w {
			if w[j].is(&t.Forms[i]) {
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
	return s.Full == f.Full || !s.exact && s.Key == f.Key && len(s.Key) >= max(3, least)
}

// Vocabulary is a set of known words.
type Vocabulary struct {
	exact    map[string]language // the languages of each word
	forms    map[string]Form     // of whole words
	prefixes map[string][]string // by their first two letters
	byLength [24][]string        // exact words, to find typing errors

	Names bool // it has names, so that words with a capital letter may match
	Rare  bool // look for typing errors in long words only
}

// language is a set of languages.
type language uint8

func languageOf(russian bool) language {
	if russian {
		return 1
	}
	return 2
}

// NewVocabulary returns an empty vocabulary.
func NewVocabulary() *Vocabulary {
	return &Vocabulary{exact: map[string]language{}, forms: map[string]Form{}, prefixes: map[string][]string{}}
}

// Add adds a word.
func (v *Vocabulary) Add(w Word) {
	for _, s := range w {
		switch first := s.Full[:min(2, len(s.Full))]; {
		case s.prefix:
			v.prefixes[first] = append(v.prefixes[first], s.Full)
		case s.exact:
			v.addExact(s.Full, s.Russian)
		default:
			v.AddForm(s.Form)
		}
	}
}

// AddForm adds one reading of a word.
func (v *Vocabulary) AddForm(f Form) {
	v.forms[f.Full] = f
	v.addExact(f.Full, f.Russian)
	v.addExact(f.Key, f.Russian)
}

func (v *Vocabulary) addExact(one string, russian bool) {
	if n := len(one); v.exact[one] == 0 && n < len(v.byLength) {
		v.byLength[n] = append(v.byLength[n], one)
	}
	v.exact[one] |= languageOf(russian)
}

func (v *Vocabulary) knows(f Form) bool {
	return v.exact[f.Full] != 0 || len(f.Key) > 2 && v.exact[f.Key] != 0 ||
		len(f.Full) > 1 && slices.ContainsFunc(v.prefixes[f.Full[:2]], func(p string) bool { return strings.HasPrefix(f.Full, p) })
}

// Knows reports whether any reading of a token is known.
func (v *Vocabulary) Knows(t Token) bool { return slices.ContainsFunc(t.Forms, v.knows) }

// Read chooses a known reading for each token. If none is known, it takes the known word that differs by one typing error.
func Read(tokens []Token, all ...*Vocabulary) []Token {
	read := slices.Clone(tokens)
	for i, t := range read {
		if !t.IsWord() {
			continue
		}
		name := i > 0 && t.Capital() && t.Text != strings.ToUpper(t.Text)
		f, known := reading(t, name, all)
		if !known {
			f, known = slipped(t, name, all)
		}
		if known {
			read[i].Forms = []Form{f}
		}
	}
	return read
}

// reading returns the first known reading of a token. A whole word of the reading's own language goes first: "skolko" is a Russian word,
// and not an English one that sounds like it. A name is no ordinary word of the other language: "Hotel" is not "хотел".
func reading(t Token, name bool, all []*Vocabulary) (Form, bool) {
	whole := func(v *Vocabulary, f Form) bool {
		own := languageOf(f.Russian)
		return v.exact[f.Full]&own != 0 || !f.Russian && v.exact[f.Key]&own != 0 // "pens" is "pen", not «пенс»
	}
	for _, knows := range []func(*Vocabulary, Form) bool{whole, (*Vocabulary).knows} {
		for _, f := range t.Forms {
			for _, v := range all {
				if foreign := name && f.Russian != t.Cyrillic(); foreign && !v.Names || !knows(v, f) {
					continue
				}
				if own := v.forms[f.Full]; f.Russian && own.Russian && !t.Cyrillic() { // "ostalos" lacks the letter that its stem needs
					return own, true
				}
				return f, true
			}
		}
	}
	return Form{}, false
}

// slipped returns the known word from which a token differs by one typing error. A name is no ordinary word with an error: "Bosch" is not
// "больш".
func slipped(t Token, name bool, all []*Vocabulary) (Form, bool) {
	if strings.ContainsAny(t.Text, "0123456789") { // another code is another product
		return Form{}, false
	}
	whole := func(v *Vocabulary, f Form) (Form, bool) { return v.nearExact(f, f.Full) }
	stem := func(v *Vocabulary, f Form) (Form, bool) {
		if len(f.Key) < longStem {
			return Form{}, false
		}
		return v.nearExact(f, f.Key)
	}
	for _, near := range []func(*Vocabulary, Form) (Form, bool){whole, stem} {
		for _, f := range t.Forms {
			for _, v := range all {
				if name && !v.Names || v.Rare && len(f.Full) < 8 {
					continue
				}
				meant, found := near(v, f)
				ordinary := func(other *Vocabulary) bool { return !other.Names && other.knows(meant) }
				if found && !(name && slices.ContainsFunc(all, ordinary)) {
					return meant, true
				}
			}
		}
	}
	return Form{}, false
}

// longStem is the length from which on a stem can be recognized although it has an error.
const longStem = 6

// nearExact returns the known word of the form's language, or the name, from which a text differs by one error.
func (v *Vocabulary) nearExact(f Form, text string) (Form, bool) {
	for length := max(0, len(text)-1); length < min(len(text)+2, len(v.byLength)); length++ {
		for _, known := range v.byLength[length] {
			if (!v.Names && v.exact[known]&languageOf(f.Russian) == 0) || !slip(text, known) {
				continue
			}
			whole, is := v.forms[known]
			switch {
			case !is && text == f.Key && len(known) >= longStem:
				return Form{Full: known, Key: known}, true
			case is && (v.Names || whole.Russian == f.Russian):
				return whole, true
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

// shortestStem is the least number of letters before an ending.
const shortestStem = 3

// Inflected reports whether a word has no capital letters and ends like a verb, an adverb or an adjective. Such a word names nothing.
func Inflected(t Token) bool {
	low := Folded(t.Text)
	return strings.ToLower(t.Text) == t.Text && slices.ContainsFunc(endings, func(e string) bool {
		return strings.HasSuffix(low, e) && utf8.RuneCountInString(low)-utf8.RuneCountInString(e) >= shortestStem
	})
}

// Set is a set of words that name nothing.
type Set struct {
	whole      map[string]bool
	beginnings map[bool]Word // by whether they are Russian
	Vocabulary *Vocabulary
}

// Function returns the words without content, such as prepositions.
func Function() *Set {
	f := &Set{whole: map[string]bool{}, beginnings: map[bool]Word{}, Vocabulary: NewVocabulary()}
	for _, text := range Listed(functionText) {
		w := ParseWord(text)
		if f.Vocabulary.Add(w); w[0].prefix {
			f.beginnings[w[0].Russian] = append(f.beginnings[w[0].Russian], w...)
		} else {
			f.whole[w[0].Full] = true
		}
	}
	return f
}

// Has reports whether a token is a word of the set.
func (f *Set) Has(t Token) bool {
	return slices.ContainsFunc(t.Forms, func(form Form) bool { return f.whole[form.Full] }) || f.beginnings[t.Cyrillic()].Is(t)
}
