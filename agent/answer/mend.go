package answer

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/answer/reference"
)

// Limits of mending.
const (
	mostMended   = 3
	mostNested   = 2 // a replacement that fails is mended once
	mendingTime  = 15 * time.Second
	maxMended    = 1 << 10 // bytes of a replacement
	beforeLength = 300
)

// mending keeps what the model was asked to replace, the time used, and the replacements.
type mending struct {
	asked []string
	spent time.Duration
	depth int               // replacements being written, one inside the other
	known map[string]string // what was mended → its replacement
}

// problem writes the model's replacement for a part that cannot be written, or a mark.
func (w *Writer) problem(ctx context.Context, p Problem) error {
	outer := w.mending.depth == 0
	if outer {
		w.counts.Causes[p.Cause]++
	}
	var err error
	replacement, known := w.mending.known[p.Expression]
	if !known {
		replacement, err = w.ask(ctx, p)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil || replacement == "":
		w.marked(p)
		return nil
	}
	marked := w.counts.Marked
	w.mending.depth++
	err = w.replace(ctx, p, replacement)
	w.mending.depth--
	if err == nil && w.counts.Marked == marked {
		if outer {
			w.counts.Mended++
		}
		w.mending.known[p.Expression] = replacement
	}
	return err
}

// mayAsk reports whether the model can still be asked for a replacement.
func (w *Writer) mayAsk() bool {
	m := &w.mending
	return w.config.Mend != nil && m.depth < mostNested && len(m.asked) < mostMended && m.spent < mendingTime
}

// ask asks the model for a replacement. It returns "" if a limit is reached, or if the model was asked for it before.
func (w *Writer) ask(ctx context.Context, p Problem) (string, error) {
	m := &w.mending
	if !w.mayAsk() || slices.Contains(m.asked, p.Expression) {
		return "", nil
	}
	if w.row == nil {
		if err := w.flush(); err != nil {
			return "", err
		}
	}
	p.Before = last(w.page.text.String(), beforeLength)
	if w.row != nil {
		p.Before = last(p.Before+w.row.text.String(), beforeLength)
	}
	m.asked = append(m.asked, p.Expression)
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, mendingTime-m.spent)
	defer cancel()
	replacement, err := w.config.Mend(ctx, p)
	m.spent += time.Since(began)
	return singleLine(replacement), err
}

// singleLine returns a replacement without the code fences and line ends that models put around it.
func singleLine(replacement string) string {
	if len(replacement) > maxMended {
		return ""
	}
	replacement = strings.Join(strings.Fields(replacement), " ")
	if inner, fenced := strings.CutPrefix(replacement, "```"); fenced {
		replacement = strings.TrimSuffix(inner, "```")
	}
	return strings.TrimSpace(strings.Trim(replacement, "`"))
}

// replace writes a replacement: a text, usually with a reference, or an expression without braces.
func (w *Writer) replace(ctx context.Context, p Problem, replacement string) error {
	if strings.Contains(replacement, "{{") || !refers.MatchString(replacement) {
		return w.inner(ctx, replacement)
	}
	failure, err := w.evaluate(ctx, replacement, "")
	if failure != nil {
		return w.problem(ctx, Problem{Expression: replacement, Cause: failure.Cause, Text: failure.Text, After: p.After})
	}
	return err
}

// refers matches an expression that names a report.
var refers = regexp.MustCompile(`\bR[0-9]+[.\[]`)

// marked writes a mark instead of the part.
func (w *Writer) marked(p Problem) {
	w.counts.Marked++
	w.putFigure(w.mark(), Figure{Expression: p.Expression, Marked: true}, reference.Value{})
	w.out().isValue = false
}
