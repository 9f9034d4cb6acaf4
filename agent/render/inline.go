package render

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxInline is the maximum length of a name, in characters. Some names in MoySklad have the length of a page.
const maxInline = 200

// Inline escapes a text for a line or a table cell of Markdown. The result is one line, without invisible characters,
// markup or links.
func Inline(text string) string {
	text = truncate(strings.Join(strings.Fields(Visible(text)), " "), maxInline)
	var b strings.Builder
	for text != "" {
		at := findAddress(text)
		if at == nil {
			at = []int{len(text), len(text)}
		}
		escape(&b, text[:at[0]])
		if at[0] < at[1] {
			b.WriteString(inertAddress(text[at[0]:at[1]]))
		}
		text = text[at[1]:]
	}
	line := b.String()
	if blockStart.MatchString(line) {
		line = `\` + line
	}
	return line
}

// blockStart matches the beginning of a line that Markdown shows as a heading, a quotation or a list.
var blockStart = regexp.MustCompile(`^(#|>|[-+] )`)

// address matches text that a renderer may turn into a link or load as an image, including addresses without a scheme
// or with escaped slashes. A match ends before a backslash, because the backslash escapes the next character.
var address = regexp.MustCompile(
	`(?i)(?:[a-z][a-z0-9+.-]{1,20}://|www\.|(?:javascript|data|mailto|vbscript):)[^\s<>|()\\]+|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/[^\s<>|()\\]*|(?:\\*/){2}[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}[^\s<>|()\\]*`,
)

// findAddress finds the first address. To be fast for the many texts without one, it first looks for characters that
// every address has.
func findAddress(text string) []int {
	if !strings.ContainsAny(text, ":/") && !strings.Contains(strings.ToLower(text), "www.") {
		return nil
	}
	return address.FindStringIndex(text)
}

// inertAddress formats an address as code, so that it does not become a link.
func inertAddress(address string) string {
	return "`" + strings.ReplaceAll(address, "`", "") + "`"
}

func escape(b *strings.Builder, text string) {
	previous := ' '
	for i, r := range text {
		next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		switch {
		case r == '<' && (unicode.IsLetter(next) || strings.ContainsRune("/!?", next)):
			b.WriteString("&lt;")
		case strings.ContainsRune("\\|*`[]~", r),
			r == '_' && (!isWordRune(previous) || !isWordRune(next)),
			r == '&' && (next == '#' || unicode.IsLetter(next)):
			b.WriteRune('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		previous = r
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Visible removes characters that people cannot see but that affect models and terminals: control, bidirectional,
// zero-width and tag characters. It keeps line breaks and tabs.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case ' ' <= r && r < 0x7f, 'А' <= r && r <= 'я', r == '\n', r == '\t':
			return r
		case r == '\u2028' || r == '\u2029' || r == '\u0085':
			return '\n'
		case invisible(r):
			return -1
		}
		return r
	}, text)
}

func invisible(r rune) bool {
	switch {
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs):
		return true
	case r == utf8.RuneError, r >= 0xFFF0 && r <= 0xFFFB:
		return true
	case r == '\u034f', r == '\u115f', r == '\u1160', r == '\u3164', r == '\uffa0', r == '\u17b4', r == '\u17b5':
		return true // fillers and joiners, which are in other categories
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0000 && r <= 0xE0FFF, r >= 0x180B && r <= 0x180F:
		return true // variation selectors and the tag block
	}
	return false
}
