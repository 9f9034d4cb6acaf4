package terminal

import (
	"strings"
	"unicode"
)

// The styles of ECMA-48.
const (
	boldOn  = "\x1b[1m"
	boldOff = "\x1b[22m"
)

// inline takes the markup out of text as it comes. What may be the beginning of markup waits for what follows.
type inline struct {
	styles bool
	bold   bool
	held   string
}

// markup are the signs that mean something; the service writes no others inside a line.
var markup = []string{"**", "&lt;", `\`}

func (in *inline) next(text string) string {
	text, in.held = in.held+text, ""
	var out strings.Builder
	for text != "" {
		taken, shown, wait := in.sign(text)
		if wait {
			in.held = text
			break
		}
		out.WriteString(shown)
		text = text[taken:]
	}
	return out.String()
}

// sign reads one sign or character: how many bytes it takes and what it shows as, or that more text must tell.
func (in *inline) sign(text string) (taken int, shown string, wait bool) {
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
	case text[0] == '\n' && in.bold: // bold does not outlast its line
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

// end gives what was held back, and ends the style.
func (in *inline) end() string {
	text := in.held
	in.held = ""
	if in.bold {
		in.bold = false
		text += in.style()
	}
	return text
}

// plain is a piece of Markdown as text.
func plain(markdown string) string {
	var in inline
	return in.next(markdown) + in.end()
}
