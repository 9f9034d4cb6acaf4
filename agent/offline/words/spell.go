package words

// Slip reports whether two words differ by one typing error: a letter added, missing or replaced, or two letters exchanged. Both must
// begin alike, and one must have five letters or more.
func Slip(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a) == 4 && len(b) == 4 { // words of four letters: only exchanged letters count
		return a[1] != a[2] && a == b[:1]+b[2:3]+b[1:2]+b[3:]
	}
	if len(a) < 5 || len(b) < 4 || len(a)-len(b) > 1 || a[0] != b[0] && (a[0] != b[1] || a[1] != b[0]) {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	switch {
	case i == len(b):
		return true
	case len(a) > len(b):
		return a[i+1:] == b[i:]
	case a[i+1:] == b[i+1:]:
		return true
	}
	return i+1 < len(b) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
