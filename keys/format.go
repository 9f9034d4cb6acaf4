package keys

import (
	"crypto/rand"
	"hash/crc32"
	"regexp"

	"github.com/kopeck/kopeck/keys/redact"
)

// A key reads sk-org-, 12 characters by which it is found, 43 of secret (256 bits), 6 of checksum over all before them.
const (
	prefix         = "sk-org-"
	publicLength   = 12
	secretLength   = 43
	checksumLength = 6
	keyLength      = len(prefix) + publicLength + secretLength + checksumLength
)

// Pattern matches keys in any text. Whoever prints or keeps text that is not ours can take keys out with it.
var Pattern = regexp.MustCompile(prefix + `[0-9A-Za-z]{61}`)

// withoutKeys replaces by null the API keys that are values of JSON, and so the secrets that webhooks' messages are signed
// with: a secret is never shown a second time. What else is secret is redacted.
func withoutKeys(body []byte) []byte {
	return redact.Bytes(quoted.ReplaceAll(body, []byte("null")))
}

var quoted = regexp.MustCompile(`"(?:` + Pattern.String() + `|whsec_[0-9A-Za-z+/]+=*)"`)

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// newKeyText draws a key.
func newKeyText() (text Secret, publicID string) {
	publicID = randomBase62(publicLength)
	body := prefix + publicID + randomBase62(secretLength)
	return NewSecret(withChecksum(body)), publicID
}

func withChecksum(body string) string {
	sum := checksum([]byte(body))
	return body + string(sum[:])
}

// wellFormed says whether a text may be a key.
func wellFormed(text []byte) bool {
	if len(text) != keyLength || string(text[:len(prefix)]) != prefix || !isBase62(text[len(prefix):]) {
		return false
	}
	body, sum := text[:keyLength-checksumLength], text[keyLength-checksumLength:]
	return checksum(body) == [checksumLength]byte(sum)
}

// publicIDOf takes the public id out of a well-formed key.
func publicIDOf(text string) string { return text[len(prefix) : len(prefix)+publicLength] }

// randomBase62 draws n characters evenly: bytes beyond the last multiple of 62 are thrown away, since folding them back
// would favour some characters.
func randomBase62(n int) string {
	const limit = 256 - 256%len(digits)
	text := make([]byte, 0, n)
	var drawn [64]byte
	for len(text) < n {
		rand.Read(drawn[:]) // never fails: crypto/rand ends the program instead
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
