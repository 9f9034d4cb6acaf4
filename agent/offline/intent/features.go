package intent

import "hash/fnv"

// buckets is the size of the feature table. Two features in one bucket are confused, which is rare within one question.
const buckets = 1 << 16

// What two neighbours, two symbols anywhere near each other, and three letters count compared with a whole symbol. A word has many of
// them, so they would outweigh it.
const (
	pairValue    = 0.5
	nearValue    = 0.4
	lettersValue = 0.4
)

// near is the largest distance of two symbols that count as near each other.
const near = 10

// feature is the bucket of one feature, the first and last symbol that it is made of, and what it counts. What the talk was about is made
// of no symbol: its last is before its first.
type feature struct {
	bucket      int
	first, last int
	value       float64
}

// features returns the features of a question: what the talk was about, each symbol, each pair of neighbours, each pair of symbols near
// each other in either order, and each three letters in a row. Words of one root share letters, so that the model understands a new word
// by its root.
func features(about string, symbols []string) (all []feature) {
	had := map[int]bool{}
	add := func(name string, first, last int, value float64) {
		h := fnv.New64a()
		h.Write([]byte(name))
		if bucket := int(h.Sum64() % (buckets - 1)); !had[bucket] {
			had[bucket] = true
			all = append(all, feature{bucket, first, last, value})
		}
	}
	if about != "" {
		add("about "+about, 0, -1, 1)
	}
	before, n := "", len(symbols)
	for i, symbol := range symbols {
		add("symbol "+symbol, i, i, 1)
		add("pair "+before+" "+symbol, max(0, i-1), i, pairValue)
		for at := max(0, i-near); at < i; at++ {
			add("near "+min(symbols[at], symbol)+" "+max(symbols[at], symbol), at, i, nearValue)
		}
		before = symbol
		if symbol[0] == '{' {
			continue
		}
		const letters = 3
		bounded := "<" + symbol + ">"
		for at := 0; at+letters <= len(bounded); at++ {
			add("letters "+bounded[at:at+letters], i, i, lettersValue)
		}
	}
	if n > 0 {
		add("pair "+before+" ", n-1, n-1, pairValue)
	}
	return all
}
