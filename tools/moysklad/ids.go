package moysklad

import (
	"slices"
	"sort"
	"strings"
)

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

// sorted returns the ids in alphabetical order, each with its number.
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

// sortedIDs contains numbered identifiers in alphabetical order, stored in one string. With a hundred thousand products
// in three reports, a map with a string for each would take more memory than everything else.
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

// number returns the number of an id, and false if it is unknown.
func (s sortedIDs) number(id string) (uint32, bool) {
	place, found := sort.Find(len(s.ends), func(i int) int { return strings.Compare(id, s.at(i)) })
	if !found {
		return 0, false
	}
	return s.numbers[place], true
}
