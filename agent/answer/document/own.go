package document

import (
	"fmt"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/evidence"
	"github.com/kopeck/kopeck/agent/answer/lexer"
	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/markup"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/tools"
)

// own returns a text that the model wrote itself, without secrets, draft codes and links. It checks the figures in
// it.
func (w *documentWriter) own(text string, name bool) string {
	text = redact.Text(render.Visible(text))
	if name && plainName(text) {
		return text
	}
	text = w.evidence.WithoutCodes(w.links(text))
	for rest := text; rest != ""; {
		end := lexer.ChunkEnd(rest, lexer.MaxZone)
		if space := strings.LastIndexByte(rest[:end], ' '); end < len(rest) && space > 0 {
			end = space
		}
		w.figuresIn(rest[:end], false)
		rest = rest[end:]
	}
	return text
}

// plainName reports whether a field's name is an identifier, such as "total_30d" or "b2b", which says nothing about
// the books.
func plainName(name string) bool {
	const mostDigits = 3
	digits := 0
	for i, r := range name {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', r == '_', r == '-' && i > 0, r == '$':
			digits = 0
		case plain.IsDigit(r) && i > 0:
			if digits++; digits > mostDigits {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// links makes the links of a text harmless. In arguments, a link of unknown origin is a problem, because a program
// would follow it.
func (w *documentWriter) links(text string) string {
	return markup.ReplaceAddresses(text, func(found string) string {
		if w.evidence.KnowsLink(found) {
			return found
		}
		if w.arguments {
			w.stop(found, reference.Link, fmt.Sprintf("the link %s is neither in the user's words nor in a report", briefly(found)))
			return found
		}
		return markup.Host(found)
	})
}

// figuresIn checks the figures in a text. A JSON number is no date.
func (w *documentWriter) figuresIn(text string, number bool) {
	p := plain.Fold(text, false)
	words := func() []plain.Word { return plain.Words(p.Text) }
	for f := range literal.Figures(p.Text) {
		if number {
			f.Date = literal.Date{}
		}
		if w.arguments && !w.looksLikeFigure(p.Text, f) {
			continue
		}
		if verdict, _ := w.evidence.Judge(p.Text, f, words); verdict == evidence.Fails {
			found := text[p.From[f.Start]:p.To[f.End-1]]
			w.stop(found, reference.NoBacking, notBacked(found))
		}
	}
}

// looksLikeFigure reports whether a number could be a figure of the books: it has a currency, a percent sign or a
// scale, it is in groups of three, or it stands alone and is at least 1000. Parts of identifiers, dates, addresses,
// versions, telephone numbers and parameters do not look like figures. Once a report was read, a number with decimals does.
func (w *documentWriter) looksLikeFigure(text string, f literal.Figure) bool {
	switch {
	case f.Unit.Is == tools.KindMoney || f.Unit.Is == tools.KindPercent || f.Scaled() || f.Word != nil:
		return true
	case f.Opaque:
		return strings.ContainsRune(text[f.From:f.To], plain.Opaque)
	case f.Date.Sure || partOfWord(text, f):
		return false
	}
	raw := text[f.From:f.To]
	whole := strings.TrimLeft(strings.FieldsFunc(raw, func(r rune) bool { return r == '.' || r == ',' })[0], "0")
	if strings.ContainsAny(raw, " '") || w.hasRead && f.Date.None() && strings.ContainsAny(raw, ".,") && whole != "" {
		return true
	}
	const longestFigure = 9 // longer ones without groups are telephone numbers and identifiers
	return len(whole) > 3 && len(whole) <= longestFigure && !aloneBetweenCommas(text, f)
}

// partOfWord reports whether a number is part of something longer, such as "#ff8800", "v1.2.3", "10.0.0.1" or
// "555-35-35".
func partOfWord(text string, f literal.Figure) bool {
	end, raw := len(text), text[f.From:f.To]
	if space := strings.IndexByte(text[f.To:], ' '); space >= 0 {
		end = f.To + space
	}
	rest := text[strings.LastIndexByte(text[:f.From], ' ')+1:f.From] + text[f.To:end]
	return strings.ContainsFunc(rest, func(r rune) bool { return plain.LetterOrDigit(r) || strings.ContainsRune("#_/@:\\=&", r) }) ||
		strings.Count(raw, ".") > 1 && !literal.InGroups(raw)
}

// aloneBetweenCommas reports whether a number stands alone between commas, or between a comma and the start or end of
// the text, as a postcode in an address does.
func aloneBetweenCommas(text string, f literal.Figure) bool {
	before, after := strings.TrimRight(text[:f.Start], " "), strings.TrimLeft(text[f.End:], " ")
	return (before == "" || strings.HasSuffix(before, ",")) && (after == "" || strings.HasPrefix(after, ",")) && before+after != ""
}
