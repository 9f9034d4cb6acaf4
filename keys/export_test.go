package keys

// WithOtherSecret is a well-formed key with the prefix of another.
func WithOtherSecret(shown string) string {
	body := shown + randomBase62(secretLength)
	return body + checksum(body)
}
