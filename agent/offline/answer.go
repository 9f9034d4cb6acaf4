package offline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/render"
)

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
