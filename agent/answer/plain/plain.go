// Package plain folds text to what a reader of it sees, so that texts that look alike are compared alike: no markup, small
// letters, digits of any script as ASCII, one space for every run of spaces.
package plain

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Folded is a stretch of Markdown as a reader sees it, in the fewest characters: no markup, digits of any script as ASCII,
// every space one space, every minus a hyphen, letters small. Figures that look alike are written alike, however they were
// dressed. For each byte it knows from where to where its character stands in the source.
type Folded struct {
	Text     string
	From, To []int32
}

// Opaque stands in a plain text for a number that shows no digits, such as "½", a die or a Chinese numeral. Sources cannot
// have it: [render.Visible] removes characters of private use.
const Opaque = '\uE000'

// Text is Markdown, folded.
func Text(source string) string {
	f := folder{markdown: true}
	f.source(source)
	return f.b.String()
}

// Of folds Markdown. It takes time in proportion to its length.
func Of(source string) Folded { return Fold(source, true) }

// Fold folds a text. Where it is no Markdown, as in JSON, asterisks, backslashes and entities are what they are.
func Fold(source string, markdown bool) Folded {
	f := folder{markdown: markdown, places: &Folded{From: make([]int32, 0, len(source)+8), To: make([]int32, 0, len(source)+8)}}
	f.source(source)
	f.places.Text = f.b.String()
	return *f.places
}

type folder struct {
	markdown bool
	places   *Folded // nil where nobody needs them
	b        strings.Builder
	last     rune
}

func (f *folder) source(source string) {
	markdown := f.markdown
	f.b.Grow(len(source) + 8)
	lettered := 0 // letters before this place pass for digits
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

// entityAt reads an entity of HTML at the start of a text, and how many bytes it has.
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

// fold writes one character in its plain form, if it has one. A capital letter that is a scale behind a digit is written
// out: a small one would be metres or bytes.
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
	case r == 'ё' || r == 'Ё':
		f.put('е', from, to)
	case superscript(r) && IsDigit(f.last), HanNumeral(r), Pictured(r):
		f.put(Opaque, from, to)
	default:
		f.rare(r, from, to)
	}
}

// rare folds what is no letter of ASCII or Russian.
func (f *folder) rare(r rune, from, to int) {
	switch r {
	case '−', '–', '‒', '‐', '‑', '⁃', '➖', '˗', '﹣', '－':
		f.put('-', from, to)
	case '’', '‘', 'ʼ', '′', 'ʹ', '＇', '´', '˙', '٬':
		f.put('\'', from, to)
	case '‚', '、', '،':
		f.put(',', from, to)
	case '。', '․', '·', '∙', '⋅', '•', '‧', '٫':
		f.put('.', from, to)
	case '٪':
		f.put('%', from, to)
	case '\u00a0', '\u202f', '\u2800':
		f.put(' ', from, to)
	case '₽', '«', '»':
		f.put(r, from, to)
	default:
		f.other(r, from, to)
	}
}

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

// numeral folds a character that is a number by itself: "①" is 1, "½" is opaque.
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

// letteredEnd is where a run of digits and of letters that pass for digits ends: "1OO" is 100, but "10oz" has a unit. It is 0
// where letters follow.
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

// lookalike is the digit that a letter looks like; 0 for none.
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

// digitValue is the value of a decimal digit of any script: Unicode keeps each script's ten together.
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

// HanNumeral reports digits that are letters to Unicode.
func HanNumeral(r rune) bool {
	return r >= 0x3007 && strings.ContainsRune("廿卅卌弐参〇零一二三四五六七八九十百千万億亿兆壹贰叁肆伍陆柒捌玖拾佰仟萬", r)
}

// Pictured reports numbers that are shown: dice, dominoes, playing cards, the hands of clocks, a hundred points.
func Pictured(r rune) bool {
	return '⚀' <= r && r <= '⚅' || 0x1F030 <= r && r <= 0x1F0FF || 0x1F550 <= r && r <= 0x1F567 || r == '💯' || r == '🔟'
}

// LetterOrDigit is true of both, in any script.
func LetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// IsDigitByte is true of the ASCII digits, which are all that a folded text has.
func IsDigitByte(c byte) bool { return '0' <= c && c <= '9' }

// IsDigit is the same of a character.
func IsDigit(r rune) bool { return '0' <= r && r <= '9' }

// ToCyrillic are small letters that look the same, or do as capitals.
var ToCyrillic = map[rune]rune{
	'a': 'а', 'b': 'в', 'c': 'с', 'e': 'е', 'h': 'н', 'k': 'к', 'm': 'м', 'o': 'о', 'p': 'р', 't': 'т', 'x': 'х', 'y': 'у',
}

// ToLatin is the other way round.
var ToLatin = func() map[rune]rune {
	reverse := map[rune]rune{}
	for latin, cyrillic := range ToCyrillic {
		reverse[cyrillic] = latin
	}
	return reverse
}()
