package keys

import (
	"crypto/rand"
	"hash/crc32"
	"regexp"

	"github.com/kopeck/kopeck/keys/redact"
)

// A key consists of sk-org-, a public id of 12 characters, a secret of 43 characters (256 bits), and a checksum of 6
// characters over all of these.
const (
	prefix         = "sk-org-"
	publicLength   = 12
	secretLength   = 43
	checksumLength = 6
	keyLength      = len(prefix) + publicLength + secretLength + checksumLength
)

// keyPattern matches our API keys in any text.
var keyPattern = regexp.MustCompile(prefix + `[0-9A-Za-z]{61}`)

// withoutNewSecrets replaces every JSON string that is an API key or a webhook's signing secret with null, since these are
// shown only once. It redacts all other secrets.
func withoutNewSecrets(body []byte) []byte {
	return redact.Bytes(quotedSecret.ReplaceAll(body, []byte("null")))
}

var quotedSecret = regexp.MustCompile(`"(?:` + keyPattern.String() + `|whsec_[0-9A-Za-z+/]+=*)"`)

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func newKeyText() (text Secret, publicID string) {
	publicID = randomBase62(publicLength)
	body := prefix + publicID + randomBase62(secretLength)
	return NewSecret(withChecksum(body)), publicID
}

func withChecksum(body string) string {
	sum := checksum([]byte(body))
	return body + string(sum[:])
}

// wellFormed reports whether the text has the form and checksum of a key.
func wellFormed(text []byte) bool {
	if len(text) != keyLength || string(text[:len(prefix)]) != prefix || !isBase62(text[len(prefix):]) {
		return false
	}
	body, sum := text[:keyLength-checksumLength], text[keyLength-checksumLength:]
	return checksum(body) == [checksumLength]byte(sum)
}

// publicPart returns the public id of a well-formed key.
func publicPart(text string) string { return text[len(prefix) : len(prefix)+publicLength] }

// randomBase62 returns n uniformly random characters. It discards bytes above the last multiple of 62, because reducing
// them modulo 62 would favour some characters.
func randomBase62(n int) string {
	const limit = 256 - 256%len(digits)
	text := make([]byte, 0, n)
	var drawn [64]byte
	for len(text) < n {
		rand.Read(drawn[:]) // crypto/rand never returns an error: it ends the program instead
		for _, b := range drawn {
			if int(b) < limit && len(text) < n {
				text = append(text, digits[int(b)%len(digits)])
			}
		}
	}
	return string(text)
}

// checksum is CRC-32 (IEEE) in base62, most significant digit first.
func checksum(body []byte) (text [checksumLength]byte) {
	sum := crc32.ChecksumIEEE(body)
	for i := checksumLength - 1; i >= 0; i-- {
		text[i] = digits[sum%uint32(len(digits))]
		sum /= uint32(len(digits))
	}
	return text
}

func isBase62(text []byte) bool {
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
