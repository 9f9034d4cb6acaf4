package lexer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/markup"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/schemas/bilingual"
)

// class says how the lexer treats a word.
type class int

const (
	ordinary class = iota
	counting       // may begin a number, or is the code of a draft
	leading        // may belong to the next word
)

func classify(source string) class {
	letters := true
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch {
		case plain.IsDigitByte(c):
			return counting
		case c >= 0x80:
			r, size := utf8.DecodeRuneInString(source[i:])
			if r < 'А' || r > 'ё' {
				if numberLike(r) {
					return counting
				}
				letters = letters && unicode.IsLetter(r)
			}
			i += size - 1
		case c < 'A' || c > 'z' || c > 'Z' && c < 'a':
			if c == '&' && strings.Contains(source[i:], ";") {
				return counting
			}
			letters = false
		}
	}
	if letters {
		return classOf(bilingual.Lower(source))
	}
	text := plain.Text(source)
	for _, w := range plain.Words(text) {
		if markup.IsDraftCode(w.Text, strings.TrimFunc(source, plain.IsMark)) {
			return counting
		}
	}
	for w := range literal.Letters(text) {
		if c := classOf(w); c != ordinary {
			return c
		}
	}
	return ordinary
}

// numberLike reports whether a character is a digit or number of any script.
func numberLike(r rune) bool {
	return unicode.In(r, unicode.Nd, unicode.No, unicode.Nl) || plain.HanNumeral(r) || plain.Pictured(r)
}

const longestNumeral = 40 // bytes

func classOf(word string) class {
	if len(word) > longestNumeral {
		return ordinary
	}
	word = literal.OneScript(word)
	if _, scale := literal.ScaleForms[word]; literal.IsNumeral(word) && (!scale || literal.SingleForms[word]) {
		return counting
	}
	if _, part := literal.PartForms[word]; part || literal.MonthForms[word] > 0 { // "November 22"
		return counting
	}
	if literal.Confirming[word] || word == "bearer" || word == "basic" {
		return leading
	}
	return ordinary
}

// continues reports whether a word after a number can belong to it or is a number itself.
func continues(source string) bool {
	text := plain.Text(source)
	if plain.HasDigit(text) {
		return true
	}
	for w := range literal.Letters(text) {
		if !literal.Continues(w) {
			return false
		}
	}
	return true
}

// withoutLast removes the numbers at the end of a text that was cut there, because they may be incomplete.
func withoutLast(text string) string {
	fields := strings.Fields(text)
	for len(fields) > 0 && classify(fields[len(fields)-1]) == counting {
		fields = fields[:len(fields)-1]
	}
	return strings.Join(fields, " ")
}

// ChunkEnd returns where a text can be cut without cutting a number, after at most the given number of bytes.
func ChunkEnd(text string, most int) int {
	if len(text) <= most {
		return len(text)
	}
	for end := most; end > most/2; end-- {
		if c := text[end]; c == '\n' || c == '-' || c < 0x80 && c >= 'A' && c != '_' && c != '`' && c != '~' && c != '\\' {
			return end
		}
	}
	end := most
	for end > most-4 && text[end]&0xC0 == 0x80 {
		end--
	}
	return end
}
