package grounding

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/expression"
)

// cut finds the first part of a text that can be judged by itself: a sentence, a row of a table, an item of a list, a
// paragraph. Its end is 0 while the text may still go on so that a figure continues; then no part ends before resume,
// where the next look may begin.
func cut(text string, from int, lists *list) (end, resume int) {
	if strings.HasPrefix(strings.TrimLeft(text, " \t"), "|") {
		if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
			return from + i + 1, 0
		}
		return 0, len(text)
	}
	for i := from; i < len(text); i++ {
		sure := true
		switch c := text[i]; {
		case c == '\n':
			end, sure = lineEnd(text, i, lists)
		case c == '.' || c == '!' || c == '?' || strings.HasPrefix(text[i:], "…"):
			end, sure = sentenceEnd(text, i)
		}
		if end > 0 || !sure {
			return end, i
		}
	}
	return 0, len(text)
}

// blockMark is what begins a block of its own in the middle of a paragraph; blockMaybe is what may still become one.
var (
	blockMark  = expression.Of(`^(?:\||>|#{1,6}[ \t]|[-*+][ \t]|` + "```" + `|~~~|(\d{1,3})[.)][ \t])`)
	blockMaybe = expression.Of(`^(?:#{0,6}|[-*+]|` + "`{0,2}" + `|~{0,2}|\d{1,3}[.)]?)$`)
)

// labelled is a line that says itself what its figures are, "**Деньги:** 5 ₽", or is marked as an item by a sign, as many
// write them one below the other; labelledMaybe is what may still become one. No figure goes on in it.
var (
	labelled      = expression.Of(`^(?:[•▪◦●·►➤✔✅❌✓]|(?:[\p{So}\x{fe0f}\x{200d}*_` + "`" + `] ?){0,8}\p{Lu}[^\n\d:|—₽$€%]{1,60}(?::| —))`)
	labelledMaybe = expression.Of(`^(?:[\p{So}\x{fe0f}\x{200d}*_` + "`" + `] ?){0,8}(?:\p{Lu}[^\n\d:|—₽$€%]{0,60})?$`)
)

// lineEnd judges a line end: it parts only when a block begins behind it, or a line that is labelled, since Markdown reads
// it as a space otherwise.
func lineEnd(text string, i int, lists *list) (end int, sure bool) {
	next := strings.TrimLeft(text[i+1:], " \t")
	if next == "" {
		return 0, false
	}
	if next[0] == '\n' {
		return i + 1, true
	}
	if mark := blockMark.FindStringSubmatch(next); mark != nil {
		if mark[1] == "" || lists.continuedBy(atoi(mark[1])) || numbered(strings.TrimLeft(text, " \t#")) == atoi(mark[1])-1 {
			return i + 1, true
		}
		return 0, true
	}
	if labelled.MatchString(next) {
		return i + 1, true
	}
	return 0, !blockMaybe.MatchString(next) && !labelledMaybe.MatchString(next)
}

// sentenceEnd judges a full stop, an exclamation or a question mark by what stands before and behind it.
func sentenceEnd(text string, i int) (end int, sure bool) {
	j := i
	for j < len(text) {
		r, size := utf8.DecodeRuneInString(text[j:])
		if !strings.ContainsRune(".!?…)»\"”'*_`~]", r) {
			break
		}
		j += size
	}
	if j == len(text) {
		return 0, false
	}
	if !strings.ContainsRune(" \t\n", rune(text[j])) {
		return 0, true
	}
	behind := strings.TrimLeft(text[j:], " \t\n*_`~\"«“(")
	if behind == "" {
		return 0, false
	}
	next, _ := utf8.DecodeRuneInString(behind)
	if goesOn(text[:i], text[i] == '.', next) || text[i] == '.' && strings.HasPrefix(text[j:], " (") && unitBefore(text[:i]) {
		return 0, true
	}
	return j + 1, true
}

// goesOn reports whether a sentence goes on behind a stop, or whether a figure might.
func goesOn(before string, stop bool, next rune) bool {
	if unicode.IsLower(next) || strings.ContainsRune("%‰₽€$₸₴¥₺£×^+−=÷", next) {
		return true
	}
	before = strings.TrimRight(before, "*_`~)»\"”")
	last, _ := utf8.DecodeLastRuneInString(before)
	word := strings.ToLower(before[strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsLetter(r) })+1:])
	_, scale := scales[word]
	_, currency := currencies[word]
	_, spelled := wordNumbers[word]
	if unicode.IsDigit(next) || unicode.IsNumber(next) {
		return unicode.IsNumber(last) || scale || currency || spelled || hundredths[word] || stop && openWords[word]
	}
	return stop && (scale || openWords[word] || len([]rune(word)) == 1 && !closeLetters[word])
}

// unitBefore reports whether a text ends with a unit, whose stop ends no sentence before a bracket: "37 шт. (Основной)".
func unitBefore(text string) bool {
	_, _, unit := unitWord(strings.ToLower(text[strings.LastIndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })+1:]))
	return unit
}

// openWords are abbreviations that a sentence does not end with; closeLetters are those of one letter that it may.
var (
	openWords    = set("т п им ул см ср напр прим стр пр тел др e eg ie vs no approx mr mrs dr inc art арт тыс млн млрд трлн д кв обл co corp ltd")
	closeLetters = set("р г л м ч с a i я")
)

func atoi(digits string) int {
	n := 0
	for _, c := range []byte(digits) {
		n = n*10 + int(c-'0')
	}
	return n
}
