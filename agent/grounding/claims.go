package grounding

import (
	"encoding/json"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/tools"
)

// papers is what results say beside their figures: which documents exist, and where cost is unknown.
type papers struct {
	drafted     bool            // a draft exists
	created     map[string]bool // by the tool that drafted it: a document was created upstream
	costUnknown bool            // some cost is not known
	costKnown   bool            // a result says that the cost of all that it has is known
	costZero    bool            // some cost is known to be 0
	states      map[string]bool
	zeros       map[string]bool // fields with a zero in some result, by name and by tool and name
}

func (p *papers) admit(tool string, value any, notes []tools.Note) {
	for _, note := range notes {
		switch note.Code {
		case tools.CostUnknown, tools.MarginUnreliable, tools.PurchasePriceBasis:
			p.costUnknown = true
		}
	}
	if fields, ok := value.(map[string]any); ok && strings.HasPrefix(tool, "draft_") {
		p.drafted = true
		if fields["state"] == "created" && fields["document"] != nil {
			if p.created == nil {
				p.created = map[string]bool{}
			}
			p.created[tool] = true
		}
	}
	p.walk(tool, "", value)
}

// walk looks for costs that are null, costs that are 0, and the names of states, which read like claims.
func (p *papers) walk(tool, name string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for field, inner := range v {
			p.walk(tool, field, inner)
		}
	case []any:
		for _, item := range v {
			p.walk(tool, name, item)
		}
	case nil:
		p.costUnknown = p.costUnknown || isCost(name)
	case json.Number:
		p.noteZero(tool, name, v)
		d, err := decimal.NewFromString(v.String())
		p.costZero = p.costZero || err == nil && isCost(name) && d.IsZero()
		p.costUnknown = p.costUnknown || err == nil && strings.Contains(name, "without_cost") && d.IsPositive()
		p.costKnown = p.costKnown || err == nil && (name == "cost_coverage_percent" && d.Equal(hundred) || strings.Contains(name, "without_cost") && d.IsZero())
		p.costUnknown = p.costUnknown || err == nil && name == "cost_coverage_percent" && d.LessThan(hundred)
	case string:
		if name == "state" {
			if p.states == nil {
				p.states = map[string]bool{}
			}
			p.states[plain(v)] = true
		}
	}
}

func isCost(field string) bool {
	return field == "cost" || field == "unit_cost" || field == "purchase_price"
}

var (
	zero      = `(?:0(?:[.,]0+)?|ноль|нуль|нулю|нуля|нулем|нулев[а-я]+|zero|nil)`
	costWord  = `(?:себестоимост[а-я]*|закупочн[а-я]+(?: цен[а-я]*)?|cost price|cost of goods|purchase price|unit costs?|costs?|cogs)`
	costZero  = expression.Of(costWord + `[^.;!?\d]{0,60}?(?:^|[^\d.,\p{L}])` + zero + `(?:[^\d.,\p{L}]|[.,](?:\D|$)|$)|` + `нулев[а-я]+ (?:себестоимост|закупочн)|zero[ -]cost|\b0(?:[.,]0+)? ?(?:₽|руб[а-я]*\.?|rub|\$|usd)? (?:cost|себестоимост)`)
	costFree  = expression.Of(`(?:достал[а-я]+|получен[а-я]*|обош[а-я]+|куплен[а-я]*|costs?|came|got)[^.;!?]{0,30}(?:бесплатно|даром|nothing|for free|free of charge)|ничего не сто[а-я]+|` + costWord + `[^.;!?\d]{0,20}(?:бесплатн|даром(?:[^\p{L}]|$)|\bfree\b)|(?:достал[а-я]+|обош[а-я]+)[^.;!?]{0,15}(?:за так|в ноль|в 0)(?:[^\p{L}]|$)`)
	unsettled = expression.Of(`(?:^|[^\p{L}])(?:не|нет) |неизвест|нельзя|невозможно|неверн|ошиб|кажется|якобы|\bnot\b|n't|unknown|cannot|misleading|wrong|no cost|without|без ` + `|\?`)

	wholeMargin = expression.Of(`(?:марж|рентабельн|margin)[^.;!?\d]{0,40}\b100(?:[.,]0+)? ?(?:%|процент|percent)|\b100(?:[.,]0+)?(?: ?%|-?процентн[а-я]+| percent)[^.;!?\d]{0,30}(?:марж|рентабельн|margin)`)
)

// wholeCost is the claim that all costs are known, or that all revenue is profit.
var wholeCost = expression.Of(`(?:себестоимост|cost)[^.;!?]{0,20}(?:известна?|known|имеется|указана)[^.;!?]{0,12} (?:все[хмй]|всем|каждо|all|every)|полно[ег] покрыти|покрыти[^.;!?]{0,25}полн|full (?:cost )?coverage` +
	`|все (?:товары|позиции|строки)[^.;!?]{0,20}(?:с|имеют)(?: известн[а-я]+)? себестоимост` +
	`|прибыль (?:равна|это|—|-) (?:всей )?выручк|вся выручка (?:—|-|это|и есть) (?:чистая )?прибыль|прибыль (?:—|-) вся выручка|profit (?:equals|is) (?:all )?(?:the )?revenue|марж[а-я]+ полная`)

// claims finds statements that no figure gives away.
func (c *Check) claims(p passage) []Problem {
	var problems []Problem
	said := p.text
	if p.label != "" {
		said = p.label + ": " + p.text
	}
	if claim := c.zeroCost(said); claim != "" {
		problems = append(problems, Problem{claim, CostZero})
	}
	if c.papers.costUnknown {
		if claim := wholeMargin.FindString(said); claim != "" && !unsettled.MatchString(said) {
			problems = append(problems, Problem{claim, MarginWhole})
		}
	}
	if !c.papers.costKnown || c.papers.costUnknown {
		if claim := wholeCost.FindString(said); claim != "" && !unsettled.MatchString(said) {
			problems = append(problems, Problem{claim, MarginWhole})
		}
	}
	if claim := c.nobody(said); claim != "" {
		problems = append(problems, Problem{claim, NotNothing})
	}
	if claim := c.soldOut(p); claim != "" {
		problems = append(problems, Problem{claim, NotNothing})
	}
	if claim := c.document(p); claim != "" {
		problems = append(problems, Problem{claim, NoDocument})
	}
	return problems
}

// zeroCost finds the statement that something costs nothing, unless a result says so.
func (c *Check) zeroCost(text string) string {
	if c.papers.costZero || !anyOf(text, "стои", "закуп", "обош", "достал", "cost", "price", "cogs", "даром", "бесплатно", "free", "nothing") {
		return ""
	}
	for _, pattern := range []*expression.Expression{costZero, costFree} {
		at := pattern.FindStringIndex(text)
		if at != nil && !c.trusted(text, at) && !denied(text, at) && !ofCoverage.MatchString(text[:at[1]]) {
			return text[at[0]:at[1]]
		}
	}
	return ""
}

// ofCoverage are the ways to say how much has a known cost, whose zero is none of a cost.
var ofCoverage = expression.Of(`(?:без (?:известной )?(?:себестоимости|закупочной цены)|с известной себестоимостью|покрытие себестоимостью|себестоимость известна для|without (?:a )?(?:known )?(?:cost|purchase price)|with known cost|cost coverage|cost is known for|(?:складе|сумма|стоимость) по себестоимости|(?:stock|value) at cost)[^.;!?\d]{0,30}[\d.,]+ ?%?$`)

// denied reports whether the statement itself says that it is not so: "себестоимость не 0".
func denied(text string, at []int) bool {
	claim := strings.Replace(text[at[0]:at[1]], "ничего не ", "", 1)
	return strings.Contains(claim, " не ") || strings.Contains(claim, " not ") || strings.Contains(claim, "n't ") || strings.HasSuffix(strings.TrimRight(text[:at[0]], " "), " не")
}

func (c *Check) trusted(text string, at []int) bool {
	return c.names.cover(text, figure{start: at[0], end: at[1], from: at[1], to: at[1]}, false)
}
