package grounding

import (
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/expression"
)

// moscow is the upstream's zone, in which people name days. It has had no summer time since 2014.
var moscow = time.FixedZone("MSK", 3*60*60)

// days are the dates that results and the user name, and when the results were read.
type days struct {
	known map[time.Time]bool
	read  []time.Time
}

func (d *days) add(day time.Time) {
	if d.known == nil {
		d.known = map[time.Time]bool{}
	}
	d.known[dayOf(day)] = true
}

func dayOf(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// admit takes the day of a field, as it is written and in Moscow.
func (d *days) admit(text string) {
	if len(text) < len(time.DateOnly) || !digit(text[0]) || text[len("2006")] != '-' {
		return
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		d.add(t)
		d.add(t.In(moscow))
	} else if t, err := time.Parse(time.DateOnly, text); err == nil {
		d.add(t)
	}
}

// admitText takes the days that a text names, each with a digit.
func (d *days) admitText(text string) {
	if !strings.ContainsAny(text, "0123456789") {
		return
	}
	for _, at := range namedDay.FindAllStringSubmatch(text, -1) {
		if t, ok := dayNamed(at[1:]); ok {
			d.add(t)
		}
	}
}

var (
	dayForms = `(?:(\d{4})-(\d{2})-(\d{2})|(\d{1,2})\.(\d{2})\.(\d{4})|(\d{1,2}) (` + monthPattern + `)\.?,?(?: (\d{4}))?|(` + monthPattern + `)\.? (\d{1,2})(?:st|nd|rd|th)?(?:, ?(\d{4})| (\d{4}))?)(?:[^\p{L}\d]|$)`
	namedDay = expression.Of(dayForms)

	// scheduled is a day by which something is to happen, or has not: other days are those that an answer is of.
	scheduled = expression.Of(`(?:запланир|планир|по плану|срок|законч|заканчива|кончит|хватит|ожида|просроч|поставк|\bdue|planned|expected|runs? out|running out|lasts? until|overdue|deadline|deliver)[^.;!?\d|]{0,40}?` + dayForms)
)

// dayNamed reads the parts of dayForms. Without a year it is of the year 0.
func dayNamed(parts []string) (time.Time, bool) {
	year, month, day := 0, 0, 0
	switch {
	case parts[0] != "":
		year, month, day = atoi(parts[0]), atoi(parts[1]), atoi(parts[2])
	case parts[3] != "":
		year, month, day = atoi(parts[5]), atoi(parts[4]), atoi(parts[3])
	case parts[6] != "":
		year, month, day = atoi(parts[8]), monthNamed(parts[7]), atoi(parts[6])
	default:
		year, month, day = atoi(parts[11]+parts[12]), monthNamed(parts[9]), atoi(parts[10])
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC), 1 <= month && month <= 12 && 1 <= day && day <= 31
}

// monthNamed is the number of a month by its name.
func monthNamed(word string) int {
	return slices.IndexFunc(monthStems, func(stem string) bool { return strings.HasPrefix(word, stem) })%12 + 1
}

// wrongDay finds a day of a schedule that is in no result, and is none of those that lie as far from when a result was
// read as a time in it says: "хватит на 14 дней, до 5 декабря".
func (c *Check) wrongDay(text string) string {
	if !anyOf(text, scheduleStems...) {
		return ""
	}
	found := scheduled.FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	day, ok := dayNamed(found[1:])
	if !ok || c.days.has(day) {
		return ""
	}
	for _, read := range c.days.read {
		for _, e := range c.ledger.entries[duration] {
			const tolerance = 1
			n := int(e.value.IntPart())
			for off := -tolerance; off <= tolerance; off++ {
				if same(day, read.AddDate(0, 0, n+off)) || same(day, read.AddDate(0, 0, off-n)) {
					return ""
				}
			}
		}
	}
	return found[0]
}

// scheduleStems are in every text that scheduled matches: a look that costs little.
var scheduleStems = strings.Fields("план срок законч заканч кончит хватит ожида просроч поставк due planned expected run last deadline deliver")

func (d *days) has(day time.Time) bool {
	for known := range d.known {
		if same(day, known) {
			return true
		}
	}
	return false
}

// same compares days, the first of which may be of no year.
func same(a, b time.Time) bool {
	return a.Day() == b.Day() && a.Month() == b.Month() && (a.Year() == 0 || a.Year() == b.Year())
}
