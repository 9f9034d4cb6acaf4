package grounding

import (
	"strings"
	"testing"
	"time"
)

// A text of thousands of figures, in an answer or in a question, costs as much more as it is longer, and not the square of
// it: "repeat 37 four thousand times" once took a minute.
func TestAHostileTextDoesNotCostItsSquare(t *testing.T) {
	answers := func(text string) { russian().Text(text) }
	question := func(text string) { New(Evidence{Lang: "ru", UserTexts: []string{text}}) }
	for _, c := range []struct {
		unit string
		read func(text string)
	}{
		{"37, ", answers}, {"38, ", answers}, {"42,5 % ", answers}, {"0 шт, ", answers}, {"37 - 4 = ", answers}, {"1 тыс ", answers},
		{"«Рога 5» ", answers}, {"37|", func(text string) { answers("|" + strings.ReplaceAll(text, "|", " ") + "|" + text + "\n") }},
		{"37, ", question}, {"M-77 ", question}, {"1 тыс ", question}, {"миллиона ", question},
	} {
		const times = 8
		short := strings.Repeat(c.unit, 600/len(c.unit))
		long := strings.Repeat(short, times)
		for attempt := 1; ; attempt++ { // the machine may have been busy
			grown := took(c.read, long).Seconds() / took(c.read, short).Seconds()
			if grown < 3*times {
				break
			}
			if attempt == 3 {
				t.Errorf("%q: %d times as much of it takes %.0f times as long", c.unit, times, grown)
				break
			}
		}
	}
}

// took is the least of two tries, the first of which may have expressions to compile.
func took(read func(text string), text string) time.Duration {
	try := func() time.Duration {
		start := time.Now()
		read(text)
		return time.Since(start)
	}
	return min(try(), try())
}
