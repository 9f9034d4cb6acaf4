package agent

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"

	"github.com/kopeck/kopeck/agent/expression"
)

// named is what a text says of which account it is about. Several accounts are as unclear as none.
type named struct {
	accounts []tools.Candidate
	bare     bool   // the text says nothing else; without accounts: it is a choice that chooses none
	rest     string // the text without the words that name the account, which a tool would take for a product's
}

// mostWords is how many bytes of a message are read for single words. A longer message is no question that somebody typed.
const mostWords = 16 << 10

// ending is at most so many bytes of a text's end.
func ending(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[len(text)-most:], "")
}

// naming finds the accounts that a text names: by an id, a name, the part of a name that stands in quotes, or a number,
// which counts where it was asked for (awaited) or stands beside a word for an account.
func naming(candidates []tools.Candidate, text string, awaited bool) named {
	places := wordPlaces(text)
	words := make([]string, len(places))
	for i, at := range places {
		words[i] = bilingual.Fold(text[at[0]:at[1]])
	}
	rest := slices.Clone(words) // of it, what names an account is emptied, word by word
	found := byName(candidates, words, rest)
	if len(found) == 0 {
		if i, at := byNumber(len(candidates), words, awaited); i >= 0 {
			found, rest[at] = candidates[i:i+1], ""
		}
	}
	says := func(word string) bool {
		return word != "" && !idle.MatchString(word) && (len(found) > 0 || numberOf(word) == 0)
	}
	return named{found, !slices.ContainsFunc(rest, says), without(text, places, rest)}
}

// without is a text without its words that are empty in rest, and those that only go with them: «у ООО», «в … аккаунте».
func without(text string, places [][2]int, rest []string) string {
	gone := func(i int) bool { return i >= 0 && i < len(rest) && rest[i] == "" }
	for i, word := range rest {
		if accountWord.MatchString(word) && (gone(i-1) || gone(i+1)) {
			rest[i] = ""
		}
	}
	for i, word := range slices.Backward(rest) {
		if gone(i+1) && beforeName.MatchString(word) {
			rest[i] = ""
		}
	}
	var b strings.Builder
	from := 0
	for i, at := range places {
		if gone(i) {
			b.WriteString(text[from:at[0]])
			from = at[1]
		}
	}
	b.WriteString(text[from:])
	return strings.TrimSpace(blanks.ReplaceAllString(emptyQuotes.ReplaceAllString(b.String(), ""), " "))
}

var (
	beforeName  = expression.Of(`^(в|во|у|по|на|для|из|с|ооо|ип|ао|зао|пао|in|at|of|for|from|on|the|does|do)$`)
	emptyQuotes = expression.Of(`«[\s«»]*»|""|“”`)
	blanks      = expression.Of(` {2,}`)
)

// byName finds candidates by what they are called, and takes the words that call them out of rest. Of names that contain
// each other the longer one is meant.
func byName(candidates []tools.Candidate, words, rest []string) []tools.Candidate {
	var found []tools.Candidate
	longest := make([]int, len(words)) // of the names that begin at a word, or go on there
	spans := make([][][2]int, len(candidates))
	for i, c := range candidates {
		for _, alias := range aliases(c) {
			for _, at := range occurrences(words, alias) {
				spans[i] = append(spans[i], [2]int{at, at + len(alias)})
				for j := at; j < at+len(alias); j++ {
					longest[j] = max(longest[j], len(alias))
					rest[j] = ""
				}
			}
		}
	}
	for i, c := range candidates {
		if slices.ContainsFunc(spans[i], func(s [2]int) bool { return longest[s[0]] == s[1]-s[0] }) {
			found = append(found, c)
		}
	}
	return found
}

// aliases are the ways to call an account, in words.
func aliases(c tools.Candidate) [][]string {
	called := []string{c.ConnectionID, c.AccountID, c.Name}
	for _, quoted := range inQuotes.FindAllStringSubmatch(c.Name, -1) {
		called = append(called, quoted[1])
	}
	var all [][]string
	for _, name := range called {
		words := wordsIn(name)
		if _, err := strconv.Atoi(name); err == nil || len(words) == 0 {
			continue // a number is that of the list
		}
		all = append(all, words)
	}
	return all
}

var inQuotes = expression.Of(`[«"“]([^«»"“”]+)[»"”]`)

// occurrences are where the words of a name stand in a text, in any case of the Russian ones.
func occurrences(words, name []string) []int {
	var at []int
	for i := 0; i+len(name) <= len(words); i++ {
		if slices.EqualFunc(name, words[i:i+len(name)], alike) && (i == 0 || !other.MatchString(words[i-1])) {
			at = append(at, i)
		}
	}
	return at
}

// other matches the words for what a tool may be asked about, after which a name is not an account's: поставщик «Ромашка».
var other = expression.Of(`^(склад|поставщик|товар|контрагент|покупател|канал|warehouse|supplier|product|channel|customer)\pL*$`)

// alike tells whether a word is one of a name, or another case of it: Ромашка, Ромашке.
func alike(name, said string) bool {
	if name == said {
		return true
	}
	a, b := []rune(name), []rune(said)
	const shortest, ending = 4, 3
	if !unicode.Is(unicode.Cyrillic, a[0]) || len(a) < shortest || max(len(a), len(b))-min(len(a), len(b)) >= ending {
		return false
	}
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	return same >= max(shortest, len(a)-2) && len(b)-same <= ending
}

// byNumber finds the number of a list's entry, from 0, and the word that gives it; -1 if there is none or more than one.
func byNumber(entries int, words []string, awaited bool) (index, at int) {
	index = -1
	for i, word := range words {
		n := numberOf(word)
		if n == 0 || !awaited && !besideAccount(words, i) {
			continue
		}
		if n > entries || index >= 0 {
			return -1, 0
		}
		index, at = n-1, i
	}
	if awaited && index >= 0 && !besideAccount(words, at) &&
		slices.ContainsFunc(words, func(w string) bool { return numberOf(w) == 0 && !idle.MatchString(w) }) {
		return -1, 0 // a question with a number of its own
	}
	return index, at
}

// besideAccount tells whether a number is that of an account: «второй аккаунт», account number 2.
func besideAccount(words []string, i int) bool {
	for step := -1; step <= 1; step += 2 {
		for j := i + step; j >= 0 && j < len(words); j += step {
			if accountWord.MatchString(words[j]) {
				return true
			}
			if words[j] != "номер" && words[j] != "number" && words[j] != "no" {
				break
			}
		}
	}
	return false
}

// accountWord matches what people call a set of books. Plain «счёт» is none: it is mostly a bank account.
var accountWord = expression.Of(`^(аккаунт|кабинет|подключени|account|connection)\pL*$`)

// idle matches the words that say nothing beside an account's name.
var idle = expression.Of(
	`^(а|и|й|я|го|в|во|у|по|на|про|о|об|для|из|с|со|к|что|как|там|то|это|этот|тот|ну|вот|же|да|нет|не|нужен|нужна|мне|меня|нам|` +
		`давай(те)?|пожалуйста|спасибо|теперь|тогда|лучше|хочу|дальше|номер|под|ооо|ип|ао|зао|пао|` +
		`переключи\pL*|перейд\pL*|выбер\pL*|выбираю|смени\pL*|возьм\pL*|ответь(те)?|` +
		`the|one|a|an|in|at|of|for|to|on|and|what|how|about|from|with|no|yes|ok|okay|please|thanks|i|me|it|is|let|us|s|now|then|number|` +
		`switch|use|choose|pick|take|go|want|аккаунт\pL*|кабинет\pL*|подключени\pL*|accounts?|connections?)$`,
)

// numberOf is the number that a word is, as a figure or an ordinal; 0 if it is none.
func numberOf(word string) int {
	if n, err := strconv.Atoi(strings.TrimRightFunc(word, unicode.IsLetter)); err == nil && utf8.RuneCountInString(word) <= 4 {
		return max(n, 0)
	}
	for i, ordinal := range ordinals {
		if ordinal.MatchString(word) {
			return i + 1
		}
	}
	return 0
}

var ordinals = []*expression.Expression{
	expression.Of(`^(перв(ый|ого|ому|ым|ом|ая|ую|ой|ое)|first|1st)$`),
	expression.Of(`^(втор(ой|ого|ому|ым|ом|ая|ую|ое)|second|2nd)$`),
	expression.Of(`^(трет(ий|ьего|ьему|ьим|ьем|ья|ью|ьей|ье)|third|3rd)$`),
	expression.Of(`^(четверт(ый|ого|ому|ым|ом|ая|ую|ой|ое)|fourth|4th)$`),
	expression.Of(`^(пят(ый|ого|ому|ым|ом|ая|ую|ой|ое)|fifth|5th)$`),
}

// wordsIn are a text's words and numbers, in small letters.
func wordsIn(text string) []string {
	return strings.FieldsFunc(bilingual.Fold(text), func(r rune) bool { return !inWord(r) })
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// wordPlaces are where a text's words and numbers begin and end.
func wordPlaces(text string) [][2]int {
	var places [][2]int
	begun := -1
	for i, r := range text + " " {
		switch {
		case inWord(r) && begun < 0:
			begun = i
		case !inWord(r) && begun >= 0:
			places = append(places, [2]int{begun, i})
			begun = -1
		}
	}
	return places
}
