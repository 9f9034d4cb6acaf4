package offline

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

// fitsNone is said of a name that nothing has.
const fitsNone = "none"

// outcome is what a call of this turn gave.
type outcome struct {
	call    call
	data    json.RawMessage // the result; nil if the call failed
	matched *bool           // whether there is anything in it; nil if it does not say
	problem string
	field   string // the argument that was wrong
	fits    string // how much the name in it fits, if that is what is wrong: [fitsNone] or several
	among   []string
}

func readOutcome(c call, content string) outcome {
	o := outcome{call: c}
	var answer struct {
		Data  json.RawMessage `json:"data"`
		Error *struct {
			Message string `json:"message"`
			Fields  []struct {
				Field      string   `json:"field"`
				Problem    string   `json:"problem"`
				Fits       string   `json:"fits"`
				Candidates []string `json:"candidates"`
			} `json:"fields"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(content), &answer); err != nil || answer.Error == nil && answer.Data == nil {
		o.problem = content // some other program's tool
		return o
	}
	if e := answer.Error; e != nil {
		o.problem = e.Message
		if len(e.Fields) > 0 {
			first := e.Fields[0]
			o.field, o.problem, o.fits, o.among = first.Field, cmp.Or(first.Problem, e.Message), first.Fits, first.Candidates
		}
		return o
	}
	o.data = answer.Data
	var found struct {
		Result struct {
			Matched   *bool `json:"matched"`
			TotalRows *int  `json:"total_rows"`
		} `json:"result"`
	}
	if json.Unmarshal(answer.Data, &found) == nil {
		o.matched = found.Result.Matched
		if n := found.Result.TotalRows; o.matched == nil && n != nil {
			o.matched = new(*n > 0)
		}
	}
	return o
}

// missed tells that the search of a call found nothing.
func (o outcome) missed() bool { return o.matched != nil && !*o.matched }

// mended are calls to make again: with the one candidate that the question names in another case, or with the bare stems
// of what was searched for.
func (t *turn) mended() []call {
	var calls []call
	for _, o := range t.outcomes {
		if c, ok := t.mend(o); ok && !slices.ContainsFunc(t.outcomes, func(other outcome) bool { return sameCall(other.call, c) }) {
			calls = append(calls, c)
		}
	}
	return calls
}

func (t *turn) mend(o outcome) (call, bool) {
	if !t.offer.has(o.call.tool) {
		return call{}, false
	}
	if name := t.named(o); name != "" && !strings.Contains(o.field, ".") {
		return o.call.with(o.field, name), true
	}
	if supplier := o.call.said("supplier"); o.field == "supplier" && o.fits == fitsNone && bare(supplier) != supplier {
		return o.call.with("supplier", bare(supplier)), true
	}
	if goods := t.goodsAtPlace(o); goods != "" {
		c := o.call.with("query", goods)
		delete(c.arguments, "warehouse")
		return c, true
	}
	query := o.call.said("query")
	if !o.missed() || query == "" {
		return call{}, false
	}
	if stems(query) != folded(query) {
		return o.call.with("query", stems(query)), true
	}
	if one := longest(strings.Fields(query)); one != query {
		return o.call.with("query", one), true
	}
	return call{}, false
}

// atWarehouse is "in stock" as people say it, with nothing that tells which warehouse.
var atWarehouse = expression.Of(`(?i)(?:на|в|по)\s+складе?(?:ах|ам|у)?(?:[^\pL]|$)`)

// goodsAtPlace are the goods of a question whose name was taken for that of a warehouse, "сколько на складе чайников": there is no such
// warehouse, and no goods are named before it.
func (t *turn) goodsAtPlace(o outcome) string {
	place := o.call.said("warehouse")
	if !t.offer.takes(o.call.tool, "query") || o.field != "warehouse" || o.fits != fitsNone || place == "" {
		return ""
	}
	at := atWarehouse.FindStringIndex(t.question)
	if at == nil || !strings.HasPrefix(strings.TrimSpace(t.question[at[1]:]), place) || findSlots(t.question[:at[0]], t.now).product != "" {
		return ""
	}
	return findSlots(t.question[:at[0]]+" "+t.question[at[1]:], t.now).product
}

// goodsInstead is what was searched for after no warehouse of that name was there, "" if nothing was found.
func goodsInstead(outcomes []outcome) string {
	for i, o := range outcomes {
		if query := o.call.said("query"); o.data != nil && !o.missed() && o.call.said("warehouse") == "" && slices.ContainsFunc(outcomes[:i], placeless) {
			return query
		}
	}
	return ""
}

// placeless tells a call that failed for its warehouse.
func placeless(o outcome) bool { return o.data == nil && o.field == "warehouse" }

func longest(words []string) string {
	return slices.MaxFunc(words, func(a, b string) int { return len(a) - len(b) })
}

// bare is a name without the ending of its last word: "Ромашки" is found as "Ромашк".
func bare(name string) string {
	last := name[strings.LastIndexAny(name, " «»\"")+1:]
	word := []rune(last)
	return strings.TrimSuffix(name, last) + string(word[:len([]rune(stem(folded(last))))])
}

// named is the one candidate that the question, or the argument itself, names.
func (t *turn) named(o outcome) string {
	for _, text := range []string{o.call.said(o.field), t.question} {
		var fitting []string
		for _, candidate := range o.among {
			if mentions(strings.Fields(stems(text)), candidate) {
				fitting = append(fitting, candidate)
			}
		}
		if len(fitting) == 1 {
			return fitting[0]
		}
	}
	return ""
}
