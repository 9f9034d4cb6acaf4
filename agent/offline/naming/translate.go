package naming

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"github.com/kopeck/kopeck/agent/offline/words"
)

//go:embed data/translations.txt
var translationText string

// dictionary says what words for goods mean in names. meant is keyed by what is said.
type dictionary struct {
	meant map[phrase][]words.Form
	said  *words.Vocabulary
	like  map[string]bool // by the stem of what is said: it is an adjective
}

// phrase is the stems of words, side by side. An English "kit" sounds like a Russian word, «Китай», and is another phrase.
type phrase struct {
	stems   string
	russian bool
}

// translations are read when they are first needed, since that takes as long as a start of the program.
var translations = sync.OnceValue(func() dictionary {
	d := dictionary{map[phrase][]words.Form{}, words.NewVocabulary(), map[string]bool{}}
	d.said.Rare = true
	add := func(said, meant string) {
		var stems []string
		for _, t := range words.Tokens(said) {
			d.said.AddForm(t.Forms[0])
			stems = append(stems, t.Forms[0].Key)
		}
		key := phrase{strings.Join(stems, " "), words.FormOf(said).Russian}
		d.meant[key] = append(d.meant[key], words.FormOf(meant))
	}
	for line := range strings.Lines(translationText) {
		name, said, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found || strings.HasPrefix(name, "#") {
			continue
		}
		for one := range strings.SplitSeq(said, ", ") {
			d.like[words.FormOf(one).Key] = adjective.MatchString(name)
			if add(one, name); !strings.Contains(one, " ") { // "lamp" alone is not "desk lamp"
				add(name, one)
			}
		}
	}
	return d
})

var adjective = regexp.MustCompile(`([ыи]й|ая|ое)$`)

// Qualifies reports whether a word in English says what goods are like: "red".
func Qualifies(t words.Token) bool {
	return t.IsWord() && !t.Cyrillic() && translations().like[t.Forms[0].Key]
}

// Translated returns the vocabulary of the translations.
func Translated() *words.Vocabulary { return translations().said }

// alternative is a word that a name may have in place of what was said. A translation may replace several words.
type alternative struct {
	form  words.Form
	words int
}

// alternatives returns a token as it is and its translations.
func alternatives(tokens []words.Token, at int) []alternative {
	var all []alternative
	for _, f := range tokens[at].Readings() {
		all = append(all, alternative{f, 1})
		said := f.Key
		for n := 1; n <= longestSaid; n++ {
			for _, meant := range translations().meant[phrase{said, f.Russian}] {
				all = append(all, alternative{meant, n})
			}
			if at+n == len(tokens) || !tokens[at+n].IsWord() {
				break
			}
			said += " " + tokens[at+n].Forms[0].Key
		}
	}
	return all
}

// longestSaid is the largest number of words that have one translation.
const longestSaid = 2
