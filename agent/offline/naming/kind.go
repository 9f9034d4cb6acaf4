package naming

import (
	_ "embed"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// Kind is what sort of thing a word names wherever it is said.
type Kind string

// The kinds of words that name something, though perhaps nothing of the account.
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

// kinds are the words by how they sound, whole and by their stems; Named has both, so that none of them is taken for a slip of another.
var kinds, named = func() (map[string]Kind, *words.Vocabulary) {
	all, vocabulary := map[string]Kind{}, words.NewVocabulary()
	vocabulary.Rare = true
	for _, of := range []struct {
		kind Kind
		text string
	}{{Thing, thingsText}, {Place, placesText}, {Firm, firmsText}} {
		for line := range strings.Lines(of.text) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			for one := range strings.FieldsSeq(line) {
				f := words.FormOf(one)
				all[f.Full] = of.kind
				if len(f.Key) >= shortestKey {
					all[f.Key] = of.kind
				}
				vocabulary.AddForm(f)
			}
		}
	}
	return all, vocabulary
}()

// shortestKey is how long a stem is that tells what a word means.
const shortestKey = 4

// Named are the words that have a kind.
func Named() *words.Vocabulary { return named }

// KindOf is the kind of a word; empty where it names nothing by itself.
func KindOf(t words.Token) Kind {
	for _, f := range t.Forms {
		if k := kinds[f.Full]; k != "" {
			return k
		}
		if k := kinds[f.Key]; k != "" && len(f.Key) >= shortestKey {
			return k
		}
	}
	return ""
}
