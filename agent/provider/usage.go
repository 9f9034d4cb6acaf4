package provider

import (
	"errors"
	"math"
	"strconv"

	fast "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/kopeck/kopeck/schemas/openai"
)

// readUsage adds the tokens that a provider reports to those that it reported before. Values that are not numbers of tokens
// count as not reported.
func readUsage(reported jsontext.Value, usage *openai.Usage) {
	var fields struct {
		Prompt     jsontext.Value `json:"prompt_tokens"`
		Completion jsontext.Value `json:"completion_tokens"`
		Details    jsontext.Value `json:"prompt_tokens_details"`
	}
	var details struct {
		Cached jsontext.Value `json:"cached_tokens"`
	}
	if len(reported) == 0 || fast.Unmarshal(reported, &fields, leniently) != nil {
		return
	}
	if len(fields.Details) > 0 {
		_ = fast.Unmarshal(fields.Details, &details, leniently) // otherwise not reported
	}
	read := func(text jsontext.Value, to *int) {
		if n, err := ParseTokens(text); err == nil {
			*to = n
		}
	}
	read(fields.Prompt, &usage.PromptTokens)
	read(fields.Completion, &usage.CompletionTokens)
	read(details.Cached, &usage.CachedTokens)
	usage.CachedTokens = min(usage.CachedTokens, usage.PromptTokens)
	usage.TotalTokens = usage.PromptTokens + usage.CompletionTokens
}

var errNotTokens = errors.New("not a number of tokens")

// ParseTokens parses a number of tokens in JSON, also one such as 12.0. It rejects negative numbers, which would increase a
// budget, and numbers above four billion.
func ParseTokens(text []byte) (int, error) {
	if n, err := strconv.ParseUint(string(text), 10, 32); err == nil {
		return int(n), nil
	}
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil || n != math.Trunc(n) || n < 0 || n > math.MaxUint32 {
		return 0, errNotTokens
	}
	return int(n), nil
}
