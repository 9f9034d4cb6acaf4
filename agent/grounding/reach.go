package grounding

import (
	"strings"
	"unicode/utf8"
)

// A hostile sentence has thousands of figures. What is asked of each of them must not look at the whole sentence: it looks
// as far as a phrase reaches, or is found once for the passage.

// reach is longer than any phrase that leads to a figure, in bytes.
const reach = 256

// lead is the end of a text, which leads to what stands behind it.
func lead(text string) string {
	if len(text) <= reach {
		return text
	}
	text = text[len(text)-reach:]
	return text[max(0, strings.IndexByte(text, ' ')):]
}

// brief is the beginning of a heading, of the head of a column, or of a row's first cell.
func brief(text string) string {
	if len(text) <= reach {
		return text
	}
	end := reach
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
