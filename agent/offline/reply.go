package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/words"
	"github.com/kopeck/kopeck/agent/render"
)

// mostCandidates limits the names that a question offers.
const mostCandidates = 8

// asking returns what the model must ask before it can read anything, or nil.
func (t *turn) asking(f *frame) *question {
	switch by := f.choices["group_by"]; {
	case f.view.draft != nil:
		return t.talk.missing(f)
	case f.ask != nil:
		return f.ask
	case f.report == nil:
		return nil
	case slices.ContainsFunc(f.periods, func(p calendar.Period) bool { return p.Wrong || p.From.After(f.heard.today) }):
		return &question{slot: "period"}
	case (f.channel != "" || len(f.places) > 0) && f.report.Slots.Channel == "group" &&
		(f.goods != nil || f.Counts || f.Mode == "" && by != "channel" && (by != "" || f.sort != "")):
		return &question{slot: "channel", said: cmp.Or(f.channel, strings.Join(f.places, ", "))}
	case len(f.unexplained) > 0:
		return t.unexplained(f)
	case f.goods != nil && f.goods.Listed && (f.tooMany() || f.report.Tool == "search_products" && f.goods.Query()+f.goods.Shared() == ""):
		return &question{slot: "listed", candidates: f.goods.Names}
	case f.tooMany():
		return &question{slot: "product", said: f.goods.Said, candidates: f.goods.Names}
	case f.lacking == "goods" && f.goods == nil:
		return &question{slot: "product"}
	}
	return nil
}

// say returns the whole answer.
func (t *turn) say() (string, error) {
	if len(t.frames) == 0 {
		return t.notUnderstood(), nil
	}
	var parts []string
	for _, f := range t.frames {
		said, err := t.answer(f)
		if err != nil {
			return "", err
		}
		if said != "" && !slices.Contains(parts, said) {
			parts = append(parts, said)
		}
	}
	return strings.Join(parts, "\n\n"), nil
}

// answer answers one frame, from the results of its calls if it has any.
func (t *turn) answer(f *frame) (string, error) {
	if f.view.draft != nil && !t.offered[f.tool] && len(t.made) == 0 {
		return t.notAllowed(f), nil
	}
	if q := t.asking(f); q != nil {
		return t.back(f, q), nil
	}
	if movable := t.talk.movable(f); movable != nil { // there is nothing to move
		return t.answer(movable)
	}
	if f.topic() {
		return offering(t.lang, f.view.In(t.lang), f.examples(t.lang)), nil
	}
	for _, about := range append(f.sides(), f) {
		if about.goods != nil {
			t.cite(cmp.Or(about.goods.One(), about.goods.Said))
		}
	}
	for _, c := range t.talk.calls(f) {
		switch o := t.outcome(c); {
		case o == nil:
			return t.notAllowed(f), nil
		case o.Problem != nil:
			return t.failed(o.Problem), nil
		case o.report == "" || t.book == nil: // nothing that can be read
			return "", nil
		}
	}
	switch {
	case len(f.sides()) > 0:
		return t.settled(f, t.operated(f)), nil
	case f.draft != nil:
		t.cite(f.draft.ignored...)
		said := reply(t.lang, map[bool]string{false: "drafted", true: "corrected"}[f.draft.corrects])
		said = t.opposed(f) + said
		if all := f.draft.skipped; len(all) > 0 {
			t.cite(all...)
			few := all[:min(len(all), mostCandidates)]
			said = reply(t.lang, "skipped", "WHAT", strings.Join(few, ", "), "N", fmt.Sprint(len(all))) + " " + said
		}
		if len(f.draft.ignored) > 0 {
			said = reply(t.lang, "untimed", "WHAT", strings.Join(f.draft.ignored, ", ")) + " " + said
		}
		return said, nil
	}
	said, err := t.telling(f, t.reads(f)).tell()
	return t.settled(f, said), err
}

// failed says why a call failed, and lists the names to choose from if there are any.
func (t *turn) failed(p *problem) string {
	if len(p.Fields) == 0 {
		return p.Message
	}
	first := p.Fields[0]
	said := strings.TrimSuffix(cmp.Or(first.Problem, p.Message), ".")
	if name, known := render.ArgumentName(t.lang, first.Field); known {
		said = render.Explained(t.lang, name, said)
	}
	t.cite(said)
	return offering(t.lang, capital(said)+".", first.Candidates)
}

// reply returns a text of replies.yaml. The values are pairs: a name in the text, and what to put there.
func reply(lang, name string, values ...string) string {
	return strings.NewReplacer(values...).Replace(loaded().replies[name].In(lang))
}

// offering adds a list to choose from to a text.
func offering(lang, said string, names []string) string {
	if len(names) == 0 {
		return said
	}
	said += "\n\n- " + strings.Join(names[:min(len(names), mostCandidates)], "\n- ")
	if len(names) > mostCandidates {
		said += "\n\n" + reply(lang, "more_names")
	}
	return said
}

// back asks the user for what is missing.
func (t *turn) back(f *frame, q *question) string {
	name, kind := q.slot, "_several"
	if len(q.candidates) == 0 {
		kind = "_unknown"
	}
	if _, own := t.talk.replies[name+kind]; own && q.said != "" {
		name += kind
	}
	values := []string{"WHAT", reference.Quoted(t.lang, q.said)}
	t.cite(q.said)
	if f.report != nil {
		values = append(values, "REPORT", f.report.Names.In(t.lang))
	}
	switch {
	case q.slot != "report":
	case len(q.candidates) == 0:
		return t.notUnderstood()
	default:
		var quoted []string
		for _, one := range q.candidates {
			quoted = append(quoted, reference.Quoted(t.lang, one))
		}
		return reply(t.lang, name, append(values, "NAMES", strings.Join(quoted, reply(t.lang, "or")))...)
	}
	options, said := t.talk.options(q), reply(t.lang, name, values...)
	if f.draft != nil && len(f.draft.noted) > 0 {
		t.cite(f.draft.noted...)
		said = reply(t.lang, "noted", "WHAT", strings.Join(f.draft.noted, ", ")) + " " + said
	}
	if q.all {
		said += " " + reply(t.lang, "or_all")
	}
	t.cite(options[:min(len(options), mostCandidates)]...)
	return offering(t.lang, said, options)
}

func (t *turn) notUnderstood() string {
	if slices.ContainsFunc(words.Tokens(t.question), t.talk.Anaphor.Is) {
		return reply(t.lang, "about_what")
	}
	return reply(t.lang, "not_understood")
}

// notAllowed answers if the key may not use the report.
func (t *turn) notAllowed(f *frame) string {
	if f.report == nil {
		return reply(t.lang, "drafts_forbidden")
	}
	return reply(t.lang, "report_forbidden", "REPORT", f.report.Names.In(t.lang))
}
