// Package words reads Russian and English text word by word. It finds tokens, stems, words in other letters, and typing errors.
package words

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

// Token is a word, a number or a mark of a text.
type Token struct {
	Text       string // as written
	Start, End int    // in bytes of the text
	Quote      int    // the number of the quotation around it; 0: none

	Number  *decimal.Decimal // nil if it is not a number
	Percent bool             // the number has a percent sign
	Mark    bool             // punctuation

	Forms []Form // what the word may be, the likeliest first
}

// Form is one way to read a word.
type Form struct {
	Full string // the sound of the whole word
	Key  string // the sound of its stem, equal for all cases

	Russian bool // it is read as a Russian word
}

// Capital reports whether the token begins with a capital letter.
func (t Token) Capital() bool {
	first, _ := utf8.DecodeRuneInString(t.Text)
	return unicode.IsUpper(first)
}

// IsSize reports whether the token is a size of clothes, which would be a preposition in small letters.
func IsSize(t Token) bool { return sizes.MatchString(t.Text) }

var sizes = regexp.MustCompile(`^(?:X{0,3}[SL]|M)$`)

// Cyrillic reports whether the token is written in Russian letters.
func (t Token) Cyrillic() bool { return isCyrillic(Folded(t.Text)) }

// IsWord reports whether the token has letters.
func (t Token) IsWord() bool { return len(t.Forms) > 0 }

// Tokens divides a text. Numbers keep their groups of thousands together: "2 490".
func Tokens(text string) []Token {
	var tokens []Token
	mixed := isCyrillic(strings.ToLower(text))
	inLatin := !mixed || mostlyLatin(text)
	quote, quotes := 0, 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		end := at + size
		switch {
		case unicode.IsSpace(r):
			at = end
			continue
		case strings.ContainsRune("«“„\"", r) && quote == 0:
			quotes++
			quote, at = quotes, end
			continue
		case strings.ContainsRune("»”\"", r) && quote != 0:
			quote, at = 0, end
			continue
		case unicode.IsDigit(r):
			t := number(text, at, inLatin)
			t.Quote = quote
			tokens = append(tokens, t)
			at = t.End
			continue
		case unicode.IsLetter(r):
			end = wordEnd(text, at)
			word := text[at:end]
			if mixed && len(word) == 1 {
				word = lookAlikes.Replace(word)
			}
			tokens = append(tokens, Token{Text: text[at:end], Start: at, End: end, Quote: quote, Forms: forms(word)})
		default:
			t := Token{Text: text[at:end], Start: at, End: end, Quote: quote}
			if t.Mark = slang[t.Text] == ""; !t.Mark { // "%" alone
				t.Forms = forms(t.Text)
			}
			tokens = append(tokens, t)
		}
		at = end
	}
	return tokens
}

// wordEnd returns the end of the word that begins at a byte. Hyphens, apostrophes and digits inside it belong to it.
func wordEnd(text string, at int) int {
	end := at
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if unicode.IsDigit(r) && isPlainWord(text[at:end]) && strings.ToLower(text[at:end]) == text[at:end] &&
			!strings.ContainsAny(text[at:end], "0123456789") {
			break // "топ3"
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			next, _ := utf8.DecodeRuneInString(text[end+size:])
			if !strings.ContainsRune("-’'", r) || !unicode.IsLetter(next) && !unicode.IsDigit(next) ||
				unicode.IsDigit(next) && isPlainWord(text[at:end]) {
				break
			}
		}
		end += size
	}
	return end
}

// isPlainWord tells a word from the beginning of a code: "топ-5" has a number of its own, "L-32" is one code.
func isPlainWord(text string) bool {
	return utf8.RuneCountInString(text) > 2 && text != strings.ToUpper(text)
}

// written matches a day in digits: 01.10.2026, 2026-10-01, 01.10.
var written = regexp.MustCompile(`^(?:\d{1,2}\.\d{1,2}\.(?:20)?\d{2}|20\d{2}-\d{2}-\d{2}|[0-3]\d\.(?:0\d|1[0-2]))(?:[^\d.]|\.(?:\D|$)|$)`)

// number reads digits and what belongs to them: groups of three, decimals, a percent sign, letters ("90д", "3rd").
func number(text string, at int, english bool) Token {
	if length := len(strings.TrimRightFunc(written.FindString(text[at:]), func(r rune) bool { return !unicode.IsDigit(r) })); length > 0 {
		return Token{Text: text[at : at+length], Start: at, End: at + length}
	}
	end := digits(text, at)
	value := text[at:end]
	if len(value) <= 3 && value[0] != '0' {
		for {
			gap := groupGap(text[end:], english)
			next := digits(text, end+gap)
			if gap == 0 || next-end-gap != 3 {
				break
			}
			value, end = value+text[end+gap:next], next
		}
	}
	if end+1 < len(text) && (text[end] == '.' || text[end] == ',') && text[end+1] >= '0' && text[end+1] <= '9' {
		next := digits(text, end+1)
		if next == len(text) || text[next] != text[end] || next+1 == len(text) || text[next+1] < '0' ||
			text[next+1] > '9' { // not a date such as 01.10.2026
			value, end = value+"."+text[end+1:next], next
		}
	}
	t := Token{Text: text[at:end], Start: at, End: end}
	if n, err := decimal.NewFromString(value); err == nil {
		t.Number = &n
	}
	switch next, size := utf8.DecodeRuneInString(text[end:]); {
	case next == '%':
		t.Percent, t.End = true, end+size
	case strings.HasPrefix(text[end:], " %"):
		t.Percent, t.End = true, end+2
	case unicode.IsLetter(next), next == '-' && end+1 < len(text) && (isLetterAt(text, end+1)):
		whole := wordEnd(text, at)
		t.Text, t.End, t.Forms = text[at:whole], whole, forms(text[at:whole])
	}
	return t
}

// mostlyLatin reports whether most words of a text are in Latin letters, as in an English question with a Russian name.
func mostlyLatin(text string) bool {
	latin := 0
	for word := range strings.FieldsSeq(text) {
		switch first, _ := utf8.DecodeRuneInString(word); {
		case unicode.Is(unicode.Latin, first):
			latin++
		case unicode.IsLetter(first):
			latin--
		}
	}
	return latin > 0
}

func isLetterAt(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return unicode.IsLetter(r)
}

func digits(text string, at int) int {
	for at < len(text) && text[at] >= '0' && text[at] <= '9' {
		at++
	}
	return at
}

// groupGap returns the length of the separator between groups of thousands: a space, and in English also a comma.
func groupGap(text string, english bool) int {
	if english && strings.HasPrefix(text, ",") {
		return 1
	}
	for _, space := range []string{" ", "\u00a0", "\u202f", "\u2009"} {
		if strings.HasPrefix(text, space) {
			return len(space)
		}
	}
	return 0
}
