package keys

// WithOtherSecret returns a well-formed key with another key's public id.
func WithOtherSecret(shown string) string {
	return withChecksum(shown + randomBase62(secretLength))
}
