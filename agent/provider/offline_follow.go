package provider

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

// followUp matches how people go on with the question before.
var followUp = expression.Of(`^(а|и|но|теперь|тогда|а теперь|and|what about|how about|now|then|same|то же|только)([^\pL]|$)`)

// meant is what the user wants now: the tasks of the question, of the one that it answers a question of ours about, or, if it
// only changes something, of the one before it.
func (t *turn) meant() ([]*task, slots) {
	found := recognized(t.question)
	if t.asking != "" && !t.asksAnew(found) {
		return t.answered()
	}
	said := findSlots(strings.TrimSpace(t.question), t.now)
	if goesOn(t.question, found) || len(found) == 0 && t.reaction() == nothing {
		if before, s := t.before(); before != nil && (goesOn(t.question, found) || s.takes(said)) {
			return before, s.changedBy(said)
		}
	}
	if len(found) == 0 && said.expression != "" {
		found = []*task{{tools: []string{"calculate"}}}
	}
	return found, withoutWordsOf(said, found)
}

// asksAnew tells a new question from the answer to ours.
func (t *turn) asksAnew(found []*task) bool {
	if t.reaction() != nothing {
		return true
	}
	return len(found) > 0 && !found[0].weak && (len(wordsOf(t.question)) > 3 || strings.HasSuffix(strings.TrimSpace(t.question), "?"))
}

// goesOn tells a message that only changes something of the question before it.
func goesOn(text string, found []*task) bool {
	return followUp.MatchString(folded(strings.TrimSpace(text))) && (len(found) == 0 || found[0].weak)
}

// before is what the latest recognizable question was, with what has been changed of it since.
func (t *turn) before() ([]*task, slots) {
	for i, u := range slices.Backward(t.earlier) {
		found := recognized(u.text)
		if len(found) == 0 || goesOn(u.text, found) || u.asking != "" {
			continue
		}
		s := withoutWordsOf(findSlots(u.text, t.now), found)
		for _, later := range t.earlier[i+1:] {
			switch {
			case later.asking != "":
				s.answer(later)
			case goesOn(later.text, recognized(later.text)):
				s = s.changedBy(findSlots(later.text, t.now))
			}
		}
		return found, s
	}
	return nil, slots{}
}

// takes reports whether words that are no question by themselves change one: they name a place, a time or a channel, or
// another product where one was named.
func (s slots) takes(said slots) bool {
	return said.warehouse != "" || said.channel != "" || said.supplier != "" || said.groupBy != "" || said.period != nil ||
		said.days+said.leadDays+said.limit != 0 || said.service != 0 || said.product != "" && s.product != ""
}

// changedBy is a question's slots with those that a later one names in their place.
func (s slots) changedBy(later slots) slots {
	s.warehouse = cmp.Or(later.warehouse, s.warehouse)
	s.product = cmp.Or(later.product, s.product)
	s.supplier = cmp.Or(later.supplier, s.supplier)
	s.channel = cmp.Or(later.channel, s.channel)
	s.groupBy = cmp.Or(later.groupBy, s.groupBy)
	s.period = cmp.Or(later.period, s.period)
	s.days = cmp.Or(later.days, s.days)
	s.leadDays = cmp.Or(later.leadDays, s.leadDays)
	s.service = cmp.Or(later.service, s.service)
	s.limit = cmp.Or(later.limit, s.limit)
	return s
}

// answered is the question before, with the argument that the user was asked for.
func (t *turn) answered() ([]*task, slots) {
	found, s := t.before()
	s.answer(utterance{t.question, t.reply})
	return found, s
}

// choice is a candidate as the tools write it, with its code behind it, or its id where several are called alike.
var choice = expression.Of(`^.+ \((?:id )?(\S*\d\S*)\)$`)

// placed is the preposition with which people name a place that they are asked for.
var placed = expression.Of(`^(?i:на|в|во|с|со|из|in|at|from|to)\s+(?:склада?\s+)?`)

func (s *slots) answer(u utterance) {
	said := strings.TrimRight(strings.Trim(u.text, " -•\n"), ".!")
	if quote := quotedForm.FindStringSubmatch(said); quote != nil && quote[0] == said {
		said = quote[1]
	}
	switch u.asking {
	case "warehouse", "from_warehouse":
		s.warehouse = placed.ReplaceAllString(said, "")
	case "to_warehouse":
		s.toWarehouse = placed.ReplaceAllString(said, "")
	case "channel":
		s.channel = u.chosen(said)
	case "supplier":
		s.supplier = u.chosen(said)
	case "product":
		s.choose(u.unclear, u.chosen(said))
	}
}

// chosen is the code or id of a candidate of ours that was repeated with it, else what was said.
func (r reply) chosen(said string) string {
	if code := choice.FindStringSubmatch(said); code != nil && strings.Contains(r.asked, "\n- "+said) {
		return code[1]
	}
	return said
}
