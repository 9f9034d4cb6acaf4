package keys

import "crypto/subtle"

// WithOtherSecret is a well-formed key with the prefix of another.
func WithOtherSecret(shown string) string {
	body := shown + randomBase62(secretLength)
	return body + checksum(body)
}

// CheckAlone is what [Store.Verify] does beside the look-up.
func (s *Store) CheckAlone(secret string) bool {
	_, ok := publicIDOf(secret)
	return ok && subtle.ConstantTimeCompare(make([]byte, 32), s.digest(secret)) == 1
}
