package offline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/render"
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

func (c call) with(name string, value any) call {
	arguments := map[string]any{}
	maps.Copy(arguments, c.arguments)
	arguments[name] = value
	return call{c.tool, arguments}
}

func sameCall(a, b call) bool {
	left, _ := json.Marshal(a.arguments) // maps of texts and numbers, keys sorted
	right, _ := json.Marshal(b.arguments)
	return a.tool == b.tool && string(left) == string(right)
}

// answer is the text of the turn: the results written out, or what went wrong, or what can be asked.
func (t *turn) answer() string {
	if len(t.outcomes) == 0 {
		return t.helpless()
	}
	found, s := t.meant()
	var paragraphs []string
	for i, o := range t.outcomes {
		if !t.superseded(i) {
			paragraphs = append(paragraphs, t.written(o, found, s)...)
		}
	}
	for _, task := range found { // half of a question may lack what the other half has
		if lacking := t.lacks(task, s); lacking != nothing && slices.ContainsFunc(task.tools, t.offer.has) {
			paragraphs = append(paragraphs, lacking.in(t.lang))
		}
	}
	return strings.Join(slices.DeleteFunc(paragraphs, func(p string) bool { return p == "" }), "\n\n")
}

// written are the paragraphs about one outcome, some of them empty.
func (t *turn) written(o outcome, found []*task, s slots) []string {
	if o.data == nil {
		return []string{t.trouble(o)}
	}
	query, first := o.call.said("query"), t.firstQuery(o.call.tool)
	if o.missed() && query != "" {
		return []string{t.say(notFound, first)}
	}
	oneWord := ""
	if query != "" && len(strings.Fields(query)) < len(strings.Fields(first)) {
		oneWord = t.say(label{
			"Всё вместе не нашлось; ниже найденное по одному слову «%s».", "Nothing has all of the words; below is what one of them found: “%s”.",
		}, query)
	}
	data, narrowing := t.narrowed(o, s)
	text, err := render.FromJSON(t.lang, o.call.tool, data)
	if err != nil {
		text = t.trouble(outcome{call: o.call, problem: err.Error()})
	}
	return []string{t.remark(o.call.tool, found, s), oneWord, narrowing, strings.TrimSpace(text)}
}

// say is a text about something that the user or the books have named.
func (t *turn) say(about label, name string) string {
	return fmt.Sprintf(about.in(t.lang), render.Inline(name))
}

// superseded tells a failed call that a later one of the same tool has mended.
func (t *turn) superseded(i int) bool {
	o := t.outcomes[i]
	if o.data != nil && !o.missed() {
		return false
	}
	placeless := func(o outcome) bool { return o.data == nil && o.field == "warehouse" }
	if o.missed() && slices.ContainsFunc(t.outcomes[:i], placeless) { // neither a warehouse nor goods: the former is asked for
		return true
	}
	if placeless(o) && !slices.ContainsFunc(t.outcomes[i+1:], func(later outcome) bool { return later.data != nil && !later.missed() }) {
		return false
	}
	return slices.ContainsFunc(t.outcomes[i+1:], func(later outcome) bool {
		return later.call.tool == o.call.tool && later.call.said("from") == o.call.said("from")
	})
}

// remark is what must be said before a tool's result: of its time, and what the task says, or that we lack an argument for the
// task itself.
func (t *turn) remark(tool string, found []*task, s slots) string {
	for _, task := range found {
		switch {
		case task.instead == tool:
			return asks[task.needs].in(t.lang)
		case slices.Contains(task.tools, tool):
			return sentences(t.timed(tool, s).in(t.lang), t.unheeded(tool, s), s.apartFromTax(tool).in(t.lang), task.remark.in(t.lang))
		}
	}
	return t.timed(tool, s).in(t.lang)
}

func sentences(each ...string) string {
	return strings.Join(slices.DeleteFunc(each, func(s string) bool { return s == "" }), " ")
}

// firstQuery is what a tool searched for first, before a call was mended: the user's own word.
func (t *turn) firstQuery(tool string) string {
	for _, o := range t.outcomes {
		if first := o.call.said("query"); o.call.tool == tool && first != "" {
			return first
		}
	}
	return ""
}

// said is what an argument was given as, by its path: "supplier", "lines.0.product".
func (c call) said(field string) string {
	var value any = c.arguments
	for part := range strings.SplitSeq(field, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return ""
			}
			value = v[i]
		default:
			return ""
		}
	}
	said, _ := value.(string)
	return said
}
