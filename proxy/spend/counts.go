package spend

// Counts are how many requests there were, and how many tokens as far as they are known.
type Counts struct {
	Requests         int64 `json:"requests"`
	Failed           int64 `json:"failed"`    // answered with an error
	Fallbacks        int64 `json:"fallbacks"` // answered by another route than the first that was asked
	Uncounted        int64 `json:"uncounted"` // of which the tokens are not known
	Estimated        int64 `json:"estimated"` // of which the tokens were estimated
	Unpriced         int64 `json:"unpriced"`  // of which the cost is not known
	PromptTokens     int64 `json:"prompt_tokens"`
	CachedTokens     int64 `json:"cached_tokens"` // of the prompt's
	CompletionTokens int64 `json:"completion_tokens"`
}

// CountNames are the names of the counts in tables and files, in the order of [Counts.All].
func CountNames() []string {
	return []string{
		"requests", "failed", "fallbacks", "uncounted", "estimated", "unpriced", "prompt_tokens", "cached_tokens", "completion_tokens",
	}
}

// All are the counts in the order of [CountNames].
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

// targets are what a row is read into: something before the counts, and the counts.
func (c *Counts) targets(before ...any) []any {
	for _, n := range c.All() {
		before = append(before, n)
	}
	return before
}
