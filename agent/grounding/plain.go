package grounding

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/render"
)

// plain is what a reader sees of Markdown, in the fewest characters: no markup, nothing invisible, digits of any script as
// ASCII, every space one space, every minus a hyphen ("—" stays: it is never a minus), letters small. Figures that look
// alike are written alike, however they were dressed.
func plain(markdown string) string {
	text := html.UnescapeString(unescape(markdown))
	if !everyday(text) {
		text = composed(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	space := true // leading spaces go as well
	for _, r := range text {
		r = fold(r)
		switch {
		case r < 0:
		case r != ' ':
			b.WriteRune(r)
			space = false
		case !space:
			b.WriteByte(' ')
			space = true
		}
	}
	text = letteredDigits(strings.TrimRight(b.String(), " "))
	if behindDigit(text, "MМB") {
		text = bigLetter.ReplaceAllStringFunc(text, func(s string) string {
			return strings.NewReplacer("M", "mln", "М", "mln", "B", "bln").Replace(s)
		})
	}
	return oneScript(strings.ToLower(text))
}

// escapedProduct is an asterisk between two numbers as [render.Inline] writes it.
var escapedProduct = expression.Of(`([0-9] ?)\\\*( ?)\b`)

// bigLetter is a scale that only its case tells from metres and bytes.
var bigLetter = expression.Of(`[0-9][MМB](?:[^\p{L}\d]|$)`)

// everyday reports whether a text has only such characters as [composed] leaves alone, as most have.
func everyday(text string) bool {
	for _, r := range text {
		switch {
		case ' ' <= r && r < 0x7f, cyrillic(r), r == 'ё', r == 'Ё', r == '\n', r == '\t', r == '«', r == '»', r == '—', r == '₽':
		default:
			return false
		}
	}
	return true
}

func cyrillic(r rune) bool { return 'А' <= r && r <= 'я' }

// composed writes out what has a shorter form of the same meaning, and drops what nobody sees.
func composed(text string) string {
	text = beforeFolding.Replace(text)
	text = superscripts.ReplaceAllStringFunc(text, func(s string) string { return "^" + superscript.Replace(s) })
	text = powerOfTen.ReplaceAllString(text, "×10^")
	text = strings.Map(unlisted, text)
	return norm.NFKC.String(render.Visible(text))
}

// behindDigit reports whether one of the letters stands right behind a digit: a look before an expression is asked.
func behindDigit(text, letters string) bool {
	for i := range len(text) - 1 {
		if digit(text[i]) {
			if next, _ := utf8.DecodeRuneInString(text[i+1:]); strings.ContainsRune(letters, next) {
				return true
			}
		}
	}
	return false
}

// unescape removes the backslashes of Markdown's escapes; the markup itself is removed by fold, escaped or not, but for an
// escaped asterisk between two numbers: a reader sees them multiplied, and not as one.
func unescape(markdown string) string {
	if !strings.Contains(markdown, `\`) {
		return markdown
	}
	markdown = escapedProduct.ReplaceAllString(markdown, "$1×$2")
	var b strings.Builder
	for i := 0; i < len(markdown); i++ {
		if markdown[i] == '\\' && i+1 < len(markdown) && markdown[i+1] > ' ' && markdown[i+1] < 0x7f && !letterOrDigit(rune(markdown[i+1])) {
			i++
		}
		b.WriteByte(markdown[i])
	}
	return b.String()
}

var (
	// beforeFolding writes out what compatibility folding would join to the digits beside it.
	beforeFolding = strings.NewReplacer(
		"½", ".5", "¼", ".25", "¾", ".75", "⅛", ".125", "⅕", ".2", "⅖", ".4", "⅗", ".6", "⅘", ".8",
		"٪", "%", "٫", ".", "٬", "'", "₽", "₽", "№", "№ ", "…", "... ", "💯", "100", "🔟", "10", "™", " ", "℃", " ",
	)
	superscripts = expression.Of(`[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+`)
	powerOfTen   = expression.Of(`[ \x{a0}]?[·⋅∙][ \x{a0}]?10\^`)
	superscript  = strings.NewReplacer("⁺", "", "⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")
)

// unlisted makes digits of "⑴" and "⒈", which compatibility folding would part by their punctuation.
func unlisted(r rune) rune {
	switch {
	case '⑴' <= r && r <= '⑼':
		return '1' + r - '⑴'
	case '⒈' <= r && r <= '⒐':
		return '1' + r - '⒈'
	}
	return r
}

// fold maps one character to its plain form; -1 for markup and marks, which a reader does not read.
func fold(r rune) rune {
	switch {
	case r == '*' || r == '_' || r == '`' || r == '~':
		return -1
	case r < 0x80:
		if r <= ' ' {
			return ' '
		}
		return r
	case cyrillic(r):
		return r
	case r == 'ё':
		return 'е'
	case r == 'Ё':
		return 'Е'
	case r == '−' || r == '–' || r == '‒' || r == '‐' || r == '‑' || r == '⁃' || r == '➖' || r == '˗' || r == '﹣':
		return '-'
	case r == '’' || r == '‘' || r == 'ʼ' || r == '′' || r == 'ʹ' || r == '＇' || r == '´' || r == '˙':
		return '\''
	case r == '‚' || r == '、' || r == '،':
		return ','
	case r == '。' || r == '․' || r == '·' || r == '∙' || r == '⋅' || r == '•' || r == '‧':
		return '.'
	case r == '\u2800' || unicode.IsSpace(r):
		return ' '
	case unicode.In(r, unicode.Mn, unicode.Me):
		return -1
	case unicode.IsDigit(r):
		return '0' + digitValue(r)
	}
	return r
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

var lettered = expression.Of(`[0-9]+(?:[OoОо]+[0-9]*)+|[0-9]+[lI][0-9]+`)

// letteredDigits reads letters that pass for digits: "1OO" is 100, but "10oz" has a unit.
func letteredDigits(text string) string {
	if !behindDigit(text, "OoОоlI") {
		return text
	}
	var b strings.Builder
	end := 0
	for _, at := range lettered.FindAllStringIndex(text, -1) {
		if next, _ := utf8.DecodeRuneInString(text[at[1]:]); unicode.IsLetter(next) {
			continue
		}
		b.WriteString(text[end:at[0]])
		b.WriteString(lookalike.Replace(text[at[0]:at[1]]))
		end = at[1]
	}
	return b.String() + text[end:]
}

var lookalike = strings.NewReplacer("O", "0", "o", "0", "О", "0", "о", "0", "l", "1", "I", "1")

func letterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
func digit(c byte) bool         { return '0' <= c && c <= '9' }
