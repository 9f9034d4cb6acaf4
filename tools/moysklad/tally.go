package moysklad

import (
	"fmt"
	"hash/maphash"
)

// keyed is a row that can be told from every other row of its list, so that one that came twice is noticed. The key is
// empty where rows have no identity.
type keyed interface{ key() string }

// tally holds a list that is read by numbers of rows against what the upstream says there are, while others change it.
// Rows that are added push later ones on: some come twice, and are dropped. Rows that are removed let later ones slip
// past: so many are read again. What came in meanwhile may be missing, what was there from the beginning to the end never
// is; except that a row that leaves in the moment in which another one comes cannot be noticed by any reader.
type tally struct {
	path  string
	size  *int // of the whole list, as the upstream last said
	next  int  // number of the next row
	moves int  // how often the list changed meanwhile
	spare int  // how many rows may yet come twice because of that
	seed  maphash.Seed
	seen  map[uint64]struct{} // keys of the rows so far, hashed
}

// mostMoves is how often a list may change while it is read.
const mostMoves = 20

func (t *tally) complete() bool { return t.size != nil && t.next >= *t.size }

// admit takes the page into account that was read from row t.next, and gives those of its rows that are new. The error
// wraps [ErrIncomplete].
func admit[T any](t *tally, p page[T]) (fresh []T, err error) {
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
		switch isNew := key == "" || t.see(key); {
		case isNew:
			fresh = append(fresh, p.Rows[i])
		case t.spare == 0:
			return nil, t.incomplete("a row came twice: " + key)
		default:
			t.spare--
		}
	}
	return fresh, nil
}

// resize takes up how many rows there are. When there are fewer than before, those that may have slipped past are to be
// read again, and the page is of no use.
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
	if t.moves++; t.moves > mostMoves || len(t.seen) == 0 { // rows without identity cannot be told from those that came twice
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

// see reports whether a key is new.
func (t *tally) see(key string) bool {
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
