package spend

import (
	"github.com/kopeck/kopeck/proxy/models"
)

// ofTokens is how many tokens prices are for.
const ofTokens = 1_000_000

// Cost is what tokens cost, rounded down to 12 decimals; nil if the prices are unknown. Some of the prompt's tokens came from the
// provider's cache.
func Cost(p *models.Prices, prompt, cached, completion int64) *Sum {
	if p == nil {
		return nil
	}
	ofCached := p.Input
	if p.CachedInput != nil {
		ofCached = *p.CachedInput
	}
	cached = min(cached, prompt)
	total := SumOf(p.Input).Times(prompt - cached).Plus(SumOf(ofCached).Times(cached)).Plus(SumOf(p.Output).Times(completion))
	total = total.Share(ofTokens)
	return &total
}
