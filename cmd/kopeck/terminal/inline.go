package terminal

import (
	"strings"
	"unicode"
)

// Escape sequences for styles (ECMA-48).
const (
	boldOn  = "\x1b[1m"
	boldOff = "\x1b[22m"
)

// inline removes markup from a stream of text. It holds text back while that may be the beginning of markup.
type inline struct {
	styles  bool
	bold    bool
	pending string
}

// markup lists all markup that the service writes within a line.
var markup = []string{"**", "&lt;", `\`}

func (in *inline) next(text string) string {
	text, in.pending = in.pending+text, ""
	var out strings.Builder
	for text != "" {
		taken, shown, wait := in.nextToken(text)
		if wait {
			in.pending = text
			break
		}
		out.WriteString(shown)
		text = text[taken:]
	}
	return out.String()
}

// nextToken reads one token. It returns the token's length and what to show for it, or wait if it needs more text.
func (in *inline) nextToken(text string) (taken int, shown string, wait bool) {
	for _, sign := range markup {
		if len(text) < len(sign) && strings.HasPrefix(sign, text) || text == `\` {
			return 0, "", true
		}
	}
	switch {
	case strings.HasPrefix(text, "**"):
		in.bold = !in.bold
		return 2, in.style(), false
	case strings.HasPrefix(text, "&lt;"):
		return 4, "<", false
	case text[0] == '\\' && (text[1] < unicode.MaxASCII && unicode.IsPunct(rune(text[1])) || strings.IndexByte("|`~<>$+=^", text[1]) >= 0):
		return 2, text[1:2], false
	case text[0] == '\n' && in.bold: // bold ends at the end of the line
		in.bold = false
		return 1, in.style() + "\n", false
	}
	for i := range text {
		if i > 0 {
			return i, text[:i], false
		}
	}
	return len(text), text, false
}

func (in *inline) style() string {
	switch {
	case !in.styles:
		return ""
	case in.bold:
		return boldOn
	}
	return boldOff
}

// end returns the text that was held back, and turns the style off.
func (in *inline) end() string {
	text := in.pending
	in.pending = ""
	if in.bold {
		in.bold = false
		text += in.style()
	}
	return text
}

// plain removes the markup from a complete text.
func plain(markdown string) string {
	var in inline
	return in.next(markdown) + in.end()
}
