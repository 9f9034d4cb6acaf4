package redact

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

type byteSet [256]bool

func newByteSet(members string) (s byteSet) {
	for i := range len(members) {
		s[members[i]] = true
	}
	return s
}

const alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

var (
	wordBytes   = newByteSet(alphanumeric)
	hexBytes    = newByteSet("0123456789ABCDEFabcdef")
	digitBytes  = newByteSet("0123456789")
	upperBytes  = newByteSet("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	nameBytes   = newByteSet(alphanumeric + "_-")
	base64Bytes = newByteSet(alphanumeric + "+/_-")
	tokenBytes  = newByteSet(alphanumeric + "._~+/=-")
	spaceBytes  = newByteSet(" \t\r\n\v\f")
	// In a URL, one of these bytes ends the part that contains user, password and host.
	authorityEnds = newByteSet("/?# \t\r\n\"'<>`|\\")
)

// This service's keys begin with ownKeyPrefix, and ownKeyLength characters follow. The first ownPublicLength of them are
// not secret: the console shows them to tell keys apart.
const (
	ownKeyPrefix    = "sk-org-"
	ownPublicLength = 12
	ownKeyLength    = 61
)

// issuedForms are the secrets that begin with a known prefix. At least `least` characters of the kind `of` must follow the
// prefix.
var issuedForms = []struct {
	prefix string
	least  int
	of     *byteSet
}{
	{"sk-", 20, &nameBytes}, // OpenAI, Anthropic, DeepSeek, OpenRouter and others
	{"csk-", 20, &nameBytes},
	{"xai-", 20, &nameBytes},
	{"pplx-", 20, &nameBytes},
	{"nvapi-", 20, &nameBytes},
	{"gsk_", 20, &nameBytes},
	{"hf_", 20, &nameBytes},
	{"AIza", 30, &nameBytes}, // Google
	{"GOCSPX-", 28, &nameBytes},
	{"AQVN", 30, &nameBytes}, // Yandex
	{"y0_", 30, &nameBytes},
	{"whsec_", 16, &tokenBytes},
	{"ghp_", 36, &wordBytes}, // GitHub
	{"gho_", 36, &wordBytes},
	{"ghu_", 36, &wordBytes},
	{"ghs_", 36, &wordBytes},
	{"ghr_", 36, &wordBytes},
	{"github_pat_", 36, &nameBytes},
	{"glpat-", 20, &nameBytes}, // GitLab
	{"gldt-", 20, &nameBytes},
	{"glrt-", 20, &nameBytes},
	{"glptt-", 20, &nameBytes},
	{"xoxb-", 20, &nameBytes}, // Slack
	{"xoxp-", 20, &nameBytes},
	{"xapp-", 20, &nameBytes},
	{"sk_live_", 16, &wordBytes}, // Stripe
	{"sk_test_", 16, &wordBytes},
	{"rk_live_", 16, &wordBytes},
	{"rk_test_", 16, &wordBytes},
	{"SG.", 60, &tokenBytes}, // SendGrid
	{"npm_", 36, &wordBytes},
	{"dop_v1_", 64, &hexBytes}, // DigitalOcean
	{"shpat_", 32, &hexBytes},  // Shopify
}

var issuedFirstBytes = func() (s byteSet) {
	for _, form := range issuedForms {
		s[form.prefix[0]] = true
	}
	return s
}()

const (
	// Upstream tokens are 40 hexadecimal digits. Longer runs also count as tokens, because digits of an escape or of other
	// text may directly precede or follow one. A run of 64 digits does not: it is a SHA-256.
	minTokenLength, maxTokenLength = 40, 63
	// A master key is 32 bytes in base64: this many characters and "=".
	masterKeyLength = 43
	// An AWS access key is a word of capitals and digits that begins with AKIA or ASIA.
	awsKeyLength    = 20
	minBearerLength = 16
	minBasicLength  = 8
	minJWTPart      = 8
)

// scanner goes through a text word by word. A word is a run of ASCII letters and digits.
type scanner struct {
	text       string
	start, end int // the current word
	wordEnd    int // the end of the last word found; a secret may end inside that word
	floor      int // the end of the last secret; the next one begins after it
	noJWT      int // no JWT begins before this offset
}

// next moves to the next word, and skips the part of it that belongs to a JSON or URL escape.
func (s *scanner) next() bool {
	at := s.end
	for at < len(s.text) && !wordBytes[s.text[at]] {
		at++
	}
	if at == len(s.text) {
		return false
	}
	s.start = at
	if at >= s.wordEnd {
		s.wordEnd = s.runEnd(at, &wordBytes)
	}
	s.end = s.wordEnd
	if s.start > 0 {
		switch before, word := s.text[s.start-1], s.text[s.start:s.end]; {
		case before == '\\' && strings.IndexByte("bfnrt", word[0]) >= 0:
			s.start++
		case before == '\\' && len(word) > 4 && word[0] == 'u' && s.runEnd(s.start+1, &hexBytes) > s.start+4:
			s.start += 5
		case before == '%' && len(word) > 2 && hexBytes[word[0]] && hexBytes[word[1]]:
			s.start += 2
		}
	}
	return true
}

// secretHere finds a secret that begins in the current word.
func (s *scanner) secretHere() (from, to int, found bool) {
	word := s.text[s.start:s.end]
	if word == "" {
		return 0, 0, false
	}
	if from, to, found = s.ownKey(word); found {
		return from, to, true
	}
	if len(word) >= minTokenLength {
		if from, to, found = s.upstreamToken(); found {
			return from, to, true
		}
	}
	if to, found = s.issuedSecret(); found {
		return s.start, to, true
	}
	switch {
	case len(word) == len("bearer") && strings.EqualFold(word, "bearer"):
		return s.bearer()
	case len(word) == len("basic") && strings.EqualFold(word, "basic"):
		return s.basic()
	case len(word) == awsKeyLength && (strings.HasPrefix(word, "AKIA") || strings.HasPrefix(word, "ASIA")):
		return s.start, s.end, s.runEnd(s.start, &upperBytes) == s.end
	case strings.HasPrefix(word, "eyJ"):
		return s.jwt()
	case strings.HasPrefix(s.text[s.end:], "://"):
		return s.urlPassword()
	}
	return s.masterKey()
}

// ownKey finds one of this service's keys, complete or cut off, even if other text directly precedes it.
func (s *scanner) ownKey(word string) (from, to int, found bool) {
	if !strings.HasSuffix(word, "sk") {
		return 0, 0, false
	}
	from = s.end - len("sk")
	after, ok := s.matchPrefix(from, ownKeyPrefix)
	if !ok {
		return 0, 0, false
	}
	to = min(s.runEnd(after, &wordBytes), after+ownKeyLength)
	return from, to, to-after > ownPublicLength
}

// matchPrefix reports whether the prefix is at the offset, possibly URL-encoded, and returns where it ends.
func (s *scanner) matchPrefix(at int, prefix string) (int, bool) {
	for i := range len(prefix) {
		rest := s.text[at:]
		switch c := prefix[i]; {
		case rest != "" && rest[0] == c:
			at++
		case len(rest) > 2 && (c == '-' && strings.EqualFold(rest[:3], "%2d") || c == '_' && strings.EqualFold(rest[:3], "%5f")):
			at += 3
		default:
			return 0, false
		}
	}
	return at, true
}

// runEnd returns the end of the run of bytes from the set that begins at the offset.
func (s *scanner) runEnd(at int, of *byteSet) int {
	for at < len(s.text) && of[s.text[at]] {
		at++
	}
	return at
}

// upstreamToken finds an upstream token in the word.
func (s *scanner) upstreamToken() (from, to int, found bool) {
	for at := s.start; at < s.end; at++ {
		from = at
		at = s.runEnd(at, &hexBytes)
		if isUpstreamToken(s.text[from:at]) {
			return from, at, true
		}
	}
	return 0, 0, false
}

// isUpstreamToken reports whether a run of hexadecimal digits can be an upstream token. A run with fewer than two letters is
// taken for a number.
func isUpstreamToken(run string) bool {
	if len(run) < minTokenLength || len(run) > maxTokenLength {
		return false
	}
	letters := 0
	for i := range len(run) {
		if !digitBytes[run[i]] {
			letters++
		}
	}
	return letters > 1
}

func (s *scanner) issuedSecret() (to int, found bool) {
	if !issuedFirstBytes[s.text[s.start]] {
		return 0, false
	}
	if _, shown := s.matchPrefix(s.start, ownKeyPrefix); shown {
		return 0, false // a key's public part, which may be shown; ownKey did not find a longer one
	}
	for _, form := range issuedForms {
		if after, ok := s.matchPrefix(s.start, form.prefix); ok {
			if to = s.runEnd(after, form.of); to-after >= form.least {
				return to, true
			}
		}
	}
	return 0, false
}

// bearer finds "bearer" followed by a credential.
func (s *scanner) bearer() (from, to int, found bool) {
	if from = s.credential(); from == s.end {
		return 0, 0, false
	}
	to = s.runEnd(from, &tokenBytes)
	return s.start, to, to-from >= minBearerLength
}

// basic finds "basic" followed by login and password in base64, as in HTTP.
func (s *scanner) basic() (from, to int, found bool) {
	if from = s.credential(); from == s.end {
		return 0, 0, false
	}
	to = s.runEnd(from, &base64Bytes)
	if to-from < minBasicLength {
		return 0, 0, false
	}
	decoded, err := base64.RawStdEncoding.DecodeString(toStdBase64.Replace(s.text[from:to]))
	if err != nil || !utf8.Valid(decoded) || !strings.Contains(string(decoded), ":") {
		return 0, 0, false
	}
	for to < len(s.text) && s.text[to] == '=' {
		to++
	}
	return s.start, to, true
}

// toStdBase64 turns URL-safe base64 into the standard alphabet.
var toStdBase64 = strings.NewReplacer("-", "+", "_", "/")

// credential skips the spaces after the word and returns where the credential starts.
func (s *scanner) credential() int {
	at := s.end
	for {
		after := s.runEnd(at, &spaceBytes)
		if strings.HasPrefix(s.text[after:], "%20") {
			after += len("%20")
		}
		if after == at {
			return at
		}
		at = after
	}
}

// jwt finds three base64 parts with dots between them.
func (s *scanner) jwt() (from, to int, found bool) {
	if s.start < s.noJWT {
		return 0, 0, false
	}
	at := s.start
	for part := range 3 {
		to = s.runEnd(at, &nameBytes)
		if part == 0 {
			s.noJWT = to
		}
		if to-at < minJWTPart || part < 2 && !strings.HasPrefix(s.text[to:], ".") {
			return 0, 0, false
		}
		at = to + 1
	}
	return s.start, to, true
}

// urlPassword finds the password before the @ of a URL.
func (s *scanner) urlPassword() (from, to int, found bool) {
	begin := s.end + len("://")
	end := begin
	for end < len(s.text) && !authorityEnds[s.text[end]] {
		end++
	}
	authority := s.text[begin:end]
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return 0, 0, false
	}
	colon := strings.IndexByte(authority[:at], ':')
	if colon < 0 || colon+1 == at {
		return 0, 0, false
	}
	return begin + colon + 1, begin + at, true
}

// masterKey finds a master key. It reads no more characters than a master key has.
func (s *scanner) masterKey() (from, to int, found bool) {
	for from = s.start; from > s.floor && base64Bytes[s.text[from-1]]; from-- {
		if wordBytes[s.text[from-1]] || s.start-from > masterKeyLength {
			return 0, 0, false // an earlier word would have been the beginning
		}
	}
	for to = s.start; to < len(s.text) && to-from <= masterKeyLength && base64Bytes[s.text[to]]; {
		to++
	}
	if to-from != masterKeyLength || !strings.HasPrefix(s.text[to:], "=") {
		return 0, 0, false
	}
	after := s.text[to+1:]
	return from, to + 1, after == "" || after[0] != '=' && !wordBytes[after[0]]
}
