package agent

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// accountMention is what a text says about the account it means.
type accountMention struct {
	accounts []tools.Candidate
	only     bool   // the text says nothing else
	rest     string // the text without the account's name, which a tool could take for a product
}

// maxQuestionBytes limits the messages that are searched for an account's name. Nobody types a longer question.
const maxQuestionBytes = 16 << 10

func lastBytes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[len(text)-limit:], "")
}

// findMention finds the accounts that a text names by an id, a name, the quoted part of a name, or a number. A number
// counts if it was asked for (awaited) or is next to a word for an account.
func findMention(candidates []tools.Candidate, text string, awaited bool) accountMention {
	places := wordSpans(text)
	words := make([]string, len(places))
	for i, at := range places {
		words[i] = bilingual.Fold(text[at[0]:at[1]])
	}
	rest := slices.Clone(words) // words that name an account are set to ""
	found := byName(candidates, words, rest)
	if len(found) == 0 {
		if i, at := byNumber(len(candidates), words, awaited); i >= 0 {
			found, rest[at] = candidates[i:i+1], ""
		}
	}
	says := func(word string) bool {
		return word != "" && !fillerWord.MatchString(word) && (len(found) > 0 || numberOf(word) == 0)
	}
	return accountMention{found, !slices.ContainsFunc(rest, says), cutWords(text, places, rest)}
}

// cutWords removes from text the words that are empty in rest, and filler words around them: «у ООО», «в … аккаунте».
func cutWords(text string, places [][2]int, rest []string) string {
	removed := func(i int) bool { return i >= 0 && i < len(rest) && rest[i] == "" }
	for i, word := range rest {
		if accountWord.MatchString(word) && (removed(i-1) || removed(i+1)) {
			rest[i] = ""
		}
	}
	for i, word := range slices.Backward(rest) {
		if removed(i+1) && beforeName.MatchString(word) {
			rest[i] = ""
		}
	}
	var b strings.Builder
	from := 0
	for i, at := range places {
		if removed(i) {
			b.WriteString(text[from:at[0]])
			from = at[1]
		}
	}
	b.WriteString(text[from:])
	return strings.TrimSpace(blanks.ReplaceAllString(emptyQuotes.ReplaceAllString(b.String(), ""), " "))
}

var (
	beforeName  = regexp.MustCompile(`^(в|во|у|по|на|для|из|с|ооо|ип|ао|зао|пао|in|at|of|for|from|on|the|does|do)$`)
	emptyQuotes = regexp.MustCompile(`«[\s«»]*»|""|“”`)
	blanks      = regexp.MustCompile(` {2,}`)
)

// byName finds candidates by name and sets the words of their names in rest to "". If one name contains another, the
// longer one counts.
func byName(candidates []tools.Candidate, words, rest []string) []tools.Candidate {
	var found []tools.Candidate
	longest := make([]int, len(words)) // word → length of the longest name that contains it
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

// aliases returns the names of an account, each as a list of words.
func aliases(c tools.Candidate) [][]string {
	called := []string{c.ConnectionID, c.AccountID, c.Name}
	for _, quoted := range quotedName.FindAllStringSubmatch(c.Name, -1) {
		called = append(called, quoted[1])
	}
	var all [][]string
	for _, name := range called {
		words := wordsIn(name)
		if _, err := strconv.Atoi(name); err == nil || len(words) == 0 {
			continue // a number refers to the list of accounts, not to a name
		}
		all = append(all, words)
	}
	return all
}

var quotedName = regexp.MustCompile(`[«"“]([^«»"“”]+)[»"”]`)

// occurrences returns the indexes at which name begins in words, in any grammatical case.
func occurrences(words, name []string) []int {
	var at []int
	for i := 0; i+len(name) <= len(words); i++ {
		if slices.EqualFunc(name, words[i:i+len(name)], sameWord) && (i == 0 || !otherNoun.MatchString(words[i-1])) {
			at = append(at, i)
		}
	}
	return at
}

// otherNoun matches nouns that introduce the name of something other than an account: поставщик «Ромашка».
var otherNoun = regexp.MustCompile(`^(склад|поставщик|товар|контрагент|покупател|канал|warehouse|supplier|product|channel|customer)\pL*$`)

// sameWord reports whether word is a word of a name, possibly in another grammatical case: Ромашка, Ромашке.
func sameWord(name, word string) bool {
	if name == word {
		return true
	}
	a, b := []rune(name), []rune(word)
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

// byNumber finds the number of a list entry and returns the entry's index and the word's. The index is -1 if there is
// no number, or more than one.
func byNumber(entries int, words []string, awaited bool) (index, wordIndex int) {
	index = -1
	for i, word := range words {
		n := numberOf(word)
		if n == 0 || !awaited && !besideAccount(words, i) {
			continue
		}
		if n > entries || index >= 0 {
			return -1, 0
		}
		index, wordIndex = n-1, i
	}
	if awaited && index >= 0 && !besideAccount(words, wordIndex) &&
		slices.ContainsFunc(words, func(w string) bool { return numberOf(w) == 0 && !fillerWord.MatchString(w) }) {
		return -1, 0 // the number belongs to a question
	}
	return index, wordIndex
}

// besideAccount reports whether a number is next to a word for an account: «второй аккаунт», account number 2.
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

// accountWord matches words for a MoySklad account. Plain «счёт» is left out: it mostly means a bank account.
var accountWord = regexp.MustCompile(`^(аккаунт|кабинет|подключени|account|connection)\pL*$`)

// fillerWord matches words that mean nothing next to an account's name.
var fillerWord = regexp.MustCompile(
	`^(а|и|й|я|го|в|во|у|по|на|про|о|об|для|из|с|со|к|что|как|там|то|это|этот|тот|ну|вот|же|да|нет|не|нужен|нужна|мне|меня|нам|` +
		`давай(те)?|пожалуйста|спасибо|теперь|тогда|лучше|хочу|дальше|номер|под|ооо|ип|ао|зао|пао|` +
		`переключи\pL*|перейд\pL*|выбер\pL*|выбираю|смени\pL*|возьм\pL*|ответь(те)?|` +
		`the|one|a|an|in|at|of|for|to|on|and|what|how|about|from|with|no|yes|ok|okay|please|thanks|i|me|it|is|let|us|s|now|then|number|` +
		`switch|use|choose|pick|take|go|want|аккаунт\pL*|кабинет\pL*|подключени\pL*|accounts?|connections?)$`,
)

// numberOf returns the value of a number or an ordinal, or 0.
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

var ordinals = []*regexp.Regexp{
	regexp.MustCompile(`^(перв(ый|ого|ому|ым|ом|ая|ую|ой|ое)|first|1st)$`),
	regexp.MustCompile(`^(втор(ой|ого|ому|ым|ом|ая|ую|ое)|second|2nd)$`),
	regexp.MustCompile(`^(трет(ий|ьего|ьему|ьим|ьем|ья|ью|ьей|ье)|third|3rd)$`),
	regexp.MustCompile(`^(четверт(ый|ого|ому|ым|ом|ая|ую|ой|ое)|fourth|4th)$`),
	regexp.MustCompile(`^(пят(ый|ого|ому|ым|ом|ая|ую|ой|ое)|fifth|5th)$`),
}

// wordsIn returns the words and numbers of a text in lower case.
func wordsIn(text string) []string {
	return strings.FieldsFunc(bilingual.Fold(text), func(r rune) bool { return !plain.LetterOrDigit(r) })
}

// wordSpans returns the start and end of each word and number in a text.
func wordSpans(text string) [][2]int {
	var places [][2]int
	begun := -1
	for i, r := range text + " " {
		switch {
		case plain.LetterOrDigit(r) && begun < 0:
			begun = i
		case !plain.LetterOrDigit(r) && begun >= 0:
			places = append(places, [2]int{begun, i})
			begun = -1
		}
	}
	return places
}
