package grounding

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
)

// admission walks the JSON of one result.
type admission struct {
	check    *Check
	tool     string
	currency string
	during   *span
	read     time.Time // the day, if it is known
	parties  []string  // of a draft
	rows     []*subject
	counts   map[string]counted         // of the tool
	places   map[string]map[string]bool // named by rows, by their field
}

// admit takes the figures, names and papers of a result.
func (c *Check) admit(r *tools.Result) {
	encoded, err := json.Marshal(r.Result)
	if err != nil {
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return
	}
	a := admission{check: c, tool: r.Tool, currency: r.Currency, counts: counts()[r.Tool], places: map[string]map[string]bool{}}
	if fields, ok := value.(map[string]any); ok {
		a.during, a.parties = spanOf(fields), c.parties(fields)
	}
	if !r.AsOf.IsZero() {
		a.read = dayOf(r.AsOf.In(moscow))
	}
	if a.during != nil {
		a.during.read = a.read
		c.addLength(*a.during)
	}
	a.walk("", value, nil, nil)
	a.countPlaces(value)
	if !a.read.IsZero() {
		c.days.add(a.read)
		c.days.read = append(c.days.read, a.read)
	}
	c.past.admit(r, a.during)
	c.papers.admit(r.Tool, value, r.Notes)
	c.admitWindows(r.Tool)
	for _, note := range r.Notes {
		a.note(note)
		for _, lang := range []string{"ru", "en"} {
			c.names.trust(render.Note(lang, note))
		}
	}
}

// note admits the counts and shares that a note tells, which the result may not have: how many documents have no status.
func (a *admission) note(n tools.Note) {
	for name, text := range n.Values {
		value, err := decimal.NewFromString(text)
		switch {
		case err != nil:
		case name == "threshold":
			a.check.ledger.enter(percent, entry{value: value, field: name})
		case noteCounts[name]:
			a.count(value, records, nil)
		}
	}
}

// noteCounts are the values of notes that count something.
var noteCounts = set("positions rows count compared not_set shown total")

// admitWindows takes the numbers of days or months that a tool looks back by itself: what "older than 90 days" says is true
// of the result though it is not in it. Arguments that the model gave are its own word and ground nothing.
func (c *Check) admitWindows(tool string) {
	for _, window := range windows()[tool] {
		if c.windows == nil {
			c.windows = map[string]bool{}
		}
		c.windows[window] = true
	}
}

// windows are the defaults of each tool's arguments that are numbers of days or months, in days.
var windows = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, t := range tools.All() {
		var schema struct {
			Properties map[string]struct {
				Default json.RawMessage `json:"default"`
			} `json:"properties"`
		}
		if json.Unmarshal(t.Parameters, &schema) != nil {
			continue
		}
		for name, property := range schema.Properties {
			n, err := decimal.NewFromString(string(property.Default))
			switch {
			case err != nil:
			case name == "months":
				all[t.Name] = append(all[t.Name], n.Mul(durations[name]).String())
			case strings.HasSuffix(name, "days"):
				all[t.Name] = append(all[t.Name], n.String())
			}
		}
	}
	return all
})

// placeLists are the lists of results whose rows are of places.
var placeLists = set("warehouses channels")

func (a *admission) walk(path string, value any, siblings map[string]any, of *subject) {
	switch v := value.(type) {
	case map[string]any:
		a.leftOut(v)
		if month := monthOf(v); month != nil {
			whole := a.during
			a.during, month.read = month, a.read
			defer func() { a.during = whole }()
		}
		holder := of
		if of = a.check.subjectOf(v, of, a.parties); of != holder {
			a.rows = append(a.rows, of)
			if placeLists[path] {
				a.check.addPlace(of.name)
			}
		}
		for name, field := range v {
			if text, named := field.(string); named && placeCounts[name] != anything {
				a.place(name, text)
			}
			a.walk(strings.TrimPrefix(path+"."+name, "."), field, v, of)
		}
	case []any:
		a.countOf(path, len(v), of)
		for _, item := range v {
			a.walk(path, item, siblings, of)
		}
	case json.Number:
		a.number(path, v, siblings, of)
	case string:
		a.check.names.add(v)
		a.check.words.add(v)
		a.check.days.admit(v)
	}
}

// count admits a number of rows, which no field tells.
func (a *admission) count(n decimal.Decimal, what counted, of *subject) {
	a.check.ledger.enter(quantity, entry{value: n, counts: what, field: "rows", of: of, among: &a.rows})
}

// countOf admits the length of a list, and of the part that the rendering leaves out.
func (a *admission) countOf(path string, n int, of *subject) {
	for _, count := range []int{n, n - render.ShownRows} {
		if count >= 0 {
			a.count(decimal.NewFromInt(int64(count)), a.counts[path]|positions|rows, of)
		}
	}
}

// place keeps a warehouse, a supplier or a counterparty that a row names.
func (a *admission) place(field, name string) {
	if a.places[field] == nil {
		a.places[field] = map[string]bool{}
	}
	a.places[field][name] = true
}

// countPlaces admits how many of them there are in a result that is whole.
func (a *admission) countPlaces(result any) {
	if fields, _ := result.(map[string]any); fields["truncated"] == true {
		return
	}
	for field, names := range a.places {
		a.count(decimal.NewFromInt(int64(len(names))), toldAs(placeCounts[field]), nil)
	}
}

// leftOut admits how many rows the rendering does not show of a list that the tool itself has cut.
func (a *admission) leftOut(holder map[string]any) {
	shown, _ := holder["rows"].([]any)
	total, _ := holder["total_rows"].(json.Number)
	if all, err := decimal.NewFromString(total.String()); err == nil && len(shown) > 0 {
		a.count(all.Sub(decimal.NewFromInt(int64(min(len(shown), render.ShownRows)))), a.counts["rows"]|positions|rows, nil)
	}
}

func (a *admission) number(path string, n json.Number, siblings map[string]any, of *subject) {
	value, err := decimal.NewFromString(n.String())
	kind, known := render.KindOf(a.tool, path)
	if err != nil || !known {
		return
	}
	l := &a.check.ledger
	e := entry{value: value, field: path, of: of, among: &a.rows, during: a.during}
	switch kind {
	case render.Money:
		e.currency = a.currencyOf(siblings)
		l.enter(money, e)
	case render.Percent:
		l.enter(percent, e)
	case render.Units:
		e.counts = toldAs(goods)
		l.enter(quantity, e)
	case render.Days:
		a.duration(path, e)
	case render.Count:
		e.counts = a.counts[path]
		l.enter(quantity, e)
		if left := value.Sub(decimal.NewFromInt(render.ShownRows)); left.IsPositive() {
			a.count(left, e.counts, of)
		}
	case render.Number:
		a.calculated(value, siblings)
	}
}

// duration admits a time in the unit that its field ends with, by itself and in days.
func (a *admission) duration(path string, e entry) {
	unit := path[strings.LastIndexAny(path, "._")+1:]
	if days := durations[unit]; unit != "days" && !days.IsZero() {
		a.check.ledger.enter(headed, e)
		e.value = e.value.Mul(days)
	}
	a.check.ledger.enter(duration, e)
}

func (a *admission) currencyOf(siblings map[string]any) string {
	if own, ok := siblings["currency"].(string); ok {
		return own
	}
	return a.currency
}

// admitText admits the figures of a text that the user's side gave: as what they are written as, and a figure without a
// unit as anything. What the user asked is a premise, see [passage.confirms].
func (c *Check) admitText(text string, asked bool) {
	shown := plain(multiplied.ReplaceAllString(text, "$1×$2"))
	for _, f := range figures(shown) {
		for _, r := range f.readings {
			c.past.compared = c.past.compared || f.is != bare && f.is != duration
			e := entry{value: r.value, currency: f.currency, asked: asked}
			c.ledger.enter(f.is, e)
			if f.negative {
				e.value = r.value.Neg()
				c.ledger.enter(f.is, e)
			}
		}
	}
	c.names.add(text)
	c.days.admitText(shown)
}

// multiplied is an asterisk between two numbers in a text that is no Markdown.
var multiplied = expression.Of(`([0-9] ?)\*( ?)\b`)
