package redact

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// set is a set of bytes.
type set [256]bool

func setOf(members string) (s set) {
	for i := range len(members) {
		s[members[i]] = true
	}
	return s
}

const alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

var (
	wordBytes   = setOf(alphanumeric)
	hexBytes    = setOf("0123456789ABCDEFabcdef")
	digitBytes  = setOf("0123456789")
	nameBytes   = setOf(alphanumeric + "_-")
	base64Bytes = setOf(alphanumeric + "+/_-")
	tokenBytes  = setOf(alphanumeric + "._~+/=-")
	spaceBytes  = setOf(" \t\r\n\v\f")
	// Where the part of an address that has a user and a password ends, if it has one.
	authorityEnds = setOf("/?# \t\r\n\"'<>`|\\")
)

// ours is how the keys that this service makes begin. Of the wholeLength characters after it the first publicLength are no
// secret: they are shown to tell keys apart.
const (
	ours         = "sk-org-"
	publicLength = 12
	wholeLength  = 61
)

// issued are how secrets begin that say so themselves, and how many characters of which kind follow at least.
var issued = []struct {
	prefix string
	least  int
	of     *set
}{
	{"sk-", 20, &nameBytes}, // OpenAI, Anthropic, DeepSeek, OpenRouter and all who copy them
	{"csk-", 20, &nameBytes},
	{"xai-", 20, &nameBytes},
	{"pplx-", 20, &nameBytes},
	{"nvapi-", 20, &nameBytes},
	{"gsk_", 20, &nameBytes},
	{"hf_", 20, &nameBytes},
	{"AIza", 30, &nameBytes}, // Google
	{"AQVN", 30, &nameBytes}, // Yandex
	{"whsec_", 16, &tokenBytes},
}

// issuedFirst are the first bytes of the prefixes above.
var issuedFirst = func() (s set) {
	for _, form := range issued {
		s[form.prefix[0]] = true
	}
	return s
}()

const (
	// The upstream's tokens are 40 hexadecimal digits. Some stand before them where what is before was escaped or glued on;
	// 64 is a SHA-256, which is no secret.
	leastHex, mostHex = 40, 63
	// A master key is 32 bytes in base64: so many characters and one =.
	masterLength = 43
	leastBearer  = 16
	leastBasic   = 8
	leastJWTPart = 8
)

// scanner goes through a text by words, which are runs of letters and digits of ASCII.
type scanner struct {
	text       string
	start, end int // the word
	wordEnd    int // of the last word that was found: a secret may end within it
	floor      int // where the last secret ended
	noJWT      int // before this offset no JWT begins
}

// next finds the next word. What an escape of JSON or of an address leaves at a word's beginning is no part of it.
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
		s.wordEnd = s.run(at, &wordBytes)
	}
	s.end = s.wordEnd
	if s.start > 0 {
		switch before, word := s.text[s.start-1], s.text[s.start:s.end]; {
		case before == '\\' && strings.IndexByte("bfnrt", word[0]) >= 0:
			s.start++
		case before == '\\' && len(word) > 4 && word[0] == 'u' && s.run(s.start+1, &hexBytes) > s.start+4:
			s.start += 5
		case before == '%' && len(word) > 2 && hexBytes[word[0]] && hexBytes[word[1]]:
			s.start += 2
		}
	}
	return true
}

// secret finds the secret that begins in the word.
func (s *scanner) secret() (from, to int, found bool) {
	word := s.text[s.start:s.end]
	if word == "" {
		return 0, 0, false
	}
	if from, to, found = s.key(word); found {
		return from, to, true
	}
	if len(word) >= leastHex {
		if from, to, found = s.hex(); found {
			return from, to, true
		}
	}
	if to, found = s.issued(); found {
		return s.start, to, true
	}
	switch {
	case len(word) == len("bearer") && strings.EqualFold(word, "bearer"):
		return s.bearer()
	case len(word) == len("basic") && strings.EqualFold(word, "basic"):
		return s.basic()
	case strings.HasPrefix(word, "eyJ"):
		return s.jwt()
	case strings.HasPrefix(s.text[s.end:], "://"):
		return s.password()
	}
	return s.master()
}

// key finds a key of ours, whole or cut, also with other text glued to its beginning.
func (s *scanner) key(word string) (from, to int, found bool) {
	if !strings.HasSuffix(word, "sk") {
		return 0, 0, false
	}
	from = s.end - len("sk")
	after, ok := s.follows(from, ours)
	if !ok {
		return 0, 0, false
	}
	to = min(s.run(after, &wordBytes), after+wholeLength)
	return from, to, to-after > publicLength
}

// follows reports whether the prefix stands there, its signs perhaps escaped as in addresses, and where it ends.
func (s *scanner) follows(at int, prefix string) (int, bool) {
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

// run is where the bytes of a set that begin there end.
func (s *scanner) run(at int, of *set) int {
	for at < len(s.text) && of[s.text[at]] {
		at++
	}
	return at
}

// hex finds an upstream's token in the word. Fewer than two letters are a number.
func (s *scanner) hex() (from, to int, found bool) {
	for at := s.start; at < s.end; at++ {
		from = at
		at = s.run(at, &hexBytes)
		if n := at - from; n < leastHex || n > mostHex {
			continue
		}
		letters := 0
		for i := from; i < at && letters < 2; i++ {
			if !digitBytes[s.text[i]] {
				letters++
			}
		}
		if letters == 2 {
			return from, at, true
		}
	}
	return 0, 0, false
}

func (s *scanner) issued() (to int, found bool) {
	if !issuedFirst[s.text[s.start]] {
		return 0, false
	}
	if _, shown := s.follows(s.start, ours); shown {
		return 0, false // only what is public of it, or key would have found it
	}
	for _, form := range issued {
		if after, ok := s.follows(s.start, form.prefix); ok {
			if to = s.run(after, form.of); to-after >= form.least {
				return to, true
			}
		}
	}
	return 0, false
}

// bearer finds the word and the credential after it.
func (s *scanner) bearer() (from, to int, found bool) {
	if from = s.credential(); from == s.end {
		return 0, 0, false
	}
	to = s.run(from, &tokenBytes)
	return s.start, to, to-from >= leastBearer
}

// basic finds the word and the login and password after it, as HTTP writes them.
func (s *scanner) basic() (from, to int, found bool) {
	if from = s.credential(); from == s.end {
		return 0, 0, false
	}
	to = s.run(from, &base64Bytes)
	if to-from < leastBasic {
		return 0, 0, false
	}
	decoded, err := base64.RawStdEncoding.DecodeString(inStandard.Replace(s.text[from:to]))
	if err != nil || !utf8.Valid(decoded) || !strings.Contains(string(decoded), ":") {
		return 0, 0, false
	}
	for to < len(s.text) && s.text[to] == '=' {
		to++
	}
	return s.start, to, true
}

// inStandard writes the base64 of addresses as that of HTTP.
var inStandard = strings.NewReplacer("-", "+", "_", "/")

// credential is where the word after this one begins.
func (s *scanner) credential() int {
	at := s.end
	for {
		after := s.run(at, &spaceBytes)
		if strings.HasPrefix(s.text[after:], "%20") {
			after += len("%20")
		}
		if after == at {
			return at
		}
		at = after
	}
}

// jwt finds three parts of base64 with points between.
func (s *scanner) jwt() (from, to int, found bool) {
	if s.start < s.noJWT {
		return 0, 0, false
	}
	at := s.start
	for part := range 3 {
		to = s.run(at, &nameBytes)
		if part == 0 {
			s.noJWT = to
		}
		if to-at < leastJWTPart || part < 2 && !strings.HasPrefix(s.text[to:], ".") {
			return 0, 0, false
		}
		at = to + 1
	}
	return s.start, to, true
}

// password finds what stands between a user and an @ in an address.
func (s *scanner) password() (from, to int, found bool) {
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

// master finds a master key. It looks no further than one is long.
func (s *scanner) master() (from, to int, found bool) {
	for from = s.start; from > s.floor && base64Bytes[s.text[from-1]]; from-- {
		if wordBytes[s.text[from-1]] || s.start-from > masterLength {
			return 0, 0, false // a word before this one would be its beginning
		}
	}
	for to = s.start; to < len(s.text) && to-from <= masterLength && base64Bytes[s.text[to]]; {
		to++
	}
	if to-from != masterLength || !strings.HasPrefix(s.text[to:], "=") {
		return 0, 0, false
	}
	after := s.text[to+1:]
	return from, to + 1, after == "" || after[0] != '=' && !wordBytes[after[0]]
}
