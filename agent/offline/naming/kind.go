package naming

import (
	_ "embed"
	"sync"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// Kind says what sort of thing a word names, in any question.
type Kind string

// The kinds. A word with a kind need not name anything in the account.
const (
	Thing Kind = "thing" // goods
	Place Kind = "place" // of a warehouse
	Firm  Kind = "firm"  // a counterparty or a marketplace
)

var (
	//go:embed data/things.txt
	thingsText string
	//go:embed data/places.txt
	placesText string
	//go:embed data/firms.txt
	firmsText string
)

// kinds has the words of each kind.
var kinds = sync.OnceValue(func() map[Kind]*words.Vocabulary {
	return map[Kind]*words.Vocabulary{Thing: listed(thingsText), Place: listed(placesText), Firm: listed(firmsText)}
})

func listed(text string) *words.Vocabulary {
	v := words.NewVocabulary()
	v.Rare = true
	for _, one := range words.Listed(text) {
		if len(words.FormOf(one).Key) < shortestKey && one[0] != '=' {
			one = "=" + one
		}
		v.Add(words.ParseWord(one))
	}
	return v
}

// shortestKey is the least length of a stem that decides the kind.
const shortestKey = 4

// Vocabularies returns the words with a kind and the translations. None of them is a misspelt other word.
func Vocabularies() []*words.Vocabulary {
	return []*words.Vocabulary{Translated(), kinds()[Thing], kinds()[Place], kinds()[Firm]}
}

// Describes reports whether a word names goods or says what they are like, in any question.
func Describes(t words.Token) bool { return KindOf(t) == Thing || Translated().Knows(t) }

// KindOf returns the kind of a word, or "" if the word alone names nothing.
func KindOf(t words.Token) Kind {
	for _, kind := range []Kind{Firm, Place, Thing} {
		if kinds()[kind].Knows(t) {
			return kind
		}
	}
	return ""
}
