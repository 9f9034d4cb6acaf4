package grounding

import (
	"strings"
	"unicode"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/expression"
)

// word reads a number in words, or passes the word by.
func (s *scanner) word() {
	from := s.at
	first := wordAt(s.text, from)
	s.at = from + len(first)
	if from > 0 && digit(s.text[from-1]) {
		return
	}
	switch {
	case s.vague(from, first), s.roman(first), foreignNumber(first), sized.MatchString(s.text[from:]):
		s.found = append(s.found, figure{start: from, end: s.at, from: from, to: s.at, unreadable: true})
	case (first == "every" || first == "one" || strings.HasPrefix(first, "кажд")) && every.MatchString(s.text[from:]):
		s.every(from)
	case bounded(s.text[:from], first):
		s.complete(figure{start: from, from: from, to: s.at, readings: []reading{{scales[first], scales[first]}}, spelled: true})
	case turned[first] && s.turned(from, first):
	case partOf.MatchString(s.text[from:]) && !strings.HasSuffix(s.text[:from], "the "):
		parts := partOf.FindStringSubmatch(s.text[from:])
		s.percent(from, s.at, everyShare[parts[1]+parts[2]])
	case shares[first] > 0:
		s.share(from, first)
	case startsNumber(first):
		words, ends := wordsAt(s.text, from)
		value, unit, taken := wordNumber(words)
		if taken == 0 {
			return
		}
		f := figure{start: from, from: from, to: ends[taken-1], readings: []reading{{value, unit}}, spelled: true}
		if taken+1 < len(words) && words[taken] == "point" && startsNumber(words[taken+1]) {
			f.unreadable, f.to = true, ends[taken+1] // "one point three million"
		}
		if taken < len(words) && partWords[words[taken]] > 0 {
			f.to, f.end, f.is = ends[taken], ends[taken], percent
			f.readings = []reading{{value.Mul(hundred).DivRound(decimal.NewFromInt(partWords[words[taken]]), 2), one}}
			s.found = append(s.found, f)
			s.at = f.end
			return
		}
		s.complete(f)
	default:
		s.joined(from, first)
	}
}

// joined reads a word that has a number in it: "двадцатипроцентный", "удвоилась".
func (s *scanner) joined(from int, word string) {
	f, ok := compound(word)
	if value, known := timesOf(word); known {
		f, ok = figure{is: multiple, spelled: true, readings: []reading{{value, tenth}}}, true
	}
	if !ok {
		return
	}
	f.start, f.from, f.end, f.to = from, from, s.at, s.at
	if f.is == bare {
		s.complete(f)
		return
	}
	s.found = append(s.found, f)
}

// boundBefore stands before a bound: "больше миллиона" is one of them.
var boundBefore = expression.Of(`(?:^|[^\p{L}])(?:около|порядка|более|больше|свыше|до|менее|меньше|от) $`)

// bounded reports a scale that means one of itself in the genitive.
func bounded(before, word string) bool {
	return (word == "миллиона" || word == "миллиарда" || word == "тысячи" || word == "сотни") && boundBefore.MatchString(lead(before))
}

func startsNumber(word string) bool {
	if _, ok := wordNumbers[word]; ok {
		return true
	}
	if _, ok := wholes[word]; ok {
		return true
	}
	return single[word] || word == "a" || word == "an" || word == "half" || word == "пол"
}

var (
	vagueWords = set("сотни десятки тысячи миллионы миллиарды dozens hundreds thousands millions billions tens")
	vagueCount = expression.Of(`^(?:пара|пару|несколько|a couple of|a few|several) (?:десятк|сот|тысяч|миллион|миллиард|dozen|hundred|thousand|million|billion)`)
	vagueMoney = expression.Of(`^(?:(?:сотни|десятки|тысячи|миллионы|миллиарды|dozens|hundreds|thousands|millions|billions|tens)(?: of)? )+(?:₽|\$|€|руб|доллар|евро|тенге|rub|dollar|euro)`)

	// roman numerals count neither money nor stock.
	roman = expression.Of(`^m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$`)

	// zeros are told of a number instead of being written.
	zeros = expression.Of(`(?:followed by|with|plus) [\p{L}\d]+ zeroe?s|(?:нулями|нолями)(?:[^\p{L}]|$)`)

	// every is a share in words: "каждый пятый", "every third", "one in five".
	every = expression.Of(`^(?:кажд[а-я]+ (втор|трет|четв|пят|шест|десят)[а-я]+|every (second|third|fourth|fifth|sixth|tenth)|one (?:in|out of) (two|three|four|five|six|ten))(?: ([\p{L}]+))?`)

	everyShare = map[string]int64{
		"втор": 50, "трет": 33, "четв": 25, "пят": 20, "шест": 17, "десят": 10, "second": 50, "third": 33, "fourth": 25, "fifth": 20, "sixth": 17, "tenth": 10,
		"two": 50, "three": 33, "four": 25, "five": 20, "six": 17, "ten": 10,
	}

	// partOf is a share by its ordinal: "пятая часть склада", "a tenth of".
	partOf = expression.Of(`^(?:(трет|четв|пят|шест|десят)[а-я]+ (?:част|дол)[а-я]+ (?:всего |всей |всех )?(?:склад|выручк|прибыл|остатк|запас|товаров|продаж|заказов|денег|долг)|(third|fourth|fifth|sixth|tenth) of )`)

	// sized is a number by how many digits it has, and parts of a percent.
	sized = expression.Of(`^(?:an? )?(?:(?:дву|трех|четырех|пяти|шести|семи|восьми|девяти)значн|(?:single|double|triple)[ -]digits?\b|(?:four|five|six|seven|eight|nine)-figure|(?:low|mid|high) (?:four|five|six|seven|eight|nine) figures|(?:пол|четверть)[ -]?процента|(?:half|quarter) (?:of )?a percent)`)

	// turned are the scales that may stand before their number, which makes it an estimate: "тысячи две", "миллионов пять".
	turned = set("сотни сотен тысячи тысяч тыщи тыщ миллиона миллионов миллиарда миллиардов лямов ляма")

	// partWords are what a number in words has behind it to be a share: "две трети", "three quarters".
	partWords = map[string]int64{
		"трети": 3, "четверти": 4, "двадцатая": 20, "сотая": 100, "пятых": 5, "шестых": 6, "десятых": 10, "пятая": 5, "десятая": 10, "третья": 3,
		"thirds": 3, "quarters": 4, "fifths": 5, "tenths": 10, "third": 3, "fifth": 5, "tenth": 10,
	}

	// shares are words that are a share of something, in percent.
	shares = map[string]int64{
		"наполовину": 50, "вполовину": 50, "половина": 50, "половину": 50, "половины": 50, "половиной": 50, "half": 50,
		"треть": 33, "трети": 33, "третью": 33, "четверть": 25, "четверти": 25, "четвертью": 25, "quarter": 25,
	}

	// ofOrder stand before halves and quarters that are no shares of anything counted: "первая половина".
	ofOrder = set("first second third fourth last this next every each с")
)

// vague reports amounts that cannot be checked: "пара сотен", "миллионы рублей", "hundreds of thousands of dollars". Headings that say
// "in thousands of rubles" are none.
func (s *scanner) vague(from int, first string) bool {
	before := s.text[:from]
	return vagueCount.MatchString(s.text[from:]) || vagueTimes.MatchString(s.text[from:]) || first == "миллионный" || first == "миллионная" || first == "многомиллионная" || vagueWords[first] && !strings.HasSuffix(before, "в ") && !strings.HasSuffix(before, "in ") && vagueMoney.MatchString(s.text[from:])
}

// roman reports a number in Roman letters behind the word that was just passed: a long one, or one with a unit. Quarters and
// centuries are numbered so.
func (s *scanner) roman(word string) bool {
	const long = 4
	if len(word) < 2 || strings.Trim(word, "ivxlcdm") != "" || !roman.MatchString(word) {
		return false
	}
	t := tail{text: s.text, at: s.at, readings: []reading{{one, one}}}
	t.read()
	return t.is != bare || t.scaled || len(word) >= long
}

// turned reads a number behind its scale.
func (s *scanner) turned(from int, scale string) bool {
	rest, found := strings.CutPrefix(s.text[s.at:], " ")
	if !found || rest == "" {
		return false
	}
	f := figure{start: from, from: from, spelled: true}
	if digit(rest[0]) {
		f.to = numberEnd(s.text, s.at+1)
		f.readings = read(s.text[s.at+1 : f.to])
	} else {
		words, ends := wordsAt(s.text, s.at+1)
		value, unit, taken := wordNumber(words)
		if taken == 0 || value.LessThan(two) {
			return false
		}
		f.to, f.readings = ends[taken-1], []reading{{value, unit}}
	}
	for i := range f.readings {
		f.readings[i] = f.readings[i].scaled(scales[scale])
	}
	s.complete(f)
	return true
}

func (s *scanner) every(from int) {
	parts := every.FindStringSubmatch(s.text[from:])
	s.at = from + len(parts[0])
	if _, ofTime := durations[parts[4]]; ofTime {
		return
	}
	s.percent(from, s.at, everyShare[parts[1]+parts[2]+parts[3]])
}

func (s *scanner) percent(from, to int, value int64) {
	s.found = append(s.found, figure{
		start: from, end: to, from: from, to: to, is: percent, spelled: true, readings: []reading{{decimal.NewFromInt(value), one}},
	})
}

// share reads "половина склада" as 50 %; halves of time and quarters of a year are none.
func (s *scanner) share(from int, word string) {
	words, ends := wordsAt(s.text, from)
	if value, unit, taken := wordNumber(words); taken > 1 { // "половина миллиона"
		s.complete(figure{start: from, from: from, to: ends[taken-1], readings: []reading{{value, unit}}, spelled: true})
		return
	}
	before := strings.TrimRight(s.text[:from], " ")
	previous := before[strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
	if ofTime(words[1:]) || ofOrder[previous] || strings.HasPrefix(previous, "перв") || strings.HasPrefix(previous, "втор") {
		return
	}
	if word == "quarter" && previous == "the" && (len(words) < 2 || words[1] != "of") {
		return
	}
	if english := word == "half" || word == "quarter"; english && len(words) > 1 && words[1] != "of" && words[1] != "the" && words[1] != "your" {
		return
	}
	s.percent(from, from+len(word), shares[word])
}

// ofTime reports whether the next words name a time: "(of the) month".
func ofTime(words []string) bool {
	for _, word := range words[:min(len(words), 3)] {
		if _, known := durations[word]; known || monthNames[word] || strings.HasPrefix(word, "квартал") || word == "quarter" {
			return true
		}
	}
	return false
}
