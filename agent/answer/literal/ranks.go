package literal

import (
	"regexp"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// ranking matches words that rank something among others, such as "largest" and «дольше всех».
var ranking = regexp.MustCompile(
	`(?:^|\PL)(?:(?:most|least|best|worst|top|place|position|spot|rank|\pL+est)(?:\PL|$)|мест[оае]|величин|сам[ыоау]|наи|лучш|худш|топ|` +
		`лидер|\pL+[еа]йш|\pL+[ежшщ]е вс(?:е|ех|его))`)

// Ranks reports whether a text ranks something.
func Ranks(text string) bool { return ranking.MatchString(plain.Text(text)) }

var placeForm = regexp.MustCompile(`^\d+(st|nd|rd|th|-\p{Cyrillic}{1,3})?[ -](\pL+)(?: (\d))?`)

// isPlace reports whether a number is a rank: "26th largest", «26-е место», «26-й по выручке». A day is not: «с 13-го
// по 26-е».
func isPlace(text string) bool {
	p := placeForm.FindStringSubmatch(text)
	if p == nil {
		return false
	}
	ending, word, number := p[1], p[2], p[3]
	switch {
	case ending == "":
		return strings.HasPrefix(word, "мест") && Ranks(word)
	case word == "по", word == "by":
		return ending != "-го" && number == ""
	}
	return Ranks(word)
}
