package evaluation

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/openai"
)

// number is a number in the text of an answer. It has no sign, because a fall by 5 can be written with or without a minus.
type number struct {
	value, step decimal.Decimal // step is one unit of the last digit, such as 0.01
	digits      int             // significant digits
	scalable    bool            // the next word may mean thousands or millions
	figure      *openai.Figure  // the figure of the kopeck extension at this position, or nil
	around      string          // the table row or paragraph that contains it
}

const group = `\d{1,3}(?:[ \x{a0}\x{202f}]\d{3})+`

var numbers = map[string]*regexp.Regexp{
	"ru": regexp.MustCompile(group + `(?:[.,]\d+)?|\d+(?:[.,]\d+)?`),
	"en": regexp.MustCompile(`\d{1,3}(?:,\d{3})+(?:\.\d+)?|` + group + `(?:[.,]\d+)?|\d+(?:\.\d+)?`),
}

// itemNumber matches the numbering of a list.
var itemNumber = regexp.MustCompile(`^\s*\d+[.)]\s`)

// readNumbers finds the numbers in an answer. It ignores those in codes and names, the numbering of lists, and the last
// paragraph, where the service names its sources and writes only dates.
func readNumbers(lang string, a answer) []number {
	var found []number
	paragraphs := strings.Split(a.text, "\n\n")
	at := 0 // position in code points
	for n, paragraph := range paragraphs {
		for line := range strings.Lines(paragraph) {
			if n == 0 || n < len(paragraphs)-1 {
				around := paragraph
				if strings.HasPrefix(line, "|") {
					around = line
				}
				found = append(found, a.readLine(lang, line, around, at)...)
			}
			at += utf8.RuneCountInString(line)
		}
		at += len("\n\n")
	}
	return found
}

func (a answer) readLine(lang, line, around string, at int) []number {
	var found []number
	skip := len(itemNumber.FindString(line))
	for _, place := range numbers[lang].FindAllStringIndex(line, -1) {
		if place[0] < skip || partOfName(line, place[0], place[1]) {
			continue
		}
		n, ok := parse(lang, line[place[0]:place[1]])
		if !ok {
			continue
		}
		after, _ := utf8.DecodeRuneInString(strings.TrimLeft(line[place[1]:], " \u00a0\u202f"))
		n.scalable = unicode.IsLetter(after)
		n.around = around
		n.figure = a.figureAt(at + utf8.RuneCountInString(line[:place[0]]))
		found = append(found, n)
	}
	return found
}

// partOfName reports whether the digits are part of a name: directly after a letter, after a letter and a hyphen, or
// directly before a letter.
func partOfName(line string, from, to int) bool {
	before, size := utf8.DecodeLastRuneInString(line[:from])
	if before == '-' || before == '/' {
		before, _ = utf8.DecodeLastRuneInString(line[:from-size])
		if unicode.IsDigit(before) {
			return true
		}
	}
	after, _ := utf8.DecodeRuneInString(line[to:])
	return unicode.IsLetter(before) || unicode.IsLetter(after) && after < unicode.MaxLatin1 && after != 'k' && after != 'K' && after != 'M'
}

// parse reads a number that is written with the separators of the language.
func parse(lang, written string) (number, bool) {
	written = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "").Replace(written)
	if lang == "en" {
		written = strings.ReplaceAll(written, ",", "")
	}
	written = strings.ReplaceAll(written, ",", ".")
	if len(written) > 1 && written[0] == '0' && written[1] != '.' {
		return number{}, false // not a number but a code
	}
	value, err := decimal.NewFromString(written)
	if err != nil {
		return number{}, false
	}
	digits := len(strings.TrimLeft(strings.ReplaceAll(written, ".", ""), "0"))
	return number{value: value, step: decimal.New(1, value.Exponent()), digits: digits}, true
}

// equals reports whether the number is right. It may be rounded, but must then show at least enough significant digits.
func (n number) equals(right decimal.Decimal, enough int) bool {
	right = right.Abs()
	if n.value.Equal(right) {
		return true
	}
	for _, thousand := range []int32{0, 3, 6, 9} {
		if thousand > 0 && !n.scalable {
			return false
		}
		if n.digits >= enough && right.Shift(-thousand).Round(-n.step.Exponent()).Equal(n.value) {
			return true
		}
	}
	return false
}

// figureAt returns the figure of the kopeck extension at a position.
func (a answer) figureAt(place int) *openai.Figure {
	for n := range a.figures {
		if f := &a.figures[n]; f.Start <= place && place < f.End && !f.Marked {
			return f
		}
	}
	return nil
}
