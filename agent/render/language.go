package render

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

var quoted = regexp.MustCompile(`«[^»]*»|"[^"]*"|“[^”]*”|„[^“”]*[“”]`)

//go:embed words/*.txt
var wordFiles embed.FS

// wordsOf reads a file of words.
func wordsOf(file string) []string {
	text, err := wordFiles.ReadFile("words/" + file + ".txt")
	if err != nil {
		panic(err)
	}
	return strings.Fields(string(text))
}

// functionWords tell the language of a question that is mostly made of names.
var functionWords = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, lang := range []string{"en", "ru"} {
		for _, word := range wordsOf(lang) {
			all[word] = lang
		}
	}
	return all
})

// romanWords are Russian words in Latin letters by which such a question is known; no other language has them.
var romanWords = sync.OnceValue(func() []string { return wordsOf("romanized") })

// mostRead is how many bytes of a text are read for its language, from its beginning and its end. Nobody types more; a text
// of megabytes must cost no more than that.
const mostRead = 16 << 10

func ends(text string) string {
	if len(text) <= mostRead {
		return text
	}
	return strings.ToValidUTF8(text[:mostRead/2]+" "+text[len(text)-mostRead/2:], "")
}

// Romanized tells Russian that is written in Latin letters, in part at least: "skolko na sklade".
func Romanized(text string) bool {
	return slices.ContainsFunc(
		strings.FieldsFunc(quoted.ReplaceAllString(ends(text), " "), func(r rune) bool { return !wordRune(r) }),
		func(word string) bool {
			return slices.Contains(romanWords(), strings.ToLower(word))
		},
	)
}

// Language is the language to answer a text in: "ru" or "en". Names in quotes and codes do not count, small words count
// most, and a text without words is taken for Russian.
func Language(text string) string {
	if Romanized(text) {
		return "ru"
	}
	russian, english := 0, 0
	words := strings.FieldsFuncSeq(quoted.ReplaceAllString(ends(text), " "), func(r rune) bool { return !wordRune(r) })
	for word := range words {
		lang, small := functionWords()[strings.ToLower(word)]
		switch {
		case small && lang == "ru":
			russian += 10
		case small:
			english += 10
		case strings.ContainsFunc(word, cyrillic):
			russian++
		case !code(word):
			english++
		}
	}
	if english > russian {
		return "en"
	}
	return "ru"
}

// code reports words of no language: "7K3M9X", "SKU".
func code(word string) bool {
	return strings.ContainsFunc(word, unicode.IsDigit) || strings.ToUpper(word) == word && len(word) <= 4
}

func cyrillic(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }
