package evaluation

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

// Prices are per million tokens.
type Prices struct {
	Input, Output decimal.Decimal
	Currency      string
}

// Money is an amount and its currency.
type Money struct {
	Amount   decimal.Decimal `json:"amount"`
	Currency string          `json:"currency"`
}

// Report is the result of evaluating a model.
type Report struct {
	Model      string        `json:"model"`
	GoodEnough bool          `json:"good_enough"` // at least 90 % of the answers are right, and at most 2 % wrong
	Turns      int           `json:"turns"`
	Classes    map[Class]int `json:"classes"`
	TokensIn   int           `json:"tokens_in"`
	TokensOut  int           `json:"tokens_out"`
	Seconds    float64       `json:"seconds"`
	Counters
	Money    *Money    `json:"money,omitempty"` // nil if unknown
	Outcomes []Outcome `json:"outcomes"`
}

// Summarize summarizes outcomes. prices is nil if the prices are unknown.
func Summarize(model string, outcomes []Outcome, prices *Prices) Report {
	r := Report{Model: model, Turns: len(outcomes), Classes: map[Class]int{}, Outcomes: outcomes}
	for _, class := range classes {
		r.Classes[class] = 0
	}
	for _, o := range outcomes {
		r.Classes[o.Class]++
		r.TokensIn, r.TokensOut, r.Seconds = r.TokensIn+o.TokensIn, r.TokensOut+o.TokensOut, r.Seconds+o.Seconds
		r.Counters.add(o.Counters, 1)
	}
	r.GoodEnough = r.Turns > 0 && r.thousandths(Right) >= 900 && r.thousandths(Wrong) <= 20
	if prices != nil {
		in, out := decimal.NewFromInt(int64(r.TokensIn)), decimal.NewFromInt(int64(r.TokensOut))
		r.Money = &Money{in.Mul(prices.Input).Add(out.Mul(prices.Output)).Shift(-6), prices.Currency}
	}
	return r
}

// Print writes a table with a line for each subject, then the totals, and then each answer that was not right.
func (r Report) Print(to io.Writer) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	var subjects []string
	by := map[string][]Outcome{}
	width := len("about")
	for _, o := range r.Outcomes {
		if by[o.About] == nil {
			subjects = append(subjects, o.About)
			width = max(width, utf8.RuneCountInString(o.About))
		}
		by[o.About] = append(by[o.About], o)
	}
	fmt.Fprintf(table, "%-*s\tturns\t", width, "about")
	for _, class := range classes {
		fmt.Fprint(table, class, "\t")
	}
	fmt.Fprint(table, "mended\tmarked\tcalls\ttokens in\tout\tseconds\t\n")
	for _, subject := range subjects {
		Summarize("", by[subject], nil).printLine(table, fmt.Sprintf("%-*s", width, subject))
	}
	r.printLine(table, fmt.Sprintf("%-*s", width, "all"))
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(to, "\n%s: %s\n", r.Model, r.verdict())
	if r.Money != nil {
		fmt.Fprintf(to, "Tokens cost %s %s.\n", r.Money.Amount.StringFixed(4), r.Money.Currency)
	}
	if len(r.Causes) > 0 {
		fmt.Fprint(to, "References were mended or marked because of:")
		for _, cause := range slices.Sorted(maps.Keys(r.Causes)) {
			fmt.Fprintf(to, " %s %d", cause, r.Causes[cause])
		}
		fmt.Fprintln(to)
	}
	for _, o := range r.Outcomes {
		if o.Class != Right {
			fmt.Fprintf(to, "\n%s, turn %d, %s: %s\n    %s\n", o.ID, o.Turn, o.Class, o.Question, strings.Join(o.Why, "; "))
		}
	}
	return nil
}

func (r Report) printLine(to io.Writer, name string) {
	fmt.Fprintf(to, "%s\t%d\t", name, r.Turns)
	for _, class := range classes {
		fmt.Fprintf(to, "%d\t", r.Classes[class])
	}
	fmt.Fprintf(to, "%d\t%d\t%d\t%d\t%d\t%.1f\t\n", r.Mended, r.Marked, r.ModelCalls, r.TokensIn, r.TokensOut, r.Seconds)
}

func (r Report) thousandths(class Class) int { return r.Classes[class] * 1000 / r.Turns }

// verdict says in words whether the model is good enough.
func (r Report) verdict() string {
	if r.Turns == 0 {
		return "nothing was asked"
	}
	summary := fmt.Sprintf("%d of %d answers are right (%d %%), %d wrong. ", r.Classes[Right], r.Turns, r.thousandths(Right)/10, r.Classes[Wrong])
	switch {
	case r.thousandths(Wrong) > 20:
		return summary + "Not good enough: its answers have to be checked."
	case !r.GoodEnough:
		return summary + "Not good enough: often of no help. See what it asked back or left out."
	case r.Classes[Failed] > 0:
		return summary + "Good enough, but it did not always answer."
	}
	return summary + "Good enough."
}
