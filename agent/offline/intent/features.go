package intent

import "hash/fnv"

// buckets is how many places there are for features. Two features that share one are taken for each other, which is rare within one
// question.
const buckets = 1 << 16

// feature is something that a question has, as the place of its weights. First and last are the symbols that it is made of.
type feature struct {
	bucket      int
	first, last int
}

// features are those of a question: each symbol, each two symbols that stand side by side, and each three letters of a word. Words of one
// root share letters, so that a word that no example has is understood by its root.
func features(symbols []string) (all []feature) {
	had := map[int]bool{}
	add := func(kind, name string, first, last int) {
		h := fnv.New64a()
		h.Write([]byte(kind + name))
		if bucket := int(h.Sum64() % (buckets - 1)); !had[bucket] {
			had[bucket] = true
			all = append(all, feature{bucket, first, last})
		}
	}
	before, n := "", len(symbols)
	for i, symbol := range symbols {
		add("symbol ", symbol, i, i)
		add("pair ", before+" "+symbol, max(0, i-1), i)
		before = symbol
		if symbol[0] == '{' {
			continue
		}
		const letters = 3
		bounded := "<" + symbol + ">"
		for at := 0; at+letters <= len(bounded); at++ {
			add("letters ", bounded[at:at+letters], i, i)
		}
	}
	if n > 0 {
		add("pair ", before+" ", n-1, n-1)
	}
	return all
}
