// Package claim finds words that claim more than a figure says by itself: that it is the largest, the only one, that it
// grew. It does not judge whether they are right.
package claim

import (
	_ "embed"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// Kind is what words claim.
type Kind string

const (
	Extreme    Kind = "extreme"    // the first or last of several
	Only       Kind = "only"       // nothing else
	Course     Kind = "course"     // a movement in time
	Comparison Kind = "comparison" // more or less than something
	Share      Kind = "share"      // how much of a whole
	Multiple   Kind = "multiple"   // how many times as much
	none       Kind = "none"
)

// Claim is the words of a claim in a plain text.
type Claim struct {
	Kind       Kind
	Start, End int
}

// In returns the claims in a plain text, in order. Where several begin with the same word, it is the longest.
func In(text string) (claims []Claim) {
	words := plain.Words(text)
	for i := 0; i < len(words); i++ {
		longest := 0
		var kind Kind
		for _, p := range phrases[key(words[i].Text)] {
			if len(p.words) > longest && p.standsAt(words[i:]) {
				longest, kind = len(p.words), p.kind
			}
		}
		if longest == 0 {
			continue
		}
		if kind != none {
			claims = append(claims, Claim{kind, words[i].Start, words[i+longest-1].End})
		}
		i += longest - 1
	}
	return claims
}

// phrase is words of a claim. A word that ends in a hyphen is a beginning.
type phrase struct {
	kind  Kind
	words []string
}

func (p phrase) standsAt(words []plain.Word) bool {
	if len(words) < len(p.words) {
		return false
	}
	for i, word := range p.words {
		if beginning, is := strings.CutSuffix(word, "-"); words[i].Text != word && !(is && strings.HasPrefix(words[i].Text, beginning)) {
			return false
		}
	}
	return true
}

//go:embed claims.yaml
var file []byte

// phrases has all phrases by the key of their first word.
var phrases = func() map[string][]phrase {
	var kinds map[Kind]string
	if err := yaml.Unmarshal(file, &kinds); err != nil {
		panic(err)
	}
	all := map[string][]phrase{}
	for kind, list := range kinds {
		for text := range strings.SplitSeq(list, ",") {
			words := strings.Fields(text)
			all[key(words[0])] = append(all[key(words[0])], phrase{kind, words})
		}
	}
	return all
}()

// key is the beginning of a word by which phrases are found.
func key(word string) string { return word[:min(len(word), 2)] }
