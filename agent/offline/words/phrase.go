package words

import "strings"

// Phrase is words that follow each other.
type Phrase []Word

// ParsePhrase reads a phrase as the lexicons write it.
func ParsePhrase(text string) Phrase {
	var p Phrase
	for _, one := range strings.Fields(text) {
		p = append(p, ParseWord(one))
	}
	return p
}

// At reports whether the phrase begins at a token.
func (p Phrase) At(tokens []Token, i int) bool {
	if i+len(p) > len(tokens) {
		return false
	}
	for j, w := range p {
		if !w.Is(tokens[i+j]) {
			return false
		}
	}
	return true
}
