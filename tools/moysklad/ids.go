package moysklad

import "slices"

// ids assigns numbers to identifiers, in order of appearance.
type ids struct {
	known map[string]uint32
	name  []string // identifiers, by number
	last  uint32   // the last number returned
	bytes int      // approximate memory
}

// idBytes is the approximate memory of an identifier in addition to its text.
const idBytes = 100

// numberOf returns the number of an id. It first compares the id with the last one, because most rows of a product are
// adjacent. It allocates a string only for a new id.
func (i *ids) numberOf(raw []byte) uint32 {
	if len(i.name) > 0 && i.name[i.last] == string(raw) {
		return i.last
	}
	if n, known := i.known[string(raw)]; known {
		i.last = n
		return n
	}
	return i.add(string(raw))
}

func (i *ids) add(id string) uint32 {
	n, known := i.known[id]
	if !known {
		if i.known == nil {
			i.known = map[string]uint32{}
		}
		n = uint32(len(i.name))
		i.known[id], i.name = n, append(i.name, id)
		i.bytes += len(id) + idBytes
	}
	i.last = n
	return n
}

// sorted returns the ids in alphabetical order, and the place of each number in that order.
func (i *ids) sorted() (names []string, place []uint32) {
	names, place = slices.Sorted(slices.Values(i.name)), make([]uint32, len(i.name))
	for at, id := range names {
		place[i.known[id]] = uint32(at)
	}
	return names, place
}
