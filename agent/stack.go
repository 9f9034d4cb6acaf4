package agent

// stackBytes is what most questions take of a goroutine's stack, SQLite's statements and JSON most of it.
const stackBytes = 14 << 10

// growStack lets the calling goroutine's stack grow to that size at once, while there is little on it. It would grow by
// doubling else, and be copied with all that is on it each time.
//
//go:noinline
func growStack() {
	var room [stackBytes]byte
	use(&room)
}

//go:noinline
func use(*[stackBytes]byte) {}
