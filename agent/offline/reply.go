package offline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
)

// mostCandidates limits the names that a question offers.
const mostCandidates = 8

// asking returns what the model must ask before it can read anything, or nil.
func (t *turn) asking(f *frame) *question {
	switch {
	case f.view.draft != nil:
		return t.talk.missing(f)
	case f.ask != nil:
		return f.ask
	case f.report == nil:
		return nil
	case slices.ContainsFunc(f.wrongPeriods(), func(wrong bool) bool { return wrong }):
		return &question{slot: "period"}
	case f.channel != "" && f.report.Slots.Channel == "group" &&
		(f.goods != nil || f.Mode == "" && f.sort != "" && f.choices["group_by"] == ""):
		return &question{slot: "channel", said: f.channel}
	case len(f.unexplained) > 0:
		return t.unexplained(f)
	case f.tooMany():
		return &question{slot: "product", said: f.goods.Said, candidates: f.goods.Names}
	case f.lacking == "goods" && f.goods == nil:
		return &question{slot: "product"}
	}
	return nil
}

func (f *frame) wrongPeriods() (wrong []bool) {
	for _, p := range f.periods {
		wrong = append(wrong, p.Wrong || p.From.After(f.heard.today))
	}
	return wrong
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
		if said != "" {
			parts = append(parts, said)
		}
	}
	return strings.Join(parts, "\n\n"), nil
}

// answer answers one frame, from the results of its calls if it has any.
func (t *turn) answer(f *frame) (string, error) {
	drafted := func(one madeCall) bool { return one.tool == f.tool }
	if f.view.draft != nil && !t.offered[f.tool] && !slices.ContainsFunc(t.made, drafted) {
		return t.notAllowed(f), nil
	}
	if q := t.asking(f); q != nil {
		return t.back(f, q), nil
	}
	if f.topic() {
		return t.talked(f), nil
	}
	t.citeNames(append(f.sides(), f)...)
	for _, c := range t.calls(f) {
		switch o := t.outcome(c); {
		case o == nil:
			return t.notAllowed(f), nil
		case o.problem != nil:
			return t.failed(f, o.problem), nil
		case o.report == "" || t.book == nil:
			return t.drafted(f), nil
		}
	}
	switch {
	case len(f.sides()) > 0:
		return t.settled(f, t.operated(f)), nil
	case f.draft != nil:
		return t.drafted(f), nil
	}
	said, err := tell(t.ctx, t.book, f, t.reads(f))
	return t.settled(f, said), err
}

// citeNames allows the answer to say what frames are about.
func (t *turn) citeNames(frames ...*frame) {
	if t.cite == nil {
		return
	}
	for _, f := range frames {
		if f.goods != nil {
			t.cite(cmp.Or(f.goods.One(), f.goods.Said))
		}
	}
}

// drafted returns the text above the draft that the service shows.
func (t *turn) drafted(f *frame) string {
	if f.view.draft == nil {
		return ""
	}
	if f.draft.corrects {
		return reply(t.lang, "corrected")
	}
	return reply(t.lang, "drafted")
}

// failed says why a call failed, and lists the candidates if there are any.
func (t *turn) failed(f *frame, p *problem) string {
	if len(p.Fields) == 0 {
		return p.Message
	}
	first := p.Fields[0]
	field := first.Field[strings.LastIndexByte(first.Field, '.')+1:]
	if _, known := t.talk.replies[field]; known && len(first.Candidates) > 0 {
		return offering(t.lang, reply(t.lang, field), first.Candidates)
	}
	said := strings.TrimSuffix(cmp.Or(first.Problem, p.Message), ".")
	if field == "price" && f.draft != nil && len(f.draft.lines) == 1 && f.draft.lines[0].price == nil && f.draft.lines[0].goods.One() != "" {
		return reply(t.lang, "price_missing", "WHAT", reference.Quoted(t.lang, f.draft.lines[0].goods.One()))
	}
	if name, known := render.ArgumentName(t.lang, first.Field); known {
		said = name + ": " + said
	}
	if t.cite != nil {
		t.cite(said)
	}
	return capital(said) + "."
}

// reply returns a text of replies.yaml. The values are pairs: a name in the text, and what to put there.
func reply(lang, name string, values ...string) string {
	return strings.NewReplacer(values...).Replace(loaded().replies[name].In(lang))
}

// offering adds a list to choose from to a text.
func offering(lang, said string, names []string) string {
	for i, name := range names[:min(len(names), mostCandidates)] {
		if i == 0 {
			said += "\n"
		}
		said += "\n- " + name
	}
	if len(names) > mostCandidates {
		said += "\n\n" + reply(lang, "more_names")
	}
	return said
}

// back asks the user for what is missing.
func (t *turn) back(f *frame, q *question) string {
	said := t.asksBack(f, q)
	for line := range strings.Lines(said) {
		if name, listed := strings.CutPrefix(strings.TrimSpace(line), "- "); listed && t.cite != nil {
			t.cite(name)
		}
	}
	if t.cite != nil {
		t.cite(q.said)
	}
	return said
}

func (t *turn) asksBack(f *frame, q *question) string {
	name, report, names := q.slot, "", q.candidates
	if f.report != nil {
		report = f.report.Names.In(t.lang)
	}
	kind := "_several"
	if len(names) == 0 {
		kind = "_unknown"
	}
	if _, own := t.talk.replies[name+kind]; own && q.said != "" {
		name += kind
	}
	if q.slot == "report" && len(names) == 0 {
		return t.notUnderstood()
	}
	quote := (&telling{frame: f}).quote
	var quoted []string
	for _, one := range names {
		quoted = append(quoted, quote(one))
	}
	or := bilingual.Text{RU: " или ", EN: " or "}.In(t.lang)
	said := reply(t.lang, name, "WHAT", quote(q.said), "REPORT", report, "NAMES", strings.Join(quoted, or))
	if q.slot == "report" {
		return said
	}
	return offering(t.lang, said, t.talk.options(q))
}

// talked answers a message that is not about the books.
func (t *turn) talked(f *frame) string {
	return offering(t.lang, f.view.In(t.lang), f.examples(t.lang))
}

func (t *turn) notUnderstood() string {
	h := t.talk.catalog.hear(t.question, t.lang, t.talk.today, nil, t.talk.known)
	if h.has(t.talk.Anaphor) && len(h.tokens) <= 8 {
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
