package grounding

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/expression"
)

// tail is what stands behind a number and belongs to it: scale, unit, and the smaller part of a compound.
type tail struct {
	text     string
	at       int
	readings []reading
	is       dimension
	currency string
	scaled   bool
	counts   counted
	below    decimal.Decimal // of the smaller part of a compound: the scale before
}

func (t *tail) read() {
	t.half()
	t.scale()
	t.unit()
	if t.is == money {
		t.hundredths()
	}
}

// half reads "5 с половиной".
func (t *tail) half() {
	for _, words := range []string{" с половиной", " and a half"} {
		if strings.HasPrefix(t.text[t.at:], words) {
			t.at += len(words)
			for i := range t.readings {
				t.readings[i] = reading{t.readings[i].value.Add(half), tenth}
			}
		}
	}
}

// scale reads "тыс.", "млн", "k", and goes on when a smaller part follows: "1 млн 234 тыс.".
func (t *tail) scale() {
	for {
		word, end := t.next()
		if behind := t.text[t.at:min(len(t.text), t.at+scaleRoom)]; !t.scaled {
			if apart := scaleApart.FindStringSubmatch(behind); apart != nil {
				word = apart[1] + apart[2]
				end = t.at + strings.Index(behind, word) + len(word)
			}
		}
		scale, known := scales[word]
		if !known || (word == "k" || word == "к") && end-len(word) != t.at || !t.below.IsZero() && !scale.LessThan(t.below) {
			break
		}
		t.multiply(scale, end)
		if t.smaller(scale) {
			return
		}
	}
	// "т.р." is thousands of rubles.
	for _, form := range []string{"т.р.", "т. р.", "т.р", "т. р"} {
		if strings.HasPrefix(strings.TrimPrefix(t.text[t.at:], " "), form) {
			t.multiply(thousand, t.at+strings.Index(t.text[t.at:], form)+len("т."))
			return
		}
	}
}

// scaleApart is a scale that punctuation parts from its number: "37 (тыс. руб.)", "37+ млн". Adjectives have one: "900-тысячный".
var scaleApart = expression.Of(`^(?: ?[+.,…("«\[/|]{1,3} ?(тыс|млн|млрд|тысяч[аи]?|миллион(?:а|ов)?|миллиард(?:а|ов)?|thousand|million|billion|mln|bln)(?:[^\p{L}]|$)|-(тысяч|миллион|миллиард)н)`)

// scaleRoom is more than scaleApart finds: in a long text it would take as long for each number as the rest of it is.
const scaleRoom = 64

func (t *tail) multiply(scale decimal.Decimal, end int) {
	t.at, t.scaled = end, true
	if t.at < len(t.text) && t.text[t.at] == '.' && !(t.at+1 < len(t.text) && digit(t.text[t.at+1])) {
		t.at++
	}
	for i := range t.readings {
		t.readings[i] = t.readings[i].scaled(scale)
	}
}

// smaller adds a part that follows a scale with a lesser one, or with none but below it.
func (t *tail) smaller(than decimal.Decimal) bool {
	i := t.at
	if i+1 >= len(t.text) || t.text[i] != ' ' || !digit(t.text[i+1]) || than.LessThan(thousand) {
		return false
	}
	end := numberEnd(t.text, i+1)
	readings := read(t.text[i+1 : end])
	if len(readings) == 0 {
		return false
	}
	part := tail{text: t.text, at: end, readings: readings, below: than}
	part.scale()
	part.unit()
	if part.is == bare && part.at == end || !part.readings[0].value.LessThan(than) || part.is == percent {
		return false
	}
	t.readings = []reading{{t.readings[0].value.Add(part.readings[0].value), part.readings[0].step}}
	t.at, t.is, t.currency, t.counts = part.at, part.is, part.currency, part.counts
	return true
}

// fillers may stand between a number and its unit.
var fillers = set("российских российские russian полных целых whole full календарных рабочих calendar working business товарных складских")

func (t *tail) unit() {
	if t.is != bare {
		return
	}
	rest := strings.TrimPrefix(t.text[t.at:], " ")
	skipped := len(t.text) - t.at - len(rest)
	r, size := utf8.DecodeRuneInString(rest)
	if iso, known := currencies[string(r)]; known && !unicode.IsLetter(r) {
		t.is, t.currency = money, iso
		t.at += skipped + size
		return
	}
	if r == '%' || r == '‰' {
		t.is = percent
		t.at += skipped + size
		for i := range t.readings {
			if r == '‰' {
				t.readings[i] = t.readings[i].scaled(tenth)
			}
		}
		return
	}
	for _, form := range []string{"п.п.", "п. п.", "п.п", "п. п", "p.p."} {
		if strings.HasPrefix(rest, form) {
			t.is = percent
			t.at += skipped + len(form)
			return
		}
	}
	t.unitWord()
}

func (t *tail) unitWord() {
	word, end := t.next()
	if fillers[word] && end < len(t.text) && t.text[end] == ' ' {
		word = wordAt(t.text, end+1)
		end += 1 + len(word)
	}
	if hundredths[word] {
		t.is = money
		t.multiply(decimal.New(1, -2), end)
		return
	}
	is, currency, known := unitWord(word)
	if !known {
		return
	}
	t.is, t.currency, t.counts = is, currency, quantities[word]
	if is == duration {
		for i := range t.readings {
			t.readings[i] = t.readings[i].scaled(durations[word])
		}
	}
	t.at = end
	if end < len(t.text) && t.text[end] == '.' && is == money {
		t.at++
	}
}

// next is the word behind, a space or the hyphen of "30-дневный" skipped.
func (t *tail) next() (word string, end int) {
	i := t.at
	if i < len(t.text) && (t.text[i] == ' ' || t.text[i] == '-') {
		i++
	}
	word = wordAt(t.text, i)
	return word, i + len(word)
}

// hundredths reads the kopecks of "1234 руб. 56 коп.".
func (t *tail) hundredths() {
	i := t.at
	if i+1 >= len(t.text) || t.text[i] != ' ' || !digit(t.text[i+1]) {
		return
	}
	end := numberEnd(t.text, i+1)
	part := tail{text: t.text, at: end}
	word, wordEnd := part.next()
	readings := read(t.text[i+1 : end])
	if !hundredths[word] || len(readings) != 1 {
		return
	}
	kopecks := readings[0].scaled(decimal.New(1, -2))
	t.readings = []reading{{t.readings[0].value.Add(kopecks.value), kopecks.step}}
	t.at = wordEnd
}
