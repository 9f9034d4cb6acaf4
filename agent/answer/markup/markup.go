// Package markup removes from a model's Markdown what acts by being shown: links, images, HTML, codes of drafts.
package markup

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// Links, images and HTML of a model's own are not written: what loads or sends something by being shown gives figures away.
// An address becomes its host, which is no link by itself and carries nothing; pages of the upstream stay.

// address is what some renderer would make a live link of by itself, or a diagram an image: without a scheme too, and with
// its slashes escaped. What stands at the end of a part counts as well: a value may follow.
var address = regexp.MustCompile(`(?i)(?:[a-z][a-z0-9+.-]{1,20}:/{2}|www\.|(?:javascript|data|mailto|vbscript):)[^\s<>|()]*|` +
	`\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/[^\s<>|()]*|(?:\\*/){2}[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}[^\s<>|()]*|(?i:[a-z]{2,20}:)(?:\\*/){2}[^\s<>|()]*`)

var (
	upstreamPage = regexp.MustCompile(`^https://online\.moysklad\.ru/[A-Za-z0-9/#?&=_.-]*$`)
	hostIn       = regexp.MustCompile(`(?i)^(?:[a-z][a-z0-9+.-]*:)?[\\/]*(?:www\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)`)
)

// Defuse makes a model's Markdown harmless to show. It looks at no more than the text that is given, so that a text which is
// cut at spaces comes out the same. Before is the character that was written last.
func Defuse(before rune, text string) string {
	if before == ']' && text != "" && strings.IndexByte("([:", text[0]) >= 0 {
		text = " " + text
	}
	if !strings.ContainsAny(text, "<]/:") && !containsFold(text, "www.") {
		return text
	}
	text = WithoutAddresses(text)
	if !strings.ContainsAny(text, "<]") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		next := byte(0)
		if i+1 < len(text) {
			next = text[i+1]
		}
		switch {
		case text[i] == '<' && (next == 0 || next == '/' || next == '!' || next == '?' || unicode.IsLetter(rune(next))):
			b.WriteString("&lt;")
		case text[i] == ']' && next != 0 && strings.IndexByte("([:", next) >= 0:
			b.WriteString("] ")
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// WithoutAddresses leaves of each address its host.
func WithoutAddresses(text string) string { return Addressed(text, Host) }

// Addressed puts something in place of each address but those of the upstream's pages.
func Addressed(text string, replace func(address string) string) string {
	if !strings.ContainsAny(text, ":/") && !containsFold(text, "www.") {
		return text
	}
	return address.ReplaceAllStringFunc(text, func(found string) string {
		if upstreamPage.MatchString(found) {
			return found
		}
		return replace(found)
	})
}

// Host is the name of the host of an address, with the punctuation that ends a sentence; empty if it has none.
func Host(address string) string {
	end := ""
	if r, _ := utf8.DecodeLastRuneInString(address); strings.ContainsRune(".,;!?", r) {
		end = string(r)
	}
	host := hostIn.FindStringSubmatch(address)
	if host == nil {
		return end
	}
	return host[1] + end
}

// containsFold reports whether a text has an ASCII word in any case.
func containsFold(text, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// draftKinds begin the codes of drafts; codeAlphabet is of what follows them.
const (
	draftKinds   = "po tr pc gw"
	codeAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"
	codeLength   = len("po-7k3m9x")
)

// IsDraftCode reports whether a plain word, without the punctuation around it, is the code of a draft. Without a digit it must
// have been written in capitals.
func IsDraftCode(word, source string) bool {
	word = latinOf(word)
	if len(word) != codeLength || word[2] != '-' || !strings.Contains(draftKinds, word[:2]) || strings.Trim(word[3:], codeAlphabet) != "" {
		return false
	}
	return strings.ContainsAny(word, "0123456789") || strings.ToUpper(source) == source
}

// latinOf writes the letters that look alike in Latin ones.
func latinOf(word string) string {
	for _, r := range word {
		if r >= 0x80 {
			return strings.Map(func(r rune) rune {
				if latin, ok := plain.ToLatin[r]; ok {
					return latin
				}
				return r
			}, word)
		}
	}
	return word
}
