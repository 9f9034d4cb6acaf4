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
		case r >= '0' && r <= '9':
			t := number(text, at, inLatin)
			t.Quote = quote
			tokens = append(tokens, t)
			at = t.End
			continue
		case abbreviated.MatchString(text[at:]):
			end = at + len(abbreviated.FindString(text[at:]))
			tokens = append(tokens, Token{Text: text[at:end], Start: at, End: end, Quote: quote, Mark: true})
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
	for end := at; end < len(text); {
		r, size := utf8.DecodeRuneInString(text[end:])
		next, _ := utf8.DecodeRuneInString(text[end+size:])
		before := text[at:end]
		switch plain := isPlainWord(before); {
		case unicode.IsLetter(r):
		case unicode.IsDigit(r) && (!plain || strings.ToLower(before) != before || strings.ContainsAny(before, "0123456789")): // not "топ3"
		case strings.ContainsRune("-’'", r) && (unicode.IsLetter(next) || unicode.IsDigit(next) && !plain):
		default:
			return end
		}
		end += size
	}
	return len(text)
}

// abbreviated matches an abbreviation that says nothing: "т.ч.", "т. е.", "e.g."
var abbreviated = regexp.MustCompile(`^\p{Ll}\. ?\p{Ll}\.`)

// isPlainWord tells a word from the beginning of a code: "топ-5" has a number of its own, "L-32" is one code.
func isPlainWord(text string) bool {
	return utf8.RuneCountInString(text) > 2 && text != strings.ToUpper(text)
}

var (
	// written matches a day in digits: 01.10.2026, 2026-10-01, 01.10.
	written = regexp.MustCompile(`^(\d{1,2}\.\d{1,2}\.(?:20)?\d{2}|20\d{2}-\d{2}-\d{2}|[0-3]\d\.(?:0\d|1[0-2]))(?:[^\d.]|\.(?:\D|$)|$)`)
	digits  = regexp.MustCompile(`^\d+`)
	// separators matches what is between groups of thousands.
	separators = regexp.MustCompile(`\D+`)
	// groups and englishGroups match groups of thousands. In English, a comma may separate them.
	groups        = regexp.MustCompile(`^([1-9]\d{0,2}(?:[ \x{a0}\x{202f}\x{2009}]\d{3})+)(?:\D|$)`)
	englishGroups = regexp.MustCompile(`^([1-9]\d{0,2}(?:[ \x{a0}\x{202f}\x{2009},]\d{3})+)(?:\D|$)`)
	// decimals matches what follows the whole part of a number, but not the rest of a date such as 1.10.26.
	decimals    = regexp.MustCompile(`^(?:(\.\d+)(?:\.?[^.\d]|\.?$)|(,\d+)(?:,?[^,\d]|,?$))`)
	letterAfter = regexp.MustCompile(`^-?\pL`)
)

// number reads digits and what belongs to them: groups of three, decimals, a percent sign, letters ("90д", "3rd").
func number(text string, at int, english bool) Token {
	rest := text[at:]
	if day := written.FindStringSubmatch(rest); day != nil {
		return Token{Text: day[1], Start: at, End: at + len(day[1])}
	}
	whole, grouping := digits.FindString(rest), groups
	if english {
		grouping = englishGroups
	}
	if grouped := grouping.FindStringSubmatch(rest); grouped != nil {
		whole = grouped[1]
	}
	end, value := at+len(whole), separators.ReplaceAllString(whole, "")
	if part := decimals.FindStringSubmatch(text[end:]); part != nil {
		part := part[1] + part[2]
		value, end = value+"."+part[1:], end+len(part)
	}
	n := decimal.RequireFromString(value)
	t := Token{Text: text[at:end], Start: at, End: end, Number: &n}
	switch after := text[end:]; {
	case strings.HasPrefix(after, "%"):
		t.Percent, t.End = true, end+1
	case strings.HasPrefix(after, " %"):
		t.Percent, t.End = true, end+2
	case letterAfter.MatchString(after):
		t.End = wordEnd(text, at)
		t.Text = text[at:t.End]
		t.Forms = forms(t.Text)
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
