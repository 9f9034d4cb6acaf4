// Package markup makes a model's Markdown harmless: links, images, HTML, and codes of drafts.
package markup

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// A link or an image could send figures to somebody as soon as it is shown. So links, images and HTML of a model are
// not written. An address is replaced by its host, which is not a link and carries no data. Addresses of MoySklad's
// pages stay.

// address matches everything that a renderer might turn into a link or load as an image of a diagram, even without a
// scheme or with escaped slashes. It also matches a scheme or host with nothing after it, because a value may follow.
var address = regexp.MustCompile(`(?i)(?:[a-z][a-z0-9+.-]{1,20}:/{2}|www\.|(?:javascript|data|mailto|vbscript):)[^\s<>|()]*|` +
	`\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/[^\s<>|()]*|(?:\\*/){2}[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}[^\s<>|()]*|(?i:[a-z]{2,20}:)(?:\\*/){2}[^\s<>|()]*`)

var (
	upstreamPage = regexp.MustCompile(`^https://online\.moysklad\.ru/[A-Za-z0-9/#?&=_.-]*$`)
	hostIn       = regexp.MustCompile(`(?i)^(?:[a-z][a-z0-9+.-]*:)?[\\/]*(?:www\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)`)
)

// Defuse makes a model's Markdown harmless to show. It only looks at the given text, so a text that is cut at spaces
// gives the same result. before is the character written last.
func Defuse(before rune, text string) string {
	if before == ']' && text != "" && strings.IndexByte("([:", text[0]) >= 0 {
		text = " " + text
	}
	if !strings.ContainsAny(text, "<]/:") && !strings.Contains(strings.ToLower(text), "www.") {
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

// WithoutAddresses replaces each address by its host.
func WithoutAddresses(text string) string { return ReplaceAddresses(text, Host) }

// ReplaceAddresses replaces each address, except those of the upstream's pages.
func ReplaceAddresses(text string, replace func(address string) string) string {
	if !strings.ContainsAny(text, ":/") && !strings.Contains(strings.ToLower(text), "www.") {
		return text
	}
	return address.ReplaceAllStringFunc(text, func(found string) string {
		if upstreamPage.MatchString(found) {
			return found
		}
		return replace(found)
	})
}

// Host returns the host of an address, followed by the punctuation that ends the address; without a host only the
// punctuation.
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

// draftKinds are the beginnings of drafts' codes; codeAlphabet has the characters of the rest.
const (
	draftKinds   = "po tr pc gw"
	codeAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"
	codeLength   = len("po-7k3m9x")
)

// IsDraftCode reports whether a plain word, without punctuation around it, is the code of a draft. A code without
// digits must be in capitals.
func IsDraftCode(word, source string) bool {
	word = latinOf(word)
	if len(word) != codeLength || word[2] != '-' || !strings.Contains(draftKinds, word[:2]) || strings.Trim(word[3:], codeAlphabet) != "" {
		return false
	}
	return strings.ContainsAny(word, "0123456789") || strings.ToUpper(source) == source
}

// latinOf replaces Cyrillic letters by Latin ones that look alike.
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
