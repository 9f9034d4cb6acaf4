package moysklad

import (
	"fmt"
	"hash/maphash"
)

// keyed is a row with a key that is unique in its list, so that the row can be recognized. The key is empty if this row
// has no identity.
type keyed interface{ key() string }

// tally checks that a list read page by page is complete, although others may change it meanwhile. The rows have a fixed
// order, and each page after the first begins one row early, with a row that was read before. So no row can be missing
// between the pages. If a page begins with another row, rows were removed and the later ones moved forward; then the
// tally goes back by a page. Rows that come again are dropped. Rows that are added meanwhile may be missing, but rows
// that exist from beginning to end never are.
//
// In an order other than by id, a row can also move, for example because it is renamed. If it moves to a page that was
// read before while another row is removed, nothing shows it. So if such a list changes, it is read once more; then a
// row is missing only if it moves in both readings.
//
// Rows of a type without keys cannot be recognized. Their pages do not overlap, and the size of the list must not change.
type tally struct {
	path    string
	overlap int  // how many rows early a page begins
	size    *int // number of rows in the whole list, as last reported by the upstream
	next    int  // number of the row after the last one read
	longest int  // rows of the longest page
	changes int  // how often the list was seen to have changed
	seed    maphash.Seed
	seen    map[uint64]struct{} // keys of the rows so far, hashed
	keyless int                 // number of rows so far without a key
	moving  bool                // the list is not in order of id
	first   map[uint64]struct{} // keys of the first reading, during a second one
}

// maxChanges is how often a list may change while it is read.
const maxChanges = 20

func newTally[T any](path string, moving bool) *tally {
	t := &tally{path: path, moving: moving, seed: maphash.MakeSeed(), seen: map[uint64]struct{}{}}
	if _, ok := any(new(T)).(keyed); ok {
		t.overlap = 1
	}
	return t
}

func (t *tally) complete() bool { return t.size != nil && t.next >= *t.size }

// offset returns the number of the row with which the next page begins.
func (t *tally) offset() int { return max(0, t.next-t.overlap) }

// addPage adds the page that begins at t.offset. It returns the rows that have not come before, in place of the page's rows.
// The error wraps [ErrIncomplete].
func addPage[T any](t *tally, p page[T]) (fresh []T, err error) {
	if err := t.resize(p.Meta.Size); err != nil {
		return nil, err
	}
	begin := t.offset()
	if begin > 0 && t.overlap > 0 && (len(p.Rows) == 0 || !t.has(keyOf(&p.Rows[0]))) {
		return nil, t.goBack()
	}
	end := begin + len(p.Rows)
	if end > *t.size || end < *t.size && end <= t.next {
		return nil, t.incomplete(fmt.Sprintf("%d rows of %d came", end, *t.size))
	}
	t.next, t.longest = end, max(t.longest, len(p.Rows))
	fresh = p.Rows[:0]
	for i := range p.Rows {
		if t.add(keyOf(&p.Rows[i])) {
			fresh = append(fresh, p.Rows[i])
		}
	}
	switch read := len(t.seen) + t.keyless; {
	case !t.complete():
	case t.changes == 0 && read != *t.size:
		return nil, t.incomplete(fmt.Sprintf("some rows came twice, and only %d of %d came", read, *t.size))
	case t.changes > 0 && t.moving && t.first == nil:
		return fresh, t.readAgain()
	}
	return fresh, nil
}

// readAgain begins the second reading.
func (t *tally) readAgain() error {
	if t.keyless > 0 { // a row without a key would count twice
		return t.incomplete("it changed while it was read")
	}
	t.first, t.seen, t.next, t.changes = t.seen, map[uint64]struct{}{}, 0, 0
	return nil
}

// keyOf returns the key of a row, or "" if it has none.
func keyOf(row any) string {
	if k, ok := row.(keyed); ok {
		return k.key()
	}
	return ""
}

// resize records the number of rows.
func (t *tally) resize(size *int) error {
	if size == nil {
		return t.incomplete("the upstream does not say how many rows there are")
	}
	if t.size != nil && *size != *t.size {
		if t.changes++; t.changes > maxChanges || t.overlap == 0 {
			return t.incomplete(fmt.Sprintf("it had %d rows, then %d", *t.size, *size))
		}
	}
	t.size = size
	return nil
}

// goBack makes the next page begin a page earlier.
func (t *tally) goBack() error {
	if t.changes++; t.changes > maxChanges || t.keyless > 0 { // a row without a key would count twice
		return t.incomplete("rows were removed while it was read")
	}
	t.next = max(0, min(t.next, *t.size)-t.longest)
	return nil
}

func (t *tally) has(key string) bool {
	_, known := t.seen[maphash.String(t.seed, key)]
	return known
}

// add adds a row by its key, and reports whether the row is new. A row without a key is always new.
func (t *tally) add(key string) bool {
	if key == "" {
		t.keyless++
		return true
	}
	hash := maphash.String(t.seed, key)
	_, again := t.seen[hash]
	_, before := t.first[hash]
	t.seen[hash] = struct{}{}
	return !again && !before
}

func (t *tally) incomplete(why string) error {
	return fmt.Errorf("%s: %w: %s", t.path, ErrIncomplete, why)
}
