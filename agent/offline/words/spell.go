package words

// slip reports whether two words differ by one typing error: a letter added, missing or replaced, or two letters exchanged. Both must
// begin alike and have four letters. Unless letters are exchanged, one must have five.
func slip(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	long := len(a) >= 5
	if len(b) < 4 || len(a)-len(b) > 1 || a[0] != b[0] && (a[0] != b[1] || a[1] != b[0]) {
		return false
	}
	for b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return long && len(a) < 2 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}
