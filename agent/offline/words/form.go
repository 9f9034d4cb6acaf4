package words

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/russian"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

// Folded returns a text in lower case, with е for ё and ' for ’.
func Folded(text string) string {
	return strings.ReplaceAll(bilingual.Lower(text), "’", "'")
}

// forms returns the readings of a word: as it is written, and as Russian in Latin letters.
func forms(word string) []Form {
	low := Spelled(word)
	if isCyrillic(low) {
		if stressed, cut := strings.CutSuffix(low, "-то"); cut && len(stressed) > longestPronoun {
			low = stressed
		}
		return []Form{inRussian(low)}
	}
	if strings.Contains(low, "w") { // nobody writes a Russian word with it: "wood" is no «вод»
		return []Form{inEnglish(low)}
	}
	return []Form{inEnglish(low), inRussian(cyrillic(low))}
}

// Spelled returns a word in small letters, and as it is usually written if it is slang.
func Spelled(word string) string {
	low := Folded(word)
	return cmp.Or(slang[low], low)
}

// longestPronoun is the length in bytes up to which a word may have another meaning with "-то": «куда-то». Longer ones are only stressed:
// «выручка-то».
const longestPronoun = 8

//go:embed data/slang.txt
var slangText string

// slang has the words that careless spellings stand for.
var slang = func() map[string]string {
	meant := map[string]string{}
	for line := range strings.Lines(slangText) {
		if spelling, word, ok := strings.Cut(strings.TrimSpace(line), " "); ok && spelling != "#" {
			meant[spelling] = word
		}
	}
	return meant
}()

// lookAlikes replaces Latin letters that people type by mistake for Russian ones.
var lookAlikes = strings.NewReplacer("c", "с", "a", "а", "o", "о", "k", "к", "y", "у", "C", "С", "A", "А", "O", "О", "K", "К")

// OtherKeys returns the text that the same keys type on the other keyboard layout.
func OtherKeys(text string) string {
	low := Folded(text)
	if isCyrillic(low) {
		return toLatinKeys.Replace(low)
	}
	return Folded(toCyrillicKeys.Replace(low))
}

// FormOf returns the first reading of a word.
func FormOf(word string) Form { return forms(word)[0] }

func isCyrillic(low string) bool {
	return strings.ContainsFunc(low, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) })
}

func inRussian(low string) Form {
	stem := withoutFleeting(russian.Stem(low, false))
	if strings.HasPrefix(low, "бель") && len(low) <= len("бельем") { // «белый» has the same stem
		stem = "белье"
	}
	return Form{Full: sound(low), Key: sound(stem), Russian: true}
}

func inEnglish(low string) Form {
	low = strings.TrimSuffix(strings.TrimSuffix(low, "'s"), "'")
	return Form{Full: sound(low), Key: sound(english.Stem(low, false))}
}

// withoutFleeting removes the vowel that Russian puts between the last two consonants of a stem in some cases: "кружек", "кружк".
func withoutFleeting(stem string) string { return fleeting.ReplaceAllString(stem, "$1$2") }

var fleeting = regexp.MustCompile(`^(.+[аеиоуыэюя].*[^аеиоуыэюя]|[аеиоуыэюя].+[^аеиоуыэюя])[ео]([^аеиоуыэюя])$`)

func isVowel(r rune) bool { return strings.ContainsRune("аеиоуыэюя", r) }

// sound writes a word in Latin letters by its sound, so that "Ромашка" equals "Romashka", and "Kivi" equals "киви". Doubled letters count
// once, except in short words: "нее" is not "не", and "off" is not "of".
func sound(low string) string {
	text := []rune(sounds.Replace(low))
	if utf8.RuneCountInString(low) > littleWord && !strings.ContainsAny(low, "0123456789") {
		text = slices.Compact(text)
	}
	return string(text)
}

// littleWord is the length up to which doubled letters make another word.
const littleWord = 3

var sounds = strings.NewReplacer(
	"сч", "sh", "тс", "c", "а", "a", "б", "b", "в", "v", "г", "g", "д", "d", "е", "e", "ж", "zh", "з", "z", "и", "i", "й", "i", "к", "k",
	"л", "l", "м", "m", "н", "n", "о", "o", "п", "p", "р", "r", "с", "s", "т", "t", "у", "u", "ф", "f", "х", "h", "ц", "c", "ч", "ch",
	"ш", "sh", "щ", "sh", "ъ", "", "ы", "i", "ь", "", "э", "e", "ю", "u", "я", "a", "sch", "sh", "ck", "k", "ch", "ch", "ph", "f",
	"c", "k", "w", "v", "y", "i", "x", "ks", "q", "k", "j", "i", "'", "",
)

// cyrillic writes a word in Latin letters back in Russian ones: "vyruchka".
func cyrillic(low string) string {
	letters := []rune(romanized.Replace(low))
	for i, r := range letters {
		if i > 0 && (r == 'и' || r == 'ы') && isVowel(letters[i-1]) {
			letters[i] = 'й'
		}
	}
	return string(letters)
}

var romanized = strings.NewReplacer(
	"oo", "у",
	"shch", "щ", "sch", "щ", "zh", "ж", "kh", "х", "ts", "ц", "ch", "ч", "sh", "ш", "th", "т", "yu", "ю", "ju", "ю", "iu", "ю",
	"ya", "я", "ja", "я", "ia", "я", "yo", "е", "jo", "е", "ye", "е", "iy", "ий", "yy", "ый", "ce", "це", "ci", "ци", "cy", "цы",
	"ck", "к", "ph", "ф", "a", "а", "b", "б", "c", "к", "d", "д", "e", "е", "f", "ф", "g", "г", "h", "х", "i", "и", "j", "й", "k", "к",
	"l", "л", "m", "м", "n", "н", "o", "о", "p", "п", "q", "к", "r", "р", "s", "с", "t", "т", "u", "у", "v", "в", "x", "кс",
	"y", "ы", "z", "з", "'", "ь",
)

// The keys of both layouts, in the same order.
const (
	latinKeys    = "`qwertyuiop[]asdfghjkl;'zxcvbnm,."
	cyrillicKeys = "ёйцукенгшщзхъфывапролджэячсмитьбю"
)

var toCyrillicKeys, toLatinKeys = keys(latinKeys, cyrillicKeys), keys(cyrillicKeys, latinKeys)

func keys(from, to string) *strings.Replacer {
	var pairs []string
	targets := []rune(to)
	for i, r := range []rune(from) {
		pairs = append(pairs, string(r), string(targets[i]))
	}
	return strings.NewReplacer(pairs...)
}
