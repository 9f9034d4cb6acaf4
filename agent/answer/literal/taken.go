package literal

import (
	"slices"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// TakenBy reports whether words take the figure between two plain texts as the size of a change: "fell by 5%", "rose 5%", "5% lower".
// In "it fell: 5%" and "it fell (5%)", none does.
func TakenBy(before, after string) bool {
	isCourse := func(word string) bool { return hasStem(vocabulary.Courses, word) }
	last := wordBefore(before)
	return vocabulary.Takers[last] || isCourse(last) || slices.ContainsFunc(plain.WordTexts(after), isCourse)
}
