package moysklad

import (
	"slices"
	"sort"
	"strings"
)

// ids numbers the identifiers that it has seen, in the order in which they came.
type ids struct {
	known map[string]uint32
	name  []string // by number
	last  uint32   // the one that was asked for last
	bytes int      // of memory, about
}

// idBytes is about how much an identifier takes besides its text.
const idBytes = 100

// read numbers an id that is a string only if it is new. Rows of one product mostly follow each other.
func (i *ids) read(raw []byte) uint32 {
	if len(i.name) > 0 && i.name[i.last] == string(raw) {
		return i.last
	}
	if n, known := i.known[string(raw)]; known {
		i.last = n
		return n
	}
	return i.take(string(raw))
}

func (i *ids) take(id string) uint32 {
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

// sorted are the ids in order, each with its number.
func (i *ids) sorted() sortedIDs {
	names := slices.Sorted(slices.Values(i.name))
	sorted := sortedIDs{text: strings.Join(names, ""), ends: make([]uint32, len(names)), numbers: make([]uint32, len(names))}
	end := 0
	for place, id := range names {
		end += len(id)
		sorted.ends[place], sorted.numbers[place] = uint32(end), i.known[id]
	}
	return sorted
}

// sortedIDs are numbered identifiers in alphabetical order, in one text: of a hundred thousand products in three reports, a
// map and a string for each would take more than everything else.
type sortedIDs struct {
	text          string
	ends, numbers []uint32
}

func (s sortedIDs) count() int { return len(s.ends) }

func (s sortedIDs) at(place int) string {
	begin := uint32(0)
	if place > 0 {
		begin = s.ends[place-1]
	}
	return s.text[begin:s.ends[place]]
}

// number finds an id.
func (s sortedIDs) number(id string) (uint32, bool) {
	place, found := sort.Find(len(s.ends), func(i int) int { return strings.Compare(id, s.at(i)) })
	if !found {
		return 0, false
	}
	return s.numbers[place], true
}
