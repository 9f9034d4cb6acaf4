package grounding

import (
	"encoding/json"
	"strings"

	"github.com/shopspring/decimal"

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
	none        map[string]bool // fields with a zero in some result, by name and by tool and name
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
		if d, err := decimal.NewFromString(v.String()); err == nil {
			p.number(tool, name, d)
		}
	case bool:
		if name == "matched" && !v {
			p.number(tool, name, decimal.Zero)
		}
	case string:
		if name == "state" {
			if p.states == nil {
				p.states = map[string]bool{}
			}
			p.states[plain(v)] = true
		}
	}
}

// number keeps what a number says of cost, where there are none of something, and where a result is negative.
func (p *papers) number(tool, field string, n decimal.Decimal) {
	p.costZero = p.costZero || isCost(field) && n.IsZero()
	switch {
	case field == "cost_coverage_percent":
		p.costKnown = p.costKnown || n.Equal(hundred)
		p.costUnknown = p.costUnknown || n.LessThan(hundred)
	case strings.Contains(field, "without_cost"):
		p.costKnown = p.costKnown || n.IsZero()
		p.costUnknown = p.costUnknown || n.IsPositive()
	}
	if p.none == nil {
		p.none = map[string]bool{}
	}
	if n.IsNegative() {
		p.none[lost+field] = true
	}
	if n.IsZero() || n.IsNegative() && strings.HasSuffix(field, "profit") {
		p.none[field], p.none[tool+"."+field] = true, true
	}
}

// lost begins the fields of [papers.none] that are negative.
const lost = "-"

func isCost(field string) bool {
	return field == "cost" || field == "unit_cost" || field == "purchase_price"
}

// hasNone reports whether there is none of what one of the fields tells.
func (p *papers) hasNone(fields []string) bool {
	for _, field := range fields {
		if p.none[field] {
			return true
		}
	}
	return false
}
