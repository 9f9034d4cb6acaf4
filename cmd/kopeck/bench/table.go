package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// row is a measurement and its goal. If the bare proxy was measured too, the goal is for the ratio.
type row struct {
	figure        string
	goal          float64
	atLeast       bool // the goal is a lower bound
	unit          string
	kopeck, bare  float64
	ratio         float64
	compared, bad bool
}

type table []row

// compare adds a measurement whose goal is a ratio to the bare proxy. The ratio is the median of the ratios in all rounds.
func (t *table) compare(figure, unit string, goal float64, atLeast bool, kopeck, bare []float64) {
	ratios := make([]float64, len(kopeck))
	for i := range kopeck {
		ratios[i] = kopeck[i] / bare[i]
	}
	r := row{
		figure: figure, goal: goal, atLeast: atLeast, unit: unit, kopeck: median(kopeck), bare: median(bare),
		ratio: median(ratios), compared: true,
	}
	r.bad = r.ratio > goal != atLeast
	t.add(r)
}

func (t *table) absolute(figure, unit string, goal float64, measured float64) {
	t.add(row{figure: figure, goal: goal, unit: unit, kopeck: measured, bad: measured > goal})
}

func (t *table) add(r row) {
	*t = append(*t, r)
	fmt.Println(r) // shows the progress of the run
}

func (r row) String() string {
	sign, verdict := "≤", ""
	if r.atLeast {
		sign = "≥"
	}
	if r.bad {
		verdict = "missed"
	}
	if !r.compared {
		return fmt.Sprintf("%s\t%s %s %s\t%s %s\t\t\t%s", r.figure, sign, short(r.goal), r.unit, short(r.kopeck), r.unit, verdict)
	}
	return fmt.Sprintf(
		"%s\t%s %s ×\t%s %s\t%s %s\t%.2f ×\t%s", r.figure, sign, short(r.goal), short(r.kopeck), r.unit, short(r.bare), r.unit, r.ratio, verdict,
	)
}

func short(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
}

func (t table) print(to io.Writer) {
	w := tabwriter.NewWriter(to, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "\nfigure\tgoal\tkopeck\tbare proxy\tratio\t")
	for _, r := range t {
		fmt.Fprintln(w, r)
	}
	w.Flush()
}
