package spend

import (
	"github.com/kopeck/kopeck/proxy/models"
)

// tokensPerPrice is the number of tokens that a price is for.
const tokensPerPrice = 1_000_000

// Cost returns the cost of tokens, rounded down to 12 decimals, or nil if the prices are unknown. cached is how many of the
// prompt's tokens came from the provider's cache.
func Cost(p *models.Prices, prompt, cached, completion int64) *Sum {
	if p == nil {
		return nil
	}
	ofCached := p.Input
	if p.CachedInput != nil {
		ofCached = *p.CachedInput
	}
	cached = min(cached, prompt)
	total := FromDecimal(p.Input).Times(prompt - cached).
		Plus(FromDecimal(ofCached).Times(cached)).
		Plus(FromDecimal(p.Output).Times(completion)).
		DividedBy(tokensPerPrice)
	return &total
}
