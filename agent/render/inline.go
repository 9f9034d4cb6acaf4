package render

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxInline is how many characters of a name are shown; upstream names have been seen to be whole pages.
const maxInline = 200

// Inline makes text of the upstream safe to stand in a line of Markdown or a cell of a table: one line, nothing invisible,
// no markup, no live link.
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
			b.WriteString(deadAddress(text[at[0]:at[1]]))
		}
		text = text[at[1]:]
	}
	line := b.String()
	if blockStart.MatchString(line) {
		line = `\` + line
	}
	return line
}

// blockStart is what would make a heading, a quotation or a list of a line.
var blockStart = regexp.MustCompile(`^(#|>|[-+] )`)

// address is what some renderer would make a live link of by itself, or a diagram an image: without a scheme too, and with
// its slashes escaped. It ends before a backslash, which escapes what comes next.
var address = regexp.MustCompile(
	`(?i)(?:[a-z][a-z0-9+.-]{1,20}://|www\.|(?:javascript|data|mailto|vbscript):)[^\s<>|()\\]+|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/[^\s<>|()\\]*|(?:\\*/){2}[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}[^\s<>|()\\]*`,
)

// findAddress finds the first address. Most texts have none of the marks that each has, which is quickly seen.
func findAddress(text string) []int {
	if !strings.ContainsAny(text, ":/") && !strings.Contains(strings.ToLower(text), "www.") {
		return nil
	}
	return address.FindStringIndex(text)
}

// deadAddress shows an address as code, in which nothing is live.
func deadAddress(address string) string {
	return "`" + strings.ReplaceAll(address, "`", "") + "`"
}

// Defuse makes Markdown that somebody else wrote harmless to show: nothing invisible, no HTML, and no link or image but to
// the upstream's own pages. Other markup stays.
func Defuse(markdown string) string {
	markdown = htmlStart.ReplaceAllString(Visible(markdown), "&lt;$1")
	if findAddress(markdown) != nil {
		markdown = deadAddresses(withoutTicks(markdown))
	}
	return linkJoint.ReplaceAllStringFunc(markdown, func(joint string) string {
		if bracket := strings.IndexByte(joint, ']'); bracket%2 == 0 { // an odd number of backslashes escapes the bracket
			return joint[:bracket+1] + " " + joint[bracket+1:]
		}
		return joint
	})
}

// deadAddresses puts addresses between backticks. A backslash that would escape the first of them goes.
func deadAddresses(text string) string {
	var b strings.Builder
	end := 0
	for _, at := range address.FindAllStringIndex(text, -1) {
		before, found := text[end:at[0]], text[at[0]:at[1]]
		end = at[1]
		if upstreamPage.MatchString(found) {
			b.WriteString(before + found)
			continue
		}
		backslashes := len(before) - len(strings.TrimRight(before, `\`))
		b.WriteString(before[:len(before)-backslashes%2] + deadAddress(found))
	}
	return b.String() + text[end:]
}

// withoutTicks removes backticks, and of the backslashes before each the one that escaped it: it would escape another.
func withoutTicks(markdown string) string {
	return tick.ReplaceAllStringFunc(markdown, func(found string) string {
		backslashes := len(found) - 1
		return found[:backslashes-backslashes%2]
	})
}

var (
	tick         = regexp.MustCompile("\\\\*`")
	upstreamPage = regexp.MustCompile(`^https://online\.moysklad\.ru/[A-Za-z0-9/#?&=_.-]*$`)
	linkJoint    = regexp.MustCompile(`\\*\][(\[:]`)
	htmlStart    = regexp.MustCompile(`<([A-Za-z/!?])`)
)

func escape(b *strings.Builder, text string) {
	previous := ' '
	for i, r := range text {
		next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		switch {
		case r == '<' && (unicode.IsLetter(next) || strings.ContainsRune("/!?", next)):
			b.WriteString("&lt;")
		case strings.ContainsRune("\\|*`[]~", r),
			r == '_' && (!wordRune(previous) || !wordRune(next)),
			r == '&' && (next == '#' || unicode.IsLetter(next)):
			b.WriteRune('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		previous = r
	}
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Visible removes what a reader cannot see and a model or a terminal obeys: control, bidi, zero-width and tag characters.
// Line ends and tabs stay.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case ' ' <= r && r < 0x7f, 'А' <= r && r <= 'я', r == '\n', r == '\t':
			return r
		case r == '\u2028' || r == '\u2029' || r == '\u0085':
			return '\n'
		case unseen(r):
			return -1
		}
		return r
	}, text)
}

func unseen(r rune) bool {
	switch {
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs):
		return true
	case r == utf8.RuneError, r >= 0xFFF0 && r <= 0xFFFB:
		return true
	case r == '\u034f', r == '\u115f', r == '\u1160', r == '\u3164', r == '\uffa0', r == '\u17b4', r == '\u17b5':
		return true // fillers and joiners of other categories
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0000 && r <= 0xE0FFF, r >= 0x180B && r <= 0x180F:
		return true // variation selectors and the tag block
	}
	return false
}
