package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/evidence"
	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// provenance says where the quantities and prices of a draft come from: the user's own words, the purchase price of a
// product's card, a report's figure of the same product, what lies below the minimums, or the assistant alone.
func (r *run) provenance(report *reference.Report) (string, error) {
	d, err := readDraft(report.Result)
	if err != nil || d.State != "draft" {
		return "", err
	}
	var asked struct {
		FromShortage bool `json:"from_shortage"`
	}
	if len(report.Result.Arguments) > 0 {
		if err := json.Unmarshal(report.Result.Arguments, &asked); err != nil {
			return "", fmt.Errorf("read a draft's arguments: %w", err)
		}
	}
	said := evidence.NumbersIn(r.said)
	var units, prices origins
	for _, line := range d.Lines {
		if line.Units != nil {
			units.add(line.Name, r.originOf(line, line.Units.Decimal(), said, asked.FromShortage))
		}
		if line.Price != nil && line.PriceSource != "product_card" { // the lines say that themselves
			prices.add(line.Name, r.originOf(line, line.Price.Decimal(), said, false))
		}
	}
	return strings.TrimSpace(units.text(quantityFrom.In(r.lang)) + "\n" + prices.text(priceFrom.In(r.lang))), nil
}

// originOf says where one number of a draft's line comes from.
func (r *run) originOf(line draftLine, value decimal.Decimal, said evidence.Numbers, short bool) string {
	if said.Has(value) {
		return byYou.In(r.lang)
	}
	if short {
		return byShortage.In(r.lang)
	}
	for _, found := range r.book.Find(literal.Literal{Readings: []literal.Reading{{Value: value}}}) {
		for _, origin := range found.Origins {
			if origin.RowName == line.Name || line.Code != "" && origin.RowCode == line.Code {
				return fmt.Sprintf(byReport.In(r.lang), tools.ToolLabel(origin.Tool).In(r.lang), found.Label(r.lang))
			}
		}
	}
	return byAssistant.In(r.lang)
}

// origins groups the lines of a draft by where their number comes from, in the order in which they were met.
type origins struct {
	order []string
	lines map[string][]string // :: origin → names of lines
}

func (o *origins) add(line, origin string) {
	if o.lines == nil {
		o.lines = map[string][]string{}
	}
	if !slices.Contains(o.order, origin) {
		o.order = append(o.order, origin)
	}
	o.lines[origin] = append(o.lines[origin], "«"+render.Inline(line)+"»")
}

// text is one line: the origin of all, or of each with the lines that it is of.
func (o *origins) text(head string) string {
	const most = 5 // names of lines
	switch len(o.order) {
	case 0:
		return ""
	case 1:
		return "- " + head + ": " + o.order[0] + "."
	}
	parts := make([]string, len(o.order))
	for i, origin := range o.order {
		names := o.lines[origin]
		if len(names) > most {
			names = append(slices.Clone(names[:most]), "…")
		}
		parts[i] = origin + " (" + strings.Join(names, ", ") + ")"
	}
	return "- " + head + ": " + strings.Join(parts, "; ") + "."
}

var (
	quantityFrom = bilingual.Text{RU: "Количество", EN: "Quantity"}
	priceFrom    = bilingual.Text{RU: "Цена", EN: "Price"}
	byYou        = bilingual.Text{RU: "назвали вы", EN: "named by you"}
	byShortage   = bilingual.Text{RU: "сколько не хватает до неснижаемого остатка", EN: "what is missing up to the minimum"}
	byReport     = bilingual.Text{RU: "из отчёта «%s» («%s»)", EN: "from the report “%s” (“%s”)"}
	byAssistant  = bilingual.Text{RU: "предложено ассистентом", EN: "proposed by the assistant"}
)
