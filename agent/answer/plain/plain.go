// Package plain folds text to what its reader sees, so that texts that look alike are equal: without markup, in lower
// case, with ASCII digits and single spaces.
package plain

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Folded is Markdown as a reader sees it: without markup, with ASCII digits for digits of all scripts, single spaces,
// hyphens for all minus signs, and lower-case letters. So figures that look alike are equal, whatever their
// formatting. Folded maps each byte to its character in the source.
type Folded struct {
	Text     string
	From, To []int32
}

// Opaque replaces a number without digits in a plain text, such as "½", a die or a Chinese numeral. Sources cannot
// contain it, because [render.Visible] removes private-use characters.
const Opaque = '\uE000'

// Text returns folded Markdown.
func Text(source string) string {
	f := folder{markdown: true}
	f.source(source)
	return f.b.String()
}

// Of folds Markdown, in linear time.
func Of(source string) Folded { return Fold(source, true) }

// Fold folds a text. If it is not Markdown, such as JSON, asterisks, backslashes and entities stay.
func Fold(source string, markdown bool) Folded {
	f := folder{markdown: markdown, places: &Folded{From: make([]int32, 0, len(source)+8), To: make([]int32, 0, len(source)+8)}}
	f.source(source)
	f.places.Text = f.b.String()
	return *f.places
}

type folder struct {
	markdown bool
	places   *Folded // nil if not needed
	b        strings.Builder
	last     rune
}

func (f *folder) source(source string) {
	markdown := f.markdown
	f.b.Grow(len(source) + 8)
	lettered := 0 // letters before this position count as digits
	for i := 0; i < len(source); {
		r, size := utf8.DecodeRuneInString(source[i:])
		switch {
		case markdown && r == '\\' && i+1 < len(source) && source[i+1] > ' ' && source[i+1] < 0x7f && !LetterOrDigit(rune(source[i+1])):
		case markdown && r == '&':
			if n, text := entityAt(source[i:]); n > 0 {
				size = n
				for _, r := range text {
					f.fold(r, 0, i, i+size)
				}
				break
			}
			f.fold(r, 0, i, i+size)
		default:
			if lookalike(r) != 0 && IsDigit(f.last) {
				if i >= lettered {
					lettered = i + letteredEnd(source[i:])
				}
				if i < lettered {
					r = lookalike(r)
				}
			}
			next, _ := utf8.DecodeRuneInString(source[i+size:])
			f.fold(r, next, i, i+size)
		}
		i += size
	}
}

// entityAt reads an HTML entity at the start of a text; n is its length.
func entityAt(text string) (n int, means string) {
	const longest = 12
	end := strings.IndexByte(text[:min(len(text), longest)], ';')
	if end < 0 {
		return 0, ""
	}
	means = html.UnescapeString(text[:end+1])
	if means == text[:end+1] {
		return 0, ""
	}
	return end + 1, means
}

func (f *folder) put(r rune, from, to int) {
	p := f.places
	if r == ' ' && f.last == ' ' {
		if p != nil {
			p.To[len(p.To)-1] = int32(to)
		}
		return
	}
	f.last = r
	f.b.WriteRune(r)
	if p == nil {
		return
	}
	for range utf8.RuneLen(r) {
		p.From, p.To = append(p.From, int32(from)), append(p.To, int32(to))
	}
}

// fold writes a character in its plain form, if it has one. A capital letter that is a scale after a digit is written
// out, because the lower-case letter would mean metres or bytes.
func (f *folder) fold(r, next rune, from, to int) {
	switch {
	case f.markdown && (r == '*' || r == '_' || r == '`' || r == '~'):
	case r <= ' ':
		f.put(' ', from, to)
	case (r == 'M' || r == 'М' || r == 'B') && IsDigit(f.last) && !LetterOrDigit(next):
		word := "mln"
		if r == 'B' {
			word = "bln"
		}
		for _, letter := range word {
			f.put(letter, from, to)
		}
	case r < 0x80, 'А' <= r && r <= 'я':
		f.put(unicode.ToLower(r), from, to)
	case alike[r] != 0:
		f.put(alike[r], from, to)
	case superscript(r) && IsDigit(f.last), HanNumeral(r), Pictured(r):
		f.put(Opaque, from, to)
	default:
		f.other(r, from, to)
	}
}

// alike maps characters to those that they look like, or to themselves if they stay.
var alike = func() map[rune]rune {
	all := map[rune]rune{}
	for like, runes := range map[rune]string{
		'-': "−–‒‐‑⁃➖˗﹣－", '\'': "’‘ʼ′ʹ＇´˙٬", ',': "‚、،", '.': "。․·∙⋅•‧٫", '%': "٪", ' ': "\u00a0\u202f\u2800", 'е': "ёЁ",
		'₽': "₽", '«': "«", '»': "»",
	} {
		for _, r := range runes {
			all[r] = like
		}
	}
	return all
}()

// other folds a character by its class.
func (f *folder) other(r rune, from, to int) {
	switch {
	case unicode.IsSpace(r):
		f.put(' ', from, to)
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc):
	case unicode.IsDigit(r):
		f.put('0'+digitValue(r), from, to)
	case unicode.In(r, unicode.No, unicode.Nl):
		f.numeral(r, from, to)
	default:
		f.all(norm.NFKC.String(string(r)), from, to)
	}
}

// numeral folds a character that is a number itself: "①" is 1, "½" is opaque.
func (f *folder) numeral(r rune, from, to int) {
	text := norm.NFKC.String(string(r))
	if strings.ContainsRune(text, '⁄') || text == string(r) || unicode.Is(unicode.Nl, r) {
		f.put(Opaque, from, to)
		return
	}
	f.all(text, from, to)
}

func (f *folder) all(text string, from, to int) {
	for _, r := range text {
		f.put(unicode.ToLower(r), from, to)
	}
}

// letteredEnd returns the end of a run of digits and of letters that look like digits: "1OO" is 100, but "10oz" has a
// unit. It is 0 if letters follow.
func letteredEnd(text string) int {
	for i, r := range text {
		if lookalike(r) == 0 && !unicode.IsDigit(r) {
			if unicode.IsLetter(r) {
				return 0
			}
			return i
		}
	}
	return len(text)
}

// lookalike returns the digit that a letter looks like; 0 if there is none.
func lookalike(r rune) rune {
	switch r {
	case 'O', 'o', 'О', 'о':
		return '0'
	case 'l', 'I':
		return '1'
	}
	return 0
}

func superscript(r rune) bool {
	return r == '¹' || r == '²' || r == '³' || r == '⁰' || '⁴' <= r && r <= '⁹' || r == '⁻'
}

// digitValue returns the value of a decimal digit of any script. Unicode keeps the ten digits of a script together.
func digitValue(r rune) rune {
	for _, table := range unicode.Nd.R16 {
		if uint32(table.Lo) <= uint32(r) && uint32(r) <= uint32(table.Hi) {
			return (r - rune(table.Lo)) % 10
		}
	}
	for _, table := range unicode.Nd.R32 {
		if table.Lo <= uint32(r) && uint32(r) <= table.Hi {
			return (r - rune(table.Lo)) % 10
		}
	}
	return 0
}

// HanNumeral reports whether a character is a Chinese numeral, which Unicode classes as a letter.
func HanNumeral(r rune) bool {
	return r >= 0x3007 && strings.ContainsRune("廿卅卌弐参〇零一二三四五六七八九十百千万億亿兆壹贰叁肆伍陆柒捌玖拾佰仟萬", r)
}

// Pictured reports whether a character is a picture of a number: dice, dominoes, playing cards, clock faces, a
// hundred points.
func Pictured(r rune) bool {
	return '⚀' <= r && r <= '⚅' || 0x1F030 <= r && r <= 0x1F0FF || 0x1F550 <= r && r <= 0x1F567 || r == '💯' || r == '🔟'
}

// LetterOrDigit reports whether a character is a letter or digit of any script.
func LetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// IsDigitByte reports whether a byte is an ASCII digit, the only digits in a folded text.
func IsDigitByte(c byte) bool { return '0' <= c && c <= '9' }

// DigitsEnd returns the end of the ASCII digits at i; i if there is none.
func DigitsEnd(text string, i int) int {
	for i < len(text) && IsDigitByte(text[i]) {
		i++
	}
	return i
}

// IsDigit reports whether a character is an ASCII digit.
func IsDigit(r rune) bool { return '0' <= r && r <= '9' }

// ToCyrillic maps lower-case Latin letters to Cyrillic ones that look the same in lower or upper case.
var ToCyrillic = map[rune]rune{
	'a': 'а', 'b': 'в', 'c': 'с', 'e': 'е', 'h': 'н', 'k': 'к', 'm': 'м', 'o': 'о', 'p': 'р', 't': 'т', 'x': 'х', 'y': 'у',
}

// ToLatin is the reverse of ToCyrillic.
var ToLatin = func() map[rune]rune {
	reverse := map[rune]rune{}
	for latin, cyrillic := range ToCyrillic {
		reverse[cyrillic] = latin
	}
	return reverse
}()
