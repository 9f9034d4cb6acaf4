package grounding

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/render"
)

// maxPart is the longest sentence in bytes that is waited for, and mostFigures are how many it may have. Nobody reads longer
// ones, and neither a hostile stream nor a model that repeats itself must cost its square.
const (
	maxPart     = 16 << 10
	mostFigures = 200
)

// Gate passes an answer on sentence by sentence, each once it is checked. After the first problem nothing more is
// released, and the rest is only read for further problems.
type Gate struct {
	check    *Check
	release  func(text string)
	tail     []byte // of a character that is not complete yet
	pending  string // not yet judged
	resume   int    // where in pending a part may end
	released strings.Builder
	problems []Problem
	lists    list
	label    string   // the heading or "…:" that the next part is said of
	columns  []column // of the table that is being read
	row      int      // of that table
}

// Write takes the next part of the answer, of any length.
func (g *Gate) Write(delta string) {
	g.take(delta, false)
	for g.next() {
	}
}

// Close ends the answer, releases what is left of it, and tells all that did not pass; none means that all was released.
func (g *Gate) Close() []Problem {
	g.take("", true)
	for g.next() {
	}
	if g.pending != "" {
		g.judge(g.pending)
		g.pending = ""
	}
	return g.problems
}

// next judges the first part of what is pending, if it is complete.
func (g *Gate) next() bool {
	end, resume := cut(g.pending[:min(len(g.pending), maxPart)], g.resume, &g.lists)
	switch {
	case end > 0:
		g.judge(g.pending[:end])
	case len(g.pending) > maxPart:
		end = maxPart
		g.problems = append(g.problems, endless(g.pending))
	default:
		g.resume = resume
		return false
	}
	g.pending, g.resume = g.pending[end:], 0
	return true
}

func endless(sentence string) Problem {
	return Problem{Text: strings.ToValidUTF8(sentence[:min(len(sentence), 80)], "") + "…", Reason: TooLong}
}

// Released is the text that has passed so far.
func (g *Gate) Released() string { return g.released.String() }

// Failed reports whether a problem was met, so that a caller need not wait for the end.
func (g *Gate) Failed() bool { return len(g.problems) > 0 }

// take appends whole characters to what is pending, without those that a reader would not see.
func (g *Gate) take(delta string, final bool) {
	bytes := slices.Concat(g.tail, []byte(delta))
	whole := len(bytes)
	for start := max(0, len(bytes)-utf8.UTFMax+1); start < len(bytes) && !final; start++ {
		if utf8.RuneStart(bytes[start]) && !utf8.FullRune(bytes[start:]) {
			whole = start
			break
		}
	}
	g.pending += render.Visible(string(bytes[:whole]))
	g.tail = append([]byte(nil), bytes[whole:]...)
}

// judge checks one part as it would be shown, and shows it if nothing has failed so far.
func (g *Gate) judge(part string) {
	shown := render.Defuse(g.check.Redact(part))
	for _, p := range g.passages(shown) {
		g.problems = append(g.problems, g.check.judge(p)...)
	}
	if len(g.problems) > 0 {
		return
	}
	g.released.WriteString(shown)
	g.release(shown)
}

var bullet = expression.Of(`^(?:[-*+][ \t]+|>[ \t]*)+`)

// passages parts a row of a table into its cells; anything else is one passage.
func (g *Gate) passages(part string) []passage {
	line := strings.TrimSpace(part)
	if strings.HasPrefix(line, "|") {
		return g.cells(line)
	}
	p := passage{text: plain(bullet.ReplaceAllString(line, "")), shown: line, label: g.label, list: &g.lists}
	if p.text == "" { // a blank line ends a table
		g.row, g.columns = 0, nil
		return nil
	}
	g.row, g.columns, g.label = 0, nil, ""
	head := strings.Contains(line, "|") // of a table, with something before it
	if head || strings.HasSuffix(p.text, ":") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**") {
		g.label = brief(strings.TrimRight(p.text, ":"))
	}
	if n := numbered(p.text); n > 0 && g.lists.continuedBy(n) {
		g.lists[n] = true
	}
	return []passage{p}
}

// cells are the passages of a row. The first row of a table is its heads, which say what is below them.
func (g *Gate) cells(line string) []passage {
	if strings.Trim(line, "|:- ") == "" {
		g.row = 0
		return nil
	}
	g.row++
	heads := g.columns == nil
	passages := []passage{}
	var subjects []string
	stranger := false
	for i, cell := range cellsOf(line) {
		p := passage{text: minusApart.ReplaceAllString(plain(cell), "-$1"), cell: true, row: g.row, first: i == 0, list: &g.lists}
		if heads {
			g.columns, p.label = append(g.columns, columnOf(brief(p.text))), g.label
		} else if i < len(g.columns) {
			p.over, p.label = g.columns[i], g.columns[i].head
			if i > 0 {
				p.label = brief(passages[0].text) + " " + p.label
			}
		}
		if name := g.check.named(p.text); name != "" {
			subjects = append(subjects, name)
		} else if !heads {
			stranger = stranger || g.check.strange(p)
		}
		passages = append(passages, p)
	}
	for i := range passages {
		passages[i].subjects, passages[i].stranger = subjects, stranger
	}
	return passages
}

// minusApart begins a cell with a negative figure: no bullet does.
var minusApart = expression.Of(`^- ([\d₽$€])`)

// cellsOf parts a row at its pipes; an escaped pipe is text.
func cellsOf(line string) []string {
	var cells []string
	start := 1
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			cells = append(cells, line[start:i])
			start = i + 1
		}
	}
	if start < len(line) {
		cells = append(cells, line[start:])
	}
	return cells
}

// Cut ends an answer that was cut in the middle. The figure it was cut in is not what the model meant and is left out;
// what does not pass is left out too and is no problem of the answer.
func (g *Gate) Cut() {
	g.take("", true)
	g.pending = lastFigure.ReplaceAllString(g.pending, "")
	failed := len(g.problems)
	g.Close()
	g.problems = g.problems[:failed]
}

var lastFigure = expression.Of(`[-\x{2212}]?\d[\d.,'\s\x{a0}\x{2009}\x{202f}]*$`)
