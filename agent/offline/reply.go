package offline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/expression"
)

// reply says that a message answers a question of ours.
type reply struct {
	asking  string // the argument that we asked for, "" if we asked for none
	unclear string // what had been said for it
	asked   string // the message in which we asked, with the candidates
}

// quoted is what [turn.trouble] repeats of the user's words.
var quoted = expression.Of(`(?:(?:Не нашёл однозначно|В учёте нет) «([^»]*)»|“([^”]*)” is not (?:clear|in the books))`)

// askedFor is what a text of ours asked the user for; what it asked last, if for several things.
func askedFor(text string) reply {
	var found reply
	last := -1
	for argument, question := range asks {
		at := max(strings.LastIndex(text, question.ru), strings.LastIndex(text, question.en))
		if at > last {
			last, found = at, reply{asking: argument, asked: text}
		}
	}
	if unclear := quoted.FindAllStringSubmatch(text[:max(last, 0)], -1); len(unclear) > 0 {
		m := unclear[len(unclear)-1]
		found.unclear = m[1] + m[2]
	}
	return found
}

// asksAnew tells a new question from the answer to ours: it is a question by its words, and not what we have shown or what is
// in quotes.
func (r reply) asksAnew(text string, found []*task) bool {
	if len(found) == 0 || found[0].weak {
		return false
	}
	text = strings.TrimSpace(text)
	return len(wordsOf(text)) > 3 || strings.HasSuffix(text, "?") || !strings.Contains(folded(r.asked), folded(text)) && quotedForm.FindString(text) != text
}

// answers tells that a text is for what we asked. Lines that are added to an order, "и 5 шт «Чай»", are not, whatever we asked.
func (r reply) answers(text string) bool {
	return r.asking != "" && !(adding.MatchString(folded(text)) && unitsForm.MatchString(withoutQuotes(text)) && quotedForm.MatchString(text))
}

// placed is the preposition with which people name a place that they are asked for, and sold one before a supplier.
var (
	placed = expression.Of(`^(?i:на|в|во|с|со|из|in|at|from|to)\s+(?:склада?\s+)?`)
	sold   = expression.Of(`^(?i:у|от|from)\s+`)
)

func (s *slots) answer(u utterance, now time.Time) {
	said := strings.TrimRight(strings.Trim(u.text, " -•\n"), ".!")
	if quote := quotedForm.FindStringSubmatch(said); quote != nil && quote[0] == said {
		said = quote[1]
	}
	switch u.asking {
	case "warehouse", "from_warehouse":
		s.warehouse = placed.ReplaceAllString(u.chosen(said), "")
	case "to_warehouse":
		s.toWarehouse = placed.ReplaceAllString(u.chosen(said), "")
	case "channel":
		s.channel = u.chosen(said)
	case "supplier":
		s.supplier = sold.ReplaceAllString(u.chosen(said), "")
	case "period":
		s.period, s.others = nil, nil
		if s.times(u.text, now); s.period == nil && s.unread == "" {
			s.unread = said
		}
	case "product":
		s.choose(u.unclear, u.chosen(said))
	}
}

var (
	// counting is a candidate by its place among those that were shown: "2", "2-й", "у второго", "the last one".
	counting  = expression.Of(`^(?:(?:у|из|на|в|с|со|the|from)\s+)*(?:(\d{1,2})(?:-?(?:й|го|м|ой|я|ю|е|st|nd|rd|th))?|` + nth + `)(?:\s+(?:из них|поставщик\pL*|товар\pL*|склад\pL*|канал\pL*|one|supplier|product|warehouse|channel))?$`)
	candidate = expression.Of(`(?m)^(?:- (.+)|\*\*(.+)\*\* — .*)$`)
	direct    = expression.Of(`^\s*(?:- .+\n?)+`)

	// figureLine is a line of a report's figures.
	figureLine = expression.Of(`(?m)^- .*$`)

	// coded is a candidate as the tools write it, with its code behind it, or its id where several are called alike.
	coded = expression.Of(`^.+ \((?:id )?(\S*\d\S*)\)$`)
)

// shown are the candidates of our message: those of the list right behind the question, else, of suppliers, the headings of the
// report.
func (r reply) shown() (names []string) {
	text := ""
	if r.asking == "supplier" {
		text = figureLine.ReplaceAllString(r.asked, "")
	}
	for _, question := range asks[r.asking].each() {
		if _, behind, found := strings.Cut(r.asked, question); found {
			text = cmp.Or(direct.FindString(behind), text)
		}
	}
	for _, m := range candidate.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1]+m[2])
	}
	return names
}

// chosen is the candidate of ours that is meant, by its code or id if it has one: the only one to a yes, the one whose place is said
// or that is repeated; else what was said. A number that names none of them, or by which another one is called, is no supplier: it
// would be found within any name that has it.
func (r reply) chosen(said string) string {
	shown := r.shown()
	n, counted := place(said, len(shown))
	switch {
	case len(shown) == 1 && assentForm.MatchString(folded(said)):
		said = shown[0]
	case assentForm.MatchString(folded(said)): // it is no name: "да" would be found within «Звезда»
		return r.unclear
	case counted && n >= 1 && n <= len(shown) && !callsAnother(said, shown, n-1):
		said = shown[n-1]
	case counted && r.asking == "supplier":
		return ""
	}
	if code := coded.FindStringSubmatch(said); code != nil && strings.Contains(r.asked, "\n- "+said) {
		return code[1]
	}
	return said
}

// place is which of so many is said and nothing else.
func place(said string, of int) (n int, counted bool) {
	m := counting.FindStringSubmatch(folded(said))
	switch {
	case m == nil:
		return 0, false
	case m[1] != "":
		return numberOf(m[1]), true
	case isLast(m[2]):
		return of, true
	}
	return nthOf(m[2]), true
}

// callsAnother reports whether a number is a word of another candidate than the one at its place: "Склад 2" may be shown first.
func callsAnother(said string, shown []string, place int) bool {
	return slices.ContainsFunc(slices.Delete(slices.Clone(shown), place, place+1), func(name string) bool {
		return slices.Contains(wordsOf(name), folded(said))
	})
}
