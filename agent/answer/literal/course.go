package literal

import (
	"strings"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// CourseIn returns the direction of the last change that a plain text mentions: 1 up, -1 down, 0 if it mentions none
// or denies it.
func CourseIn(text string) (course int) {
	const whole = 3
	before := ""
	for _, word := range plain.WordTexts(text) {
		for form, is := range courseForms {
			if word == form || utf8.RuneCountInString(form) > whole && strings.HasPrefix(word, form) {
				if course = is; before == "не" || before == "not" {
					course = 0
				}
			}
		}
		before = word
	}
	return course
}
