package spend

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/proxy/models"
)

// million is of how many tokens prices are.
const million = -6

// Cost is what tokens cost, of whose prompt some came from the provider's cache; nil if the prices are unknown.
func Cost(p *models.Prices, prompt, cached, completion int64) *Sum {
	if p == nil {
		return nil
	}
	ofCached := p.Input
	if p.CachedInput != nil {
		ofCached = *p.CachedInput
	}
	total := p.Input.Mul(decimal.NewFromInt(prompt - cached)).
		Add(ofCached.Mul(decimal.NewFromInt(cached))).
		Add(p.Output.Mul(decimal.NewFromInt(completion)))
	sum := SumOf(total.Shift(million))
	return &sum
}
