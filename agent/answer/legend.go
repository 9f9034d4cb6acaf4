package answer

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// mostInLegend limits the figures that a legend explains.
const mostInLegend = 20

// Legend returns a text that says what each figure of an answer is, in the words of the reports:
//
//	Цифры за 24.10–22.11.2026: всего — прибыль 393 542,59 ₽, маржа 43,36 %; «Сито» — прибыль 54 000 ₽ (2-е по величине из 108).
//
// So if the model's words say something else about a figure, the reader can notice it. What an owner must know about a
// field follows, unless it was told before. The text is empty if there is nothing to explain.
func Legend(ctx context.Context, book *reference.Book, lang, text string, figures []Figure, told func(about string) bool) string {
	l := legend{lang: lang, told: told}
	runes, shown := []rune(text), reference.NewTold()
	figures = slices.DeleteFunc(slices.Clone(figures), func(f Figure) bool { return f.Marked || f.End > len(runes) })
	for _, f := range figures {
		shown.Figure(f.Expression, f.Kind, string(runes[f.Start:f.End]))
	}
	explained := map[string]bool{}
	for _, f := range figures {
		if f.Kind != reference.Tabular && explained[f.Expression] {
			continue
		}
		explained[f.Expression] = true
		is, err := book.Explain(ctx, f.Expression, shown)
		if ctx.Err() != nil || len(l.entries) > mostInLegend {
			break
		}
		isText := reference.IsText(f.Kind) && !is.Field
		if err != nil || is.Text+is.Place == "" || is.Setting && !reference.IsNumber(f.Kind) || isText { // its report is gone, or it is not a figure
			continue
		}
		e := entry{Explanation: is, value: cmp.Or(is.Signed, string(runes[f.Start:f.End]))}
		if is.Setting {
			e.Subject = bilingual.Text{RU: "настройка отчёта", EN: "report setting"}.In(lang)
		}
		if f.Kind == reference.Tabular {
			e.value = ""
		}
		l.add(e)
	}
	return l.write()
}

// legend collects the explanations of an answer's figures.
type legend struct {
	lang    string
	entries []entry
	about   []string // what an owner must know about the fields
	told    func(about string) bool
}

type entry struct {
	reference.Explanation
	value string // as the answer shows it; empty for a table and for a name
}

// add adds an entry, unless it is there already, and what an owner must know about its fields.
func (l *legend) add(e entry) {
	same := func(other entry) bool {
		return other.Report == e.Report && other.Subject == e.Subject && other.Text == e.Text && other.value == e.value && other.Place == e.Place
	}
	if slices.ContainsFunc(l.entries, same) {
		return
	}
	l.entries = append(l.entries, e)
	for _, about := range e.About {
		if !slices.Contains(l.about, about) && !l.told(about) {
			l.about = append(l.about, about)
		}
	}
}

// write returns the legend: one line if all figures come from one report, otherwise a list with a line for each
// report. Figures computed from several reports come last.
func (l *legend) write() string {
	l.entries = slices.DeleteFunc(l.entries, l.saidByHead)
	end := "."
	if len(l.entries) > mostInLegend {
		l.entries, end = l.entries[:mostInLegend], "…"
	}
	of := map[*reference.Report][]entry{}
	var reports []*reference.Report
	for _, e := range l.entries {
		if of[e.Report] == nil && e.Report != nil {
			reports = append(reports, e.Report)
		}
		of[e.Report] = append(of[e.Report], e)
	}
	if of[nil] != nil {
		reports = append(reports, nil)
	}
	head := render.LegendHead.In(l.lang)
	switch {
	case len(reports) == 0:
		return ""
	case len(reports) == 1:
		if r := reports[0]; r != nil && l.hasFigure(r) {
			head += r.Scope(l.lang)
		}
		text := head + ": " + strings.TrimSuffix(l.line(of[reports[0]]), ".") + end
		if len(l.about) > 0 {
			text += " " + bilingual.Capital(strings.Join(l.about, "; ")) + "."
		}
		return text
	}
	lines := []string{head + ":"}
	for _, r := range reports {
		name := bilingual.Text{RU: "вычислено", EN: "computed"}.In(l.lang)
		if r != nil {
			name = bilingual.Small(tools.ToolLabel(r.Tool).In(l.lang)) + r.Scope(l.lang)
		}
		lines = append(lines, "- "+name+": "+l.line(of[r]))
	}
	if len(l.about) > 0 {
		lines = append(lines, "- "+strings.Join(l.about, "; "))
	}
	return strings.Join(lines, "\n")
}

// saidByHead reports whether an entry is a setting that the head of the legend already contains.
func (l *legend) saidByHead(e entry) bool {
	return e.Setting && e.Report != nil && l.hasFigure(e.Report) && strings.Contains(e.Report.Scope(l.lang), e.Text)
}

func (l *legend) hasFigure(of *reference.Report) bool {
	return slices.ContainsFunc(l.entries, func(e entry) bool { return e.Report == of && !e.Setting })
}

// line explains the figures of one report: first fields, grouped by their subject, then computed figures.
func (l *legend) line(entries []entry) string {
	var subjects, computed []string
	fields := map[string][]string{}
	for _, e := range entries {
		if !e.Field {
			computed = append(computed, strings.TrimPrefix(e.value+" = "+e.Text, " = "))
			continue
		}
		if fields[e.Subject] == nil {
			subjects = append(subjects, e.Subject)
		}
		fields[e.Subject] = append(fields[e.Subject], e.Text+" "+e.value+e.place())
	}
	parts := make([]string, len(subjects))
	for i, subject := range subjects {
		if parts[i] = strings.Join(fields[subject], ", "); subject != "" {
			parts[i] = subject + " — " + parts[i]
		}
	}
	return strings.Join(append(parts, computed...), "; ")
}

// place returns the figure's rank in parentheses.
func (e entry) place() string {
	if e.Place == "" {
		return ""
	}
	return " (" + e.Place + ")"
}
