package literal

import (
	"strings"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// CourseIn returns the direction of the last change that a plain text mentions in words, or that an arrow at its end
// shows: 1 up, -1 down, 0 if there is none or it is denied.
func CourseIn(text string) (course int) {
	const whole = 3
	switch end := strings.TrimRight(text, " *_"); {
	case strings.HasSuffix(end, "▲"), strings.HasSuffix(end, "↑"):
		return 1
	case strings.HasSuffix(end, "▼"), strings.HasSuffix(end, "↓"):
		return -1
	}
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
