package grounding

import (
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

// A figure of what was is told as what is to come, or as what is so on average, by a word beside it. Few tools give either; what
// has been computed may be both.
var (
	foretold = &measure{nil, bare, notField(`revenue|profit|margin|income|expense|outflow|cash$|balance|(?:^|[.])net$|(?:^|[._])(?:units|sold_units|reserved)$`)}
	averaged = &measure{nil, bare, inField(`per_day|per_month|per_week|velocity|month|cost$|price|percent|days|lead_time`)}
)

const (
	foreseen = `(?:ожида(?:ем|емая|емый|емое|емые|емой|емого|емую|ется|ются)|(?:с?прогноз)[а-я]*|планиру[а-я]+|запланирова[а-я]+|по плану|предполага[а-я]+|expect(?:ed|s)?|forecasts?|projected|projections?|predict(?:ed|s)?)`
	typical  = `(?:в среднем|средн(?:яя|ий|ее|юю|ей|его|ем|ие|их|им|ими)|среднемесячн[а-я]+|среднедневн[а-я]+|обычно|как правило|averag(?:e|es|ed|ing)|typical(?:ly)?|usually)`
)

// moods are the words of each, the look that costs little first.
var moods = []struct {
	stems         []string
	before, after *expression.Expression
	is            *measure
}{
	{
		strings.Fields("ожида прогноз планир по плану предполага expect forecast project predict"),
		expression.Of(`(?:^|[^\p{L}])` + foreseen + `(?:[^\p{L}]|$)`), expression.Of(`^\.? ?` + foreseen + `(?:[^\p{L}]|$)`), foretold,
	},
	{
		strings.Fields("средн обычно правило averag typical usually"),
		expression.Of(`(?:^|[^\p{L}])(` + typical + `)(?:[^\p{L}]|$)`), expression.Of(`^\.? ?(?:в среднем|on average)(?:[^\p{L}]|$)`), averaged,
	},
}

// unsaid stands where there is no such figure, and says so.
var unsaid = expression.Of(`(?:^|[^\p{L}])(?:нет|не|нельзя|невозможно|no|not|cannot)(?:[^\p{L}]|$)|n't`)

// mood is the measure by which a part of a sentence tells a figure so; nil if it does not. Of a cell that is its row and head.
func (p passage) mood(f figure) *measure {
	before, behind := p.text[f.after:f.start], p.text[f.end:]
	if p.cell || f.after == 0 && p.label != "" {
		before = p.heading() + " " + before
	}
	behind = behind[:min(len(behind), reach)]
	for _, m := range moods {
		if !anyOf(before, m.stems...) && !anyOf(behind, m.stems...) {
			continue
		}
		if m.after.MatchString(behind) {
			return m.is
		}
		part := before[strings.LastIndexByte(before, ';')+1:]
		if at := m.before.FindStringSubmatchIndex(part); at != nil && !unsaid.MatchString(part) && !p.ofName(part, at) {
			return m.is
		}
	}
	return nil
}

// ofName reports whether the word is part of a name of the results: a shop called «Средняя Азия».
func (p passage) ofName(text string, at []int) bool {
	return len(at) > 2 && strings.HasPrefix(text[at[2]:], "средн") && p.known(text[at[2]:at[3]])
}
