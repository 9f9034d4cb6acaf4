// Package words reads Russian and English text word by word. It finds tokens, stems, words in other letters, and typing errors.
package words

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

// Token is a word, a number or a mark of a text.
type Token struct {
	Text       string // as written
	Start, End int    // in bytes of the text
	Quoted     bool

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

// Size orders the sizes of clothes: 0 is M, a smaller one is negative. Other texts are 0.
func Size(text string) int {
	switch n := len(text); {
	case !sizes.MatchString(text), text == "M":
		return 0
	case text[n-1] == 'S':
		return -n
	default:
		return n
	}
}

// IsMeasure reports whether the token is a unit in the names of goods: "28 см".
func IsMeasure(t Token) bool { return measures.MatchString(t.Text) }

var measures = regexp.MustCompile(`^(?i:л|мл|см|мм|вт|l|ml|cm|mm)$`)

// Cyrillic reports whether the token is written in Russian letters.
func (t Token) Cyrillic() bool { return isCyrillic(Folded(t.Text)) }

// IsWord reports whether the token has letters.
func (t Token) IsWord() bool { return len(t.Forms) > 0 }

// Readings returns the forms of a word, and the digits of a number as a form: "40" and "40-й".
func (t Token) Readings() []Form {
	digits := t.Text
	if t.IsWord() {
		number := ordinal.FindStringSubmatch(t.Text)
		if t.Number == nil || number == nil {
			return t.Forms
		}
		digits = number[1]
	}
	return append(slices.Clone(t.Forms), Form{Full: digits, Key: digits})
}

var ordinal = regexp.MustCompile(`(?i)^(\d+)-?(?:[оы]?й|[оы]?е|а?я|о?го|о?му|о?м|ы?х|st|nd|rd|th)$`)

// Tokens divides a text. Numbers keep their groups of thousands together: "2 490".
func Tokens(text string) []Token { return TokensIn("ru", text) }

// TokensIn divides a text of a language. In English, a comma may separate groups of thousands: "2,490".
func TokensIn(lang, text string) []Token {
	var tokens []Token
	mixed, number, quoted := isCyrillic(text), russianNumber, false
	if lang == "en" {
		number = englishNumber
	}
	for at := 0; at < len(text); {
		rest := text[at:]
		r, size := utf8.DecodeRuneInString(rest)
		t := Token{Text: rest[:size], Start: at, Quoted: quoted}
		switch {
		case unicode.IsSpace(r):
			at += size
			continue
		case strings.ContainsRune("«»“”„\"", r):
			quoted, at = !quoted, at+size
			continue
		case day.MatchString(rest):
			t.Text = day.FindString(rest)
		case r >= '0' && r <= '9':
			t.readNumber(number.FindStringSubmatch(rest))
		case between.MatchString(rest) && len(tokens) > 0 && tokens[len(tokens)-1].Number != nil && tokens[len(tokens)-1].End == at:
			t.Mark = true
		case abbreviated.MatchString(rest):
			t.Text, t.Mark = abbreviated.FindString(rest), true
		case unicode.IsLetter(r):
			t.Text = word.FindString(rest)
			t.Forms = forms(t.Text)
			if mixed && len(t.Text) == 1 {
				t.Forms = forms(lookAlikes.Replace(t.Text))
			}
		case comparison.MatchString(rest), t.Text == "%":
			t.Forms = forms(t.Text)
		default:
			t.Mark = true
		}
		t.End = max(t.End, at+len(t.Text))
		tokens, at = append(tokens, t), t.End
	}
	return tokens
}

// readNumber takes the parts that the pattern of a number has matched.
func (t *Token) readNumber(parts []string) {
	whole, decimals, percent, letters := parts[1], parts[2], parts[3], parts[4]
	hyphen := ""
	if strings.HasPrefix(letters, "-") && utf8.RuneCountInString(letters) >= 4 { // "14-day" is "14 day", "5-го" is one word
		letters, hyphen = "", "-"
	}
	if ofGoods.MatchString(letters) || between.MatchString(letters) { // "3кг" is "3 кг", "20x30" is "20×30"
		letters = ""
	}
	n := decimal.RequireFromString(separators.ReplaceAllString(whole, "") + strings.Replace(decimals, ",", ".", 1))
	t.Text, t.Number, t.Percent = whole+decimals+letters, &n, percent != ""
	t.End = t.Start + len(t.Text+percent+hyphen)
	if letters != "" {
		t.Forms = forms(t.Text)
	}
}

var (
	// day matches a day in digits: 01.10.2026, 2026-10-01, 01.10.
	day                          = regexp.MustCompile(`^(?:\d{1,2}\.\d{1,2}\.(?:20)?\d{2}|20\d{2}-\d{2}-\d{2}|[0-3]\d\.(?:0\d|1[0-2]))\b`)
	russianNumber, englishNumber = numberPattern(""), numberPattern(",")
	ofGoods                      = regexp.MustCompile(`^(?i:кг|л|мл|см|мм|вт|kg|l|ml|cm|mm)$`)
	between                      = regexp.MustCompile(`^[xXхХ]\d`)  // the sides of a size
	comparison                   = regexp.MustCompile(`^[<>=] ?\d`) // but not an arrow between names
	separators                   = regexp.MustCompile(`\D`)
	// abbreviated matches an abbreviation that says nothing: "т.ч.", "т. е.", "e.g."
	abbreviated = regexp.MustCompile(`^\p{Ll}\. ?\p{Ll}\.`)
	// word matches a code, which has digits, "L-32", or a word. "топ-5" has a number of its own.
	word = regexp.MustCompile(`^(?:(?:\p{L}{1,2}|\p{Lu}+)-?\d[\p{L}\d]*(?:-[\p{L}\d]+)*|\p{L}+(?:[-’']\p{L}+)*)`)
)

// numberPattern matches digits in groups of three or not, decimals, and a percent sign or letters: "90д", "3rd". The groups may have a
// separator besides spaces. No digit may follow, since "1 2345" is two numbers.
func numberPattern(separator string) *regexp.Regexp {
	return regexp.MustCompile(`^([1-9]\d{0,2}(?:[ \x{a0}\x{202f}\x{2009}` + separator + `]\d{3})+|\d+)([.,]\d+)?` +
		`(?:( ?%)|(-?\p{L}[\p{L}\d]*(?:[-’'][\p{L}\d]+)*))?(?:\D|$)`)
}

// Denies reports whether a word is a verb with "not" in it: "isn't".
func (t Token) Denies() bool { return strings.HasSuffix(Spelled(t.Text), "n't") }

// Plural reports whether a word has an ending that only plurals have: "mugs", «товаров», «дешёвые», but not «ножи».
func (t Token) Plural() bool { return plural.MatchString(Folded(t.Text)) }

var plural = regexp.MustCompile(`(ы|[ыи]е|ов|[^s]s)$`)
