package grounding

import (
	"strings"
	"sync"

	"github.com/kopeck/kopeck/agent/expression"
)

// passage is a part of an answer that is judged at once: a sentence, a list item, or one cell of a table.
type passage struct {
	text     string // plain
	shown    string // of which it is
	cell     bool
	label    string // plain: what the text is said of, such as the head of a column and the first cell of a row
	over     column
	row      int      // of a table, from 1; the first column may number the rows
	first    bool     // the first cell of its row
	subjects []string // plain: what the row is of, by the cells that name something of the results
	stranger bool     // its row is of a name that no result has
	list     *list    // the numbering that it may continue
	figures  []figure
	known    func(name string) bool // its words stand in results

	// Found when they are first asked for, once for all figures.
	when       func() told      // its figures are said to be of
	mentions   func() []mention // in it, if it is no cell
	enumerated func() []mention // in it, if it tells their figures respectively
	counting   func() []figure  // those that are told of something
	strangers  func() []mention // of no result
	dates      func() spans     // in it
	sayings    func() spans     // with numbers that count nothing
	losing     func() bool      // it says that something is negative
	weighing   func() bool      // it weighs what the user wants or has said
	words      func() []word
	shares     func() []shareWord
}

// judge finds what may not leave of a passage.
func (c *Check) judge(p passage) []Problem {
	found := figures(p.text)
	if len(found) > mostFigures {
		return []Problem{endless(p.text)}
	}
	p.figures = found
	c.prepare(&p)
	c.partFigures(p)
	var problems []Problem
	for _, f := range found {
		f = p.over.over(f)
		if reason, wrong := c.figure(p, f); wrong {
			problems = append(problems, Problem{Text: p.text[f.start:f.end], Reason: reason})
		}
	}
	problems = append(problems, equations(p.text, found)...)
	return append(problems, c.claims(p)...)
}

// prepare tells a passage how to find what is asked of it for several figures.
func (c *Check) prepare(p *passage) {
	capital := sync.OnceValue(func() map[string]bool { return capitals(p.shown) })
	p.known = c.words.knows
	p.when = sync.OnceValue(func() told { return toldPeriods(p.label + " " + p.text) })
	p.mentions = sync.OnceValue(func() []mention {
		return c.mentions(p.text, p.words(), func(word string) bool { return capital()[word] })
	})
	p.enumerated = sync.OnceValue(func() []mention { return c.mentions(p.text, p.words(), func(string) bool { return true }) })
	p.counting = sync.OnceValue(func() []figure { return p.figuresBeside(p.enumerated()) })
	p.strangers = sync.OnceValue(func() []mention { return c.strangers(*p) })
	p.dates = sync.OnceValue(func() spans { return spansOf(p.text, calendar, yearAfter, dayAfter) })
	p.sayings = sync.OnceValue(func() spans { return spansOf(p.text, wellKnown) })
	p.losing = sync.OnceValue(func() bool { return loss.MatchString(p.text) })
	p.weighing = sync.OnceValue(func() bool { return weighed.MatchString(p.text) })
	p.words = sync.OnceValue(func() []word { return wordsIn(p.text) })
	p.shares = sync.OnceValue(func() []shareWord { return sharesIn(p.text) })
}

// partFigures has each figure begin behind the one before that is told of something: "прибыль «Рога 5» за октябрь 2025 — 7 ₽" has
// one.
func (c *Check) partFigures(p passage) {
	after := 0
	for i, f := range p.figures {
		if f.unreadable || len(f.readings) == 0 {
			continue
		}
		p.figures[i].after = after
		if !c.names.cover(p.text, p.words, f, p.cell) && !exempt(p, f) {
			after = f.end
		}
	}
}

// figure tells what is wrong with a figure, if anything is.
func (c *Check) figure(p passage, f figure) (Reason, bool) {
	fits := c.fitting(p, f)
	switch {
	case f.unreadable && c.names.cover(p.text, p.words, f, p.cell):
		return "", false // a code may read like one: PO-7E4799
	case f.unreadable || len(f.readings) == 0:
		return Unreadable, true
	case c.ledger.holds(f, signOf(f), fits), c.names.cover(p.text, p.words, f, p.cell):
		return "", false
	case f.is == duration && !f.scaled && c.windows[f.readings[0].value.String()]:
		return "", false
	case !f.negative && c.ledger.holds(f, -1, func(e entry) bool { return (f.bracketed || p.negates(e)) && fits(e) }):
		return "", false
	case f.negative && c.ledger.holds(f, 1, func(e entry) bool { return strings.HasPrefix(e.field, "currencies.net_burn") && fits(e) }):
		return "", false // what burns is a negative difference
	case f.readings[0].value.IsZero() && (negatedZero(p.text, f) || conditional(p.text, f.start)), exempt(p, f), !p.cell && p.listed(f):
		return "", false
	case p.first && f.is == bare && p.text[f.from:f.to] == strings.TrimSuffix(p.text, ".") && f.readings[0].value.IntPart() == int64(p.row):
		return "", false
	}
	if c.ledger.holds(f, signOf(f), anyEntry) {
		return Misplaced, true
	}
	return Ungrounded, true
}

// The words by which a figure that is negative in the books is written without its sign: of any, of the difference of two, of
// what remains of the cash when the debts are paid.
var (
	loss   = expression.Of(`убыт|минус|отрицател|недостач|дефицит|переплат|потер|овердрафт|не хватает|(?:ниже|меньше) нул|loss|lost|negative|deficit|short|minus|in the red|overdraft|(?:below|less than) zero`)
	lesser = expression.Of(`долж|долг|меньше|ниже|снизи|сокра|упал|owe|below|less|fewer|drop|fell|decline|debt`)
	excess = expression.Of(`превыш|больше,? чем|больше (?:денег|всех денег)|перекр|exceed|outweigh|more than`)
)

func signOf(f figure) int64 {
	if f.negative {
		return -1
	}
	return 1
}

// negates reports whether a passage lets a figure stand without the minus that an entry has.
func (p passage) negates(e entry) bool {
	switch {
	case p.losing():
		return true
	case e.field == "" || strings.HasSuffix(e.field, "difference"):
		return lesser.MatchString(p.text)
	}
	return strings.HasSuffix(e.field, "net") && excess.MatchString(p.text)
}
