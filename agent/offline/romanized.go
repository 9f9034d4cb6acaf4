package offline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/render"
)

var (
	// romanLetters are Russian ones as people write them in Latin, what is longer first.
	romanLetters = strings.NewReplacer("shch", "щ", "sch", "щ", "sh", "ш", "ch", "ч", "zh", "ж", "kh", "х", "ts", "ц", "yu", "ю", "ya", "я", "yo", "ё",
		"ay", "ай", "ey", "ей", "iy", "ий", "oy", "ой", "uy", "уй", "yy", "ый", "a", "а", "b", "б", "c", "ц", "d", "д", "e", "е", "f", "ф", "g", "г", "h", "х",
		"i", "и", "j", "й", "k", "к", "l", "л", "m", "м", "n", "н", "o", "о", "p", "п", "q", "к", "r", "р", "s", "с", "t", "т", "u", "у", "v", "в", "w", "в",
		"x", "кс", "y", "ы", "z", "з", "'", "ь")
	// romanSoft are words in which the soft sign, which nobody writes in Latin, tells them apart.
	romanSoft = map[string]string{"skolko": "сколько", "skoka": "сколько", "dengi": "деньги", "dengami": "деньгами", "bolshe": "больше", "menshe": "меньше", "den": "день"}
	latinWord = expression.Of(`[A-Za-z][A-Za-z']*[A-Za-z]|[A-Za-z]`)
	quotes    = expression.Of(inQuote)
)

// inRussianLetters is a text with the Russian that it has in Latin letters in its own. What is quoted, marketplaces, words with
// digits beside them and, among Russian letters, names with a capital stay.
func inRussianLetters(text string) string {
	if !render.Romanized(text) {
		return text
	}
	mixed := strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) })
	names := quotes.FindAllStringIndex(text, -1)
	var b strings.Builder
	end := 0
	for _, at := range latinWord.FindAllStringIndex(text, -1) {
		word := text[at[0]:at[1]]
		quoted := slices.ContainsFunc(names, func(name []int) bool { return name[0] <= at[0] && at[1] <= name[1] })
		name := mixed && at[0] > 0 && unicode.IsUpper(rune(word[0]))
		coded := strings.ContainsAny(text[max(at[0]-1, 0):min(at[1]+1, len(text))], "0123456789-")
		if quoted || name || coded || marketplace(folded(word)) != "" {
			continue
		}
		b.WriteString(text[end:at[0]])
		b.WriteString(russianLetters(word))
		end = at[1]
	}
	return b.String() + text[end:]
}

func russianLetters(word string) string {
	lower := strings.ToLower(word)
	if soft, known := romanSoft[lower]; known {
		return soft
	}
	russian := romanLetters.Replace(lower)
	if unicode.IsUpper(rune(word[0])) {
		first := []rune(russian)
		first[0] = unicode.ToUpper(first[0])
		return string(first)
	}
	return russian
}
