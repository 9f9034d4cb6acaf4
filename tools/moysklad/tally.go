package moysklad

import (
	"fmt"
	"hash/maphash"
)

// keyed is a row with a key that is unique in its list, so that duplicates can be recognized. The key is empty if rows
// of this kind have no identity.
type keyed interface{ key() string }

// tally checks that a list read page by page is complete, although others may change it meanwhile. If rows are added,
// later rows move back; some come twice and are dropped. If rows are removed, later rows move forward; then the tally
// goes back and reads many rows again. Rows that are added meanwhile may be missing, but rows that exist from beginning
// to end never are. There is one exception, which no reader can notice: one row is removed at the same moment as
// another is added.
type tally struct {
	path  string
	size  *int // number of rows in the whole list, as last reported by the upstream
	next  int  // next row number
	moves int  // how often the size has changed
	spare int  // how many rows may still come twice because of these changes
	seed  maphash.Seed
	seen  map[uint64]struct{} // keys of the rows so far, hashed
}

// maxMoves is how often the size of a list may change while it is read.
const maxMoves = 20

func (t *tally) complete() bool { return t.size != nil && t.next >= *t.size }

// addPage adds the page that was read from row number t.next. It returns the rows that have not come before. The error
// wraps [ErrIncomplete].
func addPage[T any](t *tally, p page[T]) (fresh []T, err error) {
	if again, err := t.resize(p.Meta.Size); again || err != nil {
		return nil, err
	}
	before := t.next
	t.next += len(p.Rows)
	if t.next > *t.size || t.next == before && !t.complete() {
		return nil, t.incomplete(fmt.Sprintf("%d rows of %d came", t.next, *t.size))
	}
	fresh = p.Rows[:0:0]
	for i := range p.Rows {
		key := ""
		if k, ok := any(&p.Rows[i]).(keyed); ok {
			key = k.key()
		}
		switch isNew := key == "" || t.add(key); {
		case isNew:
			fresh = append(fresh, p.Rows[i])
		case t.spare == 0:
			return nil, t.incomplete("a row occurs twice: " + key)
		default:
			t.spare--
		}
	}
	return fresh, nil
}

// resize records the number of rows. If the number has fallen, rows may have been skipped. Then resize returns true:
// the caller discards the page and reads again from t.next, which resize has moved back.
func (t *tally) resize(size *int) (again bool, err error) {
	switch {
	case size == nil:
		return false, t.incomplete("the upstream does not say how many rows there are")
	case t.size == nil:
		t.size, t.seed, t.seen = size, maphash.MakeSeed(), map[uint64]struct{}{}
		return false, nil
	case *size == *t.size:
		return false, nil
	}
	if t.moves++; t.moves > maxMoves || len(t.seen) == 0 { // without keys, duplicates cannot be recognized
		return false, t.incomplete(fmt.Sprintf("it had %d rows, then %d", *t.size, *size))
	}
	grown := *size - *t.size
	t.size = size
	if grown > 0 {
		t.spare += grown
		return false, nil
	}
	back := min(-grown, t.next)
	t.next, t.spare = t.next-back, t.spare+back
	return true, nil
}

// add adds a key and reports whether it is new.
func (t *tally) add(key string) bool {
	hash := maphash.String(t.seed, key)
	if _, known := t.seen[hash]; known {
		return false
	}
	t.seen[hash] = struct{}{}
	return true
}

func (t *tally) incomplete(why string) error {
	return fmt.Errorf("%s: %w: %s", t.path, ErrIncomplete, why)
}
