package literal

import (
	"regexp"
	"strings"
)

// ranking matches a word that ranks something among others, such as "largest" and «место».
var ranking = regexp.MustCompile(
	`^(?:most|least|best|worst|top|place|position|spot|rank|\pL+est|(?:мест[оае]|величин|сам[ыоау]|наи|лучш|худш|топ|лидер|\pL+[еа]йш)\pL*)$`)

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
		return strings.HasPrefix(word, "мест") && ranking.MatchString(word)
	case word == "по", word == "by":
		return ending != "-го" && number == ""
	}
	return ranking.MatchString(word)
}
