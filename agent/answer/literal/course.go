package literal

import "github.com/kopeck/kopeck/agent/answer/plain"

// courseIn returns the direction of the last change that a plain text mentions in words: 1 up, -1 down, 0 if there is none or it is
// denied.
func courseIn(text string) (course int) {
	before := ""
	for _, word := range plain.WordTexts(text) {
		if is, known := byStem(courseForms, word); known {
			if course = is; before == "не" || before == "not" {
				course = 0
			}
		}
		before = word
	}
	return course
}

// TakenBy reports whether words take the figure between two plain texts as the size of a change: "fell by 5%", "rose 5%", "5% lower".
// In "it fell: 5%" and "it fell (5%)", none does. course is the direction that the words state, or 0.
func TakenBy(before, after string) (taken bool, course int) {
	follows := courseIn(after)
	last := wordBefore(before)
	taken = vocabulary.Takers[last] || courseIn(last) != 0
	if course = courseIn(before); course != follows {
		course += follows
	}
	return taken || follows != 0, course
}
