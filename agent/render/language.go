package render

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	quoted = regexp.MustCompile(`«[^»]*»|"[^"]*"|“[^”]*”|„[^“”]*[“”]`)

	// functionWords tell the language of a question that is mostly made of names.
	functionWords = map[string]string{}
)

func init() {
	for lang, words := range map[string]string{
		"en": "a an the is are was were do does did how what which who when where why show list give make create check of in on at for from to and or my our we us i me have has by with it this that please any all not",
		"ru": "и в на по с со за из от до для у к о об что где как какой какая какие каких сколько кто когда почему покажи сделай создай проверь дай мне нам мой моя наши у нас есть ли это не или все всех",
	} {
		for word := range strings.FieldsSeq(words) {
			functionWords[word] = lang
		}
	}
}

// Language is the language to answer a text in: "ru" or "en". Names in quotes do not count, small words count most, and
// a text without letters is taken for Russian.
func Language(text string) string {
	russian, english := 0, 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(quoted.ReplaceAllString(text, " ")), func(r rune) bool { return !unicode.IsLetter(r) }) {
		weight := 1
		lang, small := functionWords[word]
		if small {
			weight = 10
		} else if lang = "en"; strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) {
			lang = "ru"
		}
		if lang == "ru" {
			russian += weight
		} else {
			english += weight
		}
	}
	if russian == 0 && english == 0 && strings.ContainsFunc(text, unicode.IsLetter) && !strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) {
		return "en"
	}
	if english > russian {
		return "en"
	}
	return "ru"
}
