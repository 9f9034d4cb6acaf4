package spend

// Counts are numbers of requests, and of tokens as far as known.
type Counts struct {
	Requests         int64 `json:"requests"`
	Failed           int64 `json:"failed"`    // answered with an error
	Fallbacks        int64 `json:"fallbacks"` // answered by another route than the first one asked
	Uncounted        int64 `json:"uncounted"` // tokens unknown
	Estimated        int64 `json:"estimated"` // tokens estimated
	Unpriced         int64 `json:"unpriced"`  // cost unknown
	PromptTokens     int64 `json:"prompt_tokens"`
	CachedTokens     int64 `json:"cached_tokens"` // part of PromptTokens
	CompletionTokens int64 `json:"completion_tokens"`
}

// CountNames returns the names of the counts in tables and files, in the order of [Counts.All].
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

// scanTargets returns before, followed by pointers to the counts, for scanning a row.
func (c *Counts) scanTargets(before ...any) []any {
	for _, n := range c.All() {
		before = append(before, n)
	}
	return before
}
