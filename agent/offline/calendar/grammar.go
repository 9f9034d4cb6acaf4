package calendar

import (
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// rule says which period a pattern means. A pattern is a list of classes, with "|" between alternatives, "?" behind what may be left out
// and "*" behind what may also be repeated. What follows "/" must be there, but does not belong to the period.
//
// A class in small letters is a unit or a word of calendar.yaml. One with a capital letter is a group of rules or a function of [classes].
type rule struct {
	pattern []element
	period  func(match) Period // returns the zero period if the match means none; nil: the pattern is just a group
}

type element struct {
	classes            []string
	optional, repeated bool
	ahead              bool // the period ends before it
}

// on returns the rule for a pattern.
func on(pattern string, period func(match) Period) rule {
	r := rule{period: period}
	for text := range strings.FieldsSeq(pattern) {
		classes := strings.TrimRight(text, "?*")
		suffix := text[len(classes):]
		r.pattern = append(r.pattern, element{strings.Split(classes, "|"), suffix != "", suffix == "*", text == "/"})
	}
	return r
}

// reader reads what a question says about time.
type reader struct {
	tokens []words.Token
	today  time.Time
	like   Unit // the unit that "за позапрошлую" leaves out
	had    map[read]result
}

// read is a group of rules to be read at a token. Many rules begin with the same groups, so each is read once.
type read struct {
	group string
	at    int
}

type result struct {
	match
	fits bool
}

// find returns the matches of a group of rules, in the order of the question.
func (r *reader) find(group string) (found []match) {
	r.had = map[read]result{}
	for i := 0; i < len(r.tokens); i++ {
		if t := r.tokens[i]; t.IsWord() && t.Number == nil && !Vocabulary.Knows(t) && !strings.Contains(t.Text, "-") { // "август-октябрь"
			continue
		}
		m, fits := r.read(group, i)
		if !fits {
			continue
		}
		for ; i < m.end; i++ {
			m.Tokens = append(m.Tokens, i)
		}
		i--
		if m.Unit != "" && m.Unit != r.like {
			r.like = m.Unit
			clear(r.had)
		}
		found = append(found, m)
	}
	return found
}

// match is tokens that fit a rule, with the values of their classes.
type match struct {
	*reader
	Period

	begin, end int // end is 0 until it is known
	n          int // a number, the place of an ordinal or a weekday, or how many units ago
	day, year  int // of a date; what the question does not say is zero
	month      time.Month
	unit       Unit
	inner      []match // of the groups in the pattern
}

// read returns what a group of rules means at a token.
func (r *reader) read(group string, i int) (match, bool) {
	key := read{group, i}
	had, known := r.had[key]
	if !known {
		had.match, had.fits = r.decide(group, i)
		r.had[key] = had
	}
	return had.match, had.fits
}

// decide reads a group by the first of its rules that fits.
func (r *reader) decide(group string, i int) (match, bool) {
	for _, rule := range grammar[group] {
		m, fits := match{reader: r, begin: i}.follow(rule.pattern, i)
		if !fits {
			continue
		}
		if rule.period == nil {
			return m.inner[0], true
		}
		if m.Period = rule.period(m); m.Unit != "" || !m.From.IsZero() {
			return m, true
		}
	}
	return match{}, false
}

// longest limits the tokens of a period, so that a message of equal words takes no longer than any other.
const longest = 20

// follow matches the rest of a pattern from a token on.
func (m match) follow(pattern []element, i int) (match, bool) {
	if i-m.begin > longest {
		return match{}, false
	}
	if len(pattern) == 0 {
		if m.end == 0 {
			m.end = i
		}
		return m, true
	}
	first, rest := pattern[0], pattern[1:]
	if first.ahead {
		m.end = i
		return m.follow(rest, i)
	}
	for _, class := range first.classes {
		taken := m
		length := taken.take(class, i)
		if length == 0 {
			continue
		}
		after := rest
		if first.repeated {
			after = pattern
		}
		if whole, fits := taken.follow(after, i+length); fits {
			return whole, true
		}
	}
	if first.optional {
		return m.follow(rest, i)
	}
	return match{}, false
}

// take adds the value of a class at a token. It returns how many tokens that takes; 0 if it is not there.
func (m *match) take(class string, i int) int {
	if value, is := classes[class]; is {
		return value(m, i)
	}
	if grammar[class] != nil {
		inner, fits := m.read(class, i)
		if !fits {
			return 0
		}
		if inner.Unit == Year {
			m.year = inner.From.Year() // "October of last year"
		}
		m.inner = append(m.inner[:len(m.inner):len(m.inner)], inner)
		return inner.end - i
	}
	if lexicon[class] != nil {
		return took(m.is(i, class))
	}
	m.unit = unitsInOrder[m.place(i, "units")]
	return took(m.unit == Unit(class))
}

// token returns a token, or an empty one outside of the question.
func (r *reader) token(i int) words.Token {
	if i < 0 || i >= len(r.tokens) {
		return words.Token{}
	}
	return r.tokens[i]
}

// place returns the place of a token in a list of the lexicon, from 1 on, or 0.
func (r *reader) place(i int, list string) int { return place(r.token(i), list) }

// is reports whether a token is a word of the lexicon.
func (r *reader) is(i int, word string) bool { return r.place(i, word) > 0 }
