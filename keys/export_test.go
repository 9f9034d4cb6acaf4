package keys

// WithOtherSecret returns a well-formed key with the public id of the given key and another secret.
func WithOtherSecret(shown string) string {
	return withChecksum(shown + randomBase62(secretLength))
}
