package render

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

var quotedText = regexp.MustCompile(`«[^»]*»|"[^"]*"|“[^”]*”|„[^“”]*[“”]`)

//go:embed words/*.txt
var wordFiles embed.FS

func readWords(file string) []string {
	text, err := wordFiles.ReadFile("words/" + file + ".txt")
	if err != nil {
		panic(err)
	}
	return strings.Fields(string(text))
}

// functionWords are short common words. They show the language of a question even if the rest of it consists of names.
var functionWords = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, lang := range []string{"en", "ru"} {
		for _, word := range readWords(lang) {
			all[word] = lang
		}
	}
	return all
})

// romanWords are Russian words in Latin letters that do not exist in any other language.
var romanWords = sync.OnceValue(func() []string { return readWords("romanized") })

// maxLanguageBytes limits how much of a text is examined to find its language: half of it from each end.
const maxLanguageBytes = 16 << 10

func firstAndLast(text string) string {
	if len(text) <= maxLanguageBytes {
		return text
	}
	return strings.ToValidUTF8(text[:maxLanguageBytes/2]+" "+text[len(text)-maxLanguageBytes/2:], "")
}

// isRomanized reports whether a text contains Russian words in Latin letters, such as "skolko na sklade".
func isRomanized(text string) bool {
	return slices.ContainsFunc(
		strings.FieldsFunc(text, func(r rune) bool { return !isWordRune(r) }),
		func(word string) bool {
			return slices.Contains(romanWords(), strings.ToLower(word))
		},
	)
}

// typedWords are what the keys of common Russian words type on the English keyboard layout. No other language has such words.
var typedWords = sync.OnceValue(func() []string { return readWords("typed") })

// isTypedOnOtherKeys reports whether a text contains Russian words on the English keyboard layout, such as "crjkmrj yf crkflt".
func isTypedOnOtherKeys(text string) bool {
	return slices.ContainsFunc(strings.Fields(text), func(word string) bool {
		word = strings.ToLower(word)
		return slices.Contains(typedWords(), word) || slices.Contains(typedWords(), strings.TrimRight(word, ",.?!&"))
	})
}

// Language returns the language in which to answer a text: "ru" or "en". If the text says nothing, as "15", "Kivi A5" and "АО «Заря»"
// do, the latest of the texts before it decides, and otherwise the answer is Russian.
func Language(text string, before ...string) string {
	russian, english := spoken(text)
	switch last := len(before) - 1; {
	case last >= 0 && russian == 0 && (english == 0 || hasOnlyNames(text)):
		return Language(before[last], before[:last]...)
	case english > russian:
		return "en"
	case russian+english == 0 && quotedText.MatchString(text): // a whole question in quotation marks
		return Language(quotationMarks.Replace(text))
	}
	return "ru"
}

// hasOnlyNames reports whether a text consists of words with a capital Latin letter that could be names, and of codes.
func hasOnlyNames(text string) bool {
	words := strings.FieldsFunc(firstAndLast(text), func(r rune) bool { return !isWordRune(r) })
	return !slices.ContainsFunc(words, func(word string) bool {
		_, small := functionWords()[strings.ToLower(word)]
		isName := isCapital(word) && !strings.ContainsFunc(word, isCyrillic)
		return small || !isName && !isCode(word) && !isLegalForm(word)
	})
}

var quotationMarks = strings.NewReplacer("«", " ", "»", " ", `"`, " ", "“", " ", "”", " ", "„", " ")

// spoken returns how much of a text is in each language. It ignores quoted names, codes, and words with a capital letter that are not at
// the beginning, because these are mostly names. Function words have the most weight.
func spoken(text string) (russian, english int) {
	text = quotedText.ReplaceAllString(firstAndLast(text), " ")
	if isRomanized(text) || isTypedOnOtherKeys(text) {
		return 1, 0
	}
	first := true
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWordRune(r) }) {
		lang, small := functionWords()[strings.ToLower(word)]
		switch {
		case !first && utf8.RuneCountInString(word) == 1 && isCode(word): // "только группа A"
		case small && lang == "ru":
			russian += 10
		case small:
			english += 10
		case isLegalForm(word):
		case !first && isCapital(word):
		case strings.ContainsFunc(word, isCyrillic):
			russian++
		case !isCode(word):
			english++
		}
		first = false
	}
	return russian, english
}

// isLegalForm reports whether a word is what kind of company a name is of.
func isLegalForm(word string) bool {
	return slices.Contains([]string{"ООО", "АО", "ПАО", "ОАО", "ЗАО", "ИП"}, word)
}

// isCode reports whether a word is a code that belongs to no language, such as "7K3M9X" or "SKU".
func isCode(word string) bool {
	return strings.ContainsFunc(word, unicode.IsDigit) || strings.ToUpper(word) == word && len(word) <= 4
}

func isCapital(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}

func isCyrillic(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }
