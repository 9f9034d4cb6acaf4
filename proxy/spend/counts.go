package spend

// Counts counts requests and, as far as they are known, tokens.
type Counts struct {
	Requests         int64 `json:"requests"`
	Failed           int64 `json:"failed"`    // requests that were answered with an error
	Fallbacks        int64 `json:"fallbacks"` // requests that were not answered by the first route
	Uncounted        int64 `json:"uncounted"` // requests whose tokens are unknown
	Estimated        int64 `json:"estimated"` // requests whose tokens were estimated
	Unpriced         int64 `json:"unpriced"`  // requests of which the cost, or a part of it, is unknown
	PromptTokens     int64 `json:"prompt_tokens"`
	CachedTokens     int64 `json:"cached_tokens"` // included in PromptTokens
	CompletionTokens int64 `json:"completion_tokens"`
}

// CountNames returns the names of the counts in reports and CSV files, in the order of [Counts.All].
func CountNames() []string {
	return []string{
		"requests", "failed", "fallbacks", "uncounted", "estimated", "unpriced", "prompt_tokens", "cached_tokens", "completion_tokens",
	}
}

// All returns pointers to the counts in the order of [CountNames].
func (c *Counts) All() []*int64 {
	return []*int64{
		&c.Requests, &c.Failed, &c.Fallbacks, &c.Uncounted, &c.Estimated, &c.Unpriced, &c.PromptTokens, &c.CachedTokens, &c.CompletionTokens,
	}
}

func (c Counts) plus(d Counts) Counts {
	other := d.All()
	for i, n := range c.All() {
		*n += *other[i]
	}
	return c
}

// scanTargets returns before and then pointers to the counts, for scanning a row.
func (c *Counts) scanTargets(before ...any) []any {
	for _, n := range c.All() {
		before = append(before, n)
	}
	return before
}
