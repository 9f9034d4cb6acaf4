package keys

// WithOtherSecret is a well-formed key with the prefix of another.
func WithOtherSecret(shown string) string {
	return withChecksum(shown + randomBase62(secretLength))
}
