package grounding

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// capitals are the words of a text, plain, that are written as names are: with a capital letter where no sentence begins, or in
// other letters than the text, as "Ozon" in a Russian one.
func capitals(shown string) map[string]bool {
	found := map[string]bool{}
	russian := strings.ContainsFunc(shown, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) && unicode.IsLower(r) })
	begins := true
	for i, r := range shown {
		before, _ := utf8.DecodeLastRuneInString(shown[:i])
		switch {
		case unicode.IsLetter(r) && !letterOrDigit(before):
			if foreign := russian && r < utf8.RuneSelf; unicode.IsUpper(r) && (!begins || foreign) {
				found[plain(wordAt(shown, i))] = true
			}
			begins = false
		case strings.ContainsRune(".!?:…\n#|", r):
			begins = true
		}
	}
	return found
}
