// Package grounding stands between what a model writes and who reads it. A figure of an answer that is not in a result of
// a tool, in the user's own words, or computed from them does not pass; neither does a cost of zero that is unknown, a
// document that does not exist, a live link, or a secret. No model is in it: the same answer gets the same verdict.
//
// A [Check] holds what a conversation rests on. Each answer, streamed or whole, goes through a [Gate] of it:
//
//	check := grounding.New(grounding.Evidence{Lang: "ru", UserTexts: questions, Secrets: secrets})
//	check.Add(result)                                // each time a tool has answered
//	gate := check.Gate(func(text string) { … })      // once per answer of the model
//	gate.Write(delta)                                // as it streams
//	problems := gate.Close()                         // what did not pass; text before it has been released
//	missing := check.MissingNotes(gate.Released())   // to be said at the end of the answer
package grounding

import (
	"slices"
	"strings"
	"sync"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/tools"
)

// Evidence is what the figures of an answer may come from, and what must never be in one.
type Evidence struct {
	Lang        string          // of the answer, "ru" or "en"
	Results     []*tools.Result // of earlier turns: their figures ground, their notes were said then
	UserTexts   []string        // the user's own messages
	ClientTexts []string        // what else the client has given: by tools of its own, or to be summed up
	Secrets     []string        // exact values, such as the upstream's token, beside those known by their form
}

// Check is the evidence of one conversation, in a form to look figures up. It is not safe for concurrent use.
type Check struct {
	lang       string
	secrets    []string
	ledger     ledger
	names      names
	words      vocabulary
	papers     papers
	days       days
	past       past
	titles     map[string]bool    // what rows of results are of
	begin      map[string][]title // by how they begin
	shared     map[string]bool    // where these rows belong
	codes      map[string]string  // what rows are of, by its code; "" where several have it
	windows    map[string]bool    // numbers of days that the tools look back by themselves
	lengths    map[string]bool    // in days, of the periods of results
	notes      []tools.Note       // of the tools used in this turn
	clientActs bool               // the client has tools of its own, which may have done anything
	margin     []tools.Note       // of the last margin of earlier turns: due again with every margin
}

// Problem is a part of an answer that may not leave.
type Problem struct {
	Text   string // as the answer has it
	Reason Reason
}

// Reason says why, in words for the model that is asked again.
type Reason string

// The reasons.
const (
	Ungrounded  Reason = "this figure is in no tool result and not in the user's words; use calculate for derived figures"
	Misplaced   Reason = "this figure is in a tool result, but of another product or another measure; a coverage is no margin, and a markup must be computed"
	Unreadable  Reason = "this number is written in a way that cannot be checked; write it in plain digits"
	TooLong     Reason = "this sentence has no end; write shorter ones"
	WrongSum    Reason = "this calculation does not come to this; use calculate"
	WrongDay    Reason = "this day is in no tool result; say the days that the results have"
	CostZero    Reason = "this cost is unknown, not zero"
	NoDocument  Reason = "no such document has been created; say what was drafted and how to confirm it"
	NotNothing  Reason = "no result says that there is none; say what the results have, and that it is unknown where they have null"
	NoTrend     Reason = "the results are of one time only, so nothing can be said to have grown or fallen; ask for the other period, or leave the comparison out"
	MarginWhole Reason = "cost is not known for all of this revenue; give the margin of the covered part with its coverage"
)

// New is a check over the evidence of the turns so far.
func New(e Evidence) *Check {
	c := &Check{lang: e.Lang, secrets: e.Secrets}
	for _, text := range e.UserTexts {
		c.admitText(text, true)
	}
	c.clientActs = len(e.ClientTexts) > 0
	for _, text := range e.ClientTexts {
		c.admitText(text, false)
	}
	for _, result := range e.Results {
		c.admit(result)
		if result.Tool == "margin" {
			c.margin = result.Notes
		}
	}
	return c
}

// Add admits a result of this turn. Its notes must be in the answer.
func (c *Check) Add(r *tools.Result) {
	c.admit(r)
	c.notes = append(c.notes, r.Notes...)
}

// AddNames admits what a tool said that an argument could mean: names of the books, to be repeated as they are.
func (c *Check) AddNames(candidates []string) {
	for _, name := range candidates {
		c.names.add(name)
		c.words.add(name)
	}
}

// Gate starts the check of one answer. What passes is handed to release, in order and never taken back.
func (c *Check) Gate(release func(text string)) *Gate { return &Gate{check: c, release: release} }

// Text is the check of a whole answer: the fold of a gate.
func (c *Check) Text(answer string) (released string, problems []Problem) {
	gate := c.Gate(func(string) {})
	gate.Write(answer)
	problems = gate.Close()
	return gate.Released(), problems
}

// HasFigures reports whether an answer has a figure of a result.
func (c *Check) HasFigures(answer string) bool {
	text := plain(answer)
	dates := spansOf(text, calendar)
	words := sync.OnceValue(func() []word { return wordsIn(text) })
	return slices.ContainsFunc(figures(text), func(f figure) bool {
		return !c.names.cover(text, words, f, false) && !dates.hold(f) && c.ledger.holds(f, signOf(f), func(e entry) bool { return e.field != "" })
	})
}

// Redact replaces every secret, known by value or by form, with asterisks.
func (c *Check) Redact(text string) string { return redact.Text(text, c.secrets...) }

// MissingNotes are the notes that are due with an answer and that it does not say, as text to append; empty when all are
// said. Due are those of this turn's tools, and with a margin of an earlier turn its coverage again.
func (c *Check) MissingNotes(answer string) string {
	var missing []tools.Note
	due := c.notes
	if !says(due, tools.CostCoverage) && marginTold.MatchString(plain(answer)) {
		due = append(slices.Clone(due), c.margin...)
	}
	for _, note := range due {
		if !strings.Contains(answer, render.Note(c.lang, note)) && !slices.ContainsFunc(missing, func(m tools.Note) bool { return m.Text == note.Text && m.Code == note.Code }) {
			missing = append(missing, note)
		}
	}
	return render.Notes(c.lang, missing)
}

func says(notes []tools.Note, code tools.NoteCode) bool {
	return slices.ContainsFunc(notes, func(n tools.Note) bool { return n.Code == code })
}

var marginTold = expression.Of(`(?:марж|рентабельн|margin|profitab)[^.!?]*[0-9]|[0-9][^.!?]*(?:марж|рентабельн|margin|profitab)`)
