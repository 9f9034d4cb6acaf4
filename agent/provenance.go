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

// provenance says where the quantities and prices of a draft come from: the user's words, the product card, a report,
// the minimum stock, or only the assistant.
func (r *run) provenance(report *reference.Report) (string, error) {
	d, err := readDraft(report.Result)
	if err != nil || d.State != "draft" {
		return "", err
	}
	var arguments draftArguments
	if len(report.Result.Arguments) > 0 {
		if err := json.Unmarshal(report.Result.Arguments, &arguments); err != nil {
			return "", fmt.Errorf("read a draft's arguments: %w", err)
		}
	}
	var names []string
	for _, party := range d.Parties {
		names = append(names, party.Name)
	}
	texts, corrects := r.conversation.draftTexts(r.isDraftTool)
	drafted, err := r.draftedLines(report.Tool)
	if err != nil {
		return "", err
	}
	lines := make([]evidence.Line, len(d.Lines))
	for i, line := range d.Lines {
		lines[i] = evidence.Line{Name: line.Name, Code: line.Code, Corrected: corrects && drafted[[2]string{line.Name, line.Code}]}
		if line.Units != nil {
			units := line.Units.Decimal()
			lines[i].Units = &units
		}
		if line.Price != nil && line.PriceSource != "product_card" { // the draft's lines show that source
			price := line.Price.Decimal()
			lines[i].Price = &price
		}
	}
	request := evidence.NewRequest(texts, names, lines)
	units, prices := origins{lang: r.lang}, origins{lang: r.lang}
	for i, line := range lines {
		if line.Units != nil {
			claim := request.Claim(i, *line.Units, evidence.Quantity, "")
			units.add(line.Name, r.originOf(d.Lines[i], *line.Units, claim, arguments.FromShortage))
		}
	}
	for i, line := range lines {
		if line.Price == nil {
			prices.partial = prices.partial || d.Lines[i].Price != nil
			continue
		}
		origin := arguments.namedChange(r.lang, d, i, request)
		if origin == "" {
			origin = r.originOf(d.Lines[i], *line.Price, request.Claim(i, *line.Price, evidence.Price, d.Totals.Currency), false)
		}
		prices.add(line.Name, origin)
	}
	return strings.TrimSpace(units.text(quantityLabel.In(r.lang)) + "\n" + prices.text(priceLabel.In(r.lang))), nil
}

// draftedLines returns the names and codes of the lines of a tool's earlier drafts.
func (r *run) draftedLines(tool string) (map[[2]string]bool, error) {
	lines := map[[2]string]bool{}
	for _, report := range r.earlierReports {
		if report.Tool != tool {
			continue
		}
		d, err := readDraft(report.Result)
		if err != nil {
			return nil, err
		}
		for _, line := range d.Lines {
			lines[[2]string{line.Name, line.Code}] = true
		}
	}
	return lines, nil
}

// draftArguments are the arguments of a draft that say where its numbers come from.
type draftArguments struct {
	FromShortage bool `json:"from_shortage"`
	Lines        []struct {
		Change  *tools.Money  `json:"change"`
		Percent *tools.Number `json:"change_percent"`
	}
}

// namedChange says by how much the old price of a line was raised or lowered, if the user wrote that number. It returns "" if the user
// did not. It names the direction, because a model may have confused it.
func (a draftArguments) namedChange(lang string, d draft, i int, request *evidence.Request) (origin string) {
	line := d.Lines[i]
	if line.OldPrice == nil {
		return ""
	}
	old, price, best := line.OldPrice.Decimal(), line.Price.Decimal(), evidence.NotNamed
	for _, l := range a.Lines {
		by, unit, changed, purpose := decimal.Zero, "", old, evidence.Change
		switch {
		case l.Change != nil:
			by, changed = l.Change.Decimal(), tools.MoneyOf(old.Add(l.Change.Decimal()).Shift(2)).Decimal()
		case l.Percent != nil:
			by, unit, purpose = l.Percent.Decimal(), bilingual.PercentSign.In(lang), evidence.PercentChange
			changed = tools.MoneyOf(old.Mul(by.Add(decimal.NewFromInt(100)))).Decimal()
		}
		if by.IsZero() || !changed.Equal(price) {
			continue
		}
		direction, whose := raised, numberOfUser
		if by.IsNegative() {
			direction = lowered
		}
		claim := request.Claim(i, by.Abs(), purpose, d.Totals.Currency)
		if claim == evidence.Mentioned {
			whose = fromMessage
		}
		if claim > best {
			best, origin = claim, fmt.Sprintf(direction.In(lang), bilingual.Digits(lang, by.Abs().String())+unit, whose.In(lang))
		}
	}
	return origin
}

// isProposal returns 1 for a figure that says how much to order or to move. Other figures of its row often equal it: the shortage of
// what has run out is its minimum.
func isProposal(v reference.Value) int {
	field := v.Origins[0].Field
	if strings.HasSuffix(field, ".shortage") || strings.HasSuffix(field, ".order_units") {
		return 1
	}
	return 0
}

func (r *run) originOf(line draftLine, value decimal.Decimal, claim evidence.Claim, shortage bool) string {
	if claim == evidence.Named {
		return fromUser.In(r.lang)
	}
	if shortage {
		return fromShortage.In(r.lang)
	}
	figures := r.book.Find(literal.Literal{Readings: []literal.Reading{{Value: value}}})
	slices.SortStableFunc(figures, func(a, b reference.Value) int { return isProposal(b) - isProposal(a) })
	for _, found := range figures {
		for _, origin := range found.Origins {
			if origin.RowName != line.Name && (line.Code == "" || origin.RowCode != line.Code) {
				continue
			}
			switch earlier := func(report *reference.Report) bool { return report.Name == origin.Report }; {
			case !r.isDraftTool(origin.Tool):
				return fmt.Sprintf(fromReport.In(r.lang), tools.ToolLabel(origin.Tool).In(r.lang), found.Label(r.lang))
			case slices.ContainsFunc(r.earlierReports, earlier):
				return fromEarlierDraft.In(r.lang)
			}
		}
	}
	if claim == evidence.Mentioned {
		return fromMessage.In(r.lang)
	}
	return fromAssistant.In(r.lang)
}

// origins groups the lines of a draft by the origin of their number, in order of appearance.
type origins struct {
	lang    string
	order   []string
	lines   map[string][]string // origin → names of lines
	partial bool                // other lines of the draft have numbers too
}

func (o *origins) add(line, origin string) {
	if o.lines == nil {
		o.lines = map[string][]string{}
	}
	if !slices.Contains(o.order, origin) {
		o.order = append(o.order, origin)
	}
	o.lines[origin] = append(o.lines[origin], reference.Quoted(o.lang, render.Inline(line)))
}

// text lists the origins on one line, with the names of their lines unless one origin is that of all lines.
func (o *origins) text(head string) string {
	const most = 5 // names
	switch {
	case len(o.order) == 0:
		return ""
	case len(o.order) == 1 && !o.partial:
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
	quantityLabel = bilingual.Text{RU: "Количество", EN: "Quantity"}
	priceLabel    = bilingual.Text{RU: "Цена", EN: "Price"}
	fromUser      = bilingual.Text{RU: "назвали вы", EN: "named by you"}
	fromMessage   = bilingual.Text{
		RU: "число есть в вашем сообщении, но проверьте, к чему оно относится",
		EN: "the number is in your message, but check what it refers to",
	}
	raised           = bilingual.Text{RU: "старая, повышенная на %s (%s)", EN: "the old one raised by %s (%s)"}
	lowered          = bilingual.Text{RU: "старая, сниженная на %s (%s)", EN: "the old one lowered by %s (%s)"}
	numberOfUser     = bilingual.Text{RU: "число назвали вы", EN: "the number is yours"}
	fromShortage     = bilingual.Text{RU: "сколько не хватает до неснижаемого остатка", EN: "as many as are missing to reach the minimum"}
	fromReport       = bilingual.Text{RU: "из отчёта «%s» («%s»)", EN: "from the report “%s” (“%s”)"}
	fromEarlierDraft = bilingual.Text{RU: "как в прежнем черновике", EN: "as in the earlier draft"}
	fromAssistant    = bilingual.Text{RU: "предложено ассистентом", EN: "proposed by the assistant"}
)
