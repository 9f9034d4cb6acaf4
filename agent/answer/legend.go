package answer

import (
	"context"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// mostInLegend bounds the figures that a legend explains.
const mostInLegend = 20

// Legend says of each figure of an answer what it is, in the words of the reports and not in the model's:
//
//	Цифры за 24.10–22.11.2026: всего — прибыль 393 542,59 ₽, маржа 43,36 %; «Сито» — прибыль 54 000 ₽ (2-е из 108).
//
// Whatever the model's words make of a figure, the legend stands against it. It is empty if there is nothing to explain.
func Legend(ctx context.Context, book *reference.Book, lang, text string, figures []Figure) string {
	l := legend{lang: lang}
	runes := []rune(text)
	for _, f := range figures {
		if f.Marked || f.End > len(runes) || !reference.IsNumber(f.Kind) && f.Kind != reference.Tabular {
			continue
		}
		value := string(runes[f.Start:f.End])
		if f.Kind == reference.Tabular {
			value = ""
		}
		if err := l.explain(ctx, book, f, value); err != nil || l.cut {
			break // the client has left, or the line is full
		}
	}
	return l.write()
}

// legend is the explanations of an answer's figures, by report and subject.
type legend struct {
	lang   string
	parts  []*legendPart
	count  int
	cut    bool
	before map[string]bool // what has been explained
}

// legendPart is what rests on one report, or, of nil, on several.
type legendPart struct {
	report   *reference.Report
	subjects []*legendSubject
	computed []string
}

type legendSubject struct {
	name   string
	fields []string
}

func (l *legend) explain(ctx context.Context, book *reference.Book, f Figure, value string) error {
	is, err := book.Explain(ctx, f.Expression)
	if err != nil || is.Text == "" || is.Setting {
		return ctx.Err()
	}
	noRow := func(o reference.Origin) bool { return o.Row == 0 }
	if is.Field && len(f.Origins) > 1 && !slices.ContainsFunc(f.Origins, noRow) { // digits that several rows have
		var names []string
		for _, o := range f.Origins {
			names = append(names, reference.Quoted(l.lang, render.Inline(o.Named(l.lang))))
		}
		is.Subject, is.Place = strings.Join(names, " / "), ""
	}
	part := l.part(is.Report)
	text := is.Text
	switch {
	case is.Field:
		if text += " " + value; is.Place != "" {
			text += " (" + is.Place + ")"
		}
	case value != "":
		text = value + " = " + text
	}
	key := is.Subject + "\n" + text
	if l.before[key] {
		return nil
	}
	if l.count == mostInLegend {
		l.cut = true
		return nil
	}
	if l.before == nil {
		l.before = map[string]bool{}
	}
	l.before[key] = true
	l.count++
	if !is.Field {
		part.computed = append(part.computed, text)
		return nil
	}
	subject := part.subject(is.Subject)
	subject.fields = append(subject.fields, text)
	return nil
}

func (l *legend) part(r *reference.Report) *legendPart {
	for _, part := range l.parts {
		if part.report == r {
			return part
		}
	}
	l.parts = append(l.parts, &legendPart{report: r})
	return l.parts[len(l.parts)-1]
}

func (p *legendPart) subject(name string) *legendSubject {
	for _, subject := range p.subjects {
		if subject.name == name {
			return subject
		}
	}
	p.subjects = append(p.subjects, &legendSubject{name: name})
	return p.subjects[len(p.subjects)-1]
}

// write is one line of a single report, and a list with a line for each of several.
func (l *legend) write() string {
	head := bilingual.Text{RU: "Цифры", EN: "Figures"}.In(l.lang)
	end := "."
	if l.cut {
		end = "…"
	}
	switch {
	case len(l.parts) == 0:
		return ""
	case len(l.parts) == 1:
		if r := l.parts[0].report; r != nil {
			head += r.Scope(l.lang)
		}
		return head + ": " + strings.TrimSuffix(l.parts[0].write(), ".") + end
	}
	lines := []string{head + ":"}
	for _, part := range l.parts {
		name := bilingual.Text{RU: "вычислено", EN: "computed"}.In(l.lang)
		if part.report != nil {
			name = bilingual.Small(tools.ToolLabel(part.report.Tool).In(l.lang)) + part.report.Scope(l.lang)
		}
		lines = append(lines, "- "+name+": "+part.write())
	}
	if l.cut {
		lines = append(lines, "- …")
	}
	return strings.Join(lines, "\n")
}

func (p *legendPart) write() string {
	var all []string
	for _, s := range p.subjects {
		fields := strings.Join(s.fields, ", ")
		if s.name != "" {
			fields = s.name + " — " + fields
		}
		all = append(all, fields)
	}
	return strings.Join(append(all, p.computed...), "; ")
}
