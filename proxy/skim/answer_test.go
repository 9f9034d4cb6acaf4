package skim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas/openai"
)

// Only what counts tokens is a usage, so that a request without one is not taken for free.
func TestUsageWithoutTokensIsUnknown(t *testing.T) {
	for _, usage := range []string{
		`{"type":"duration","seconds":27}`, `{}`, `null`, `{"prompt_tokens":null,"completion_tokens":null}`, `{"total_tokens":5}`,
		`{"prompt_tokens":1.5}`, `{"prompt_tokens":"5"}`,
	} {
		if got := Usage([]byte(`{"usage":` + usage + `}`)); got != nil {
			t.Errorf("%s is read as %+v", usage, *got)
		}
	}
}

func TestNegativeUsageIsIgnored(t *testing.T) {
	for usage, want := range map[string]openai.Usage{
		`{"prompt_tokens":-5000,"completion_tokens":7,"total_tokens":-4993}`:                     {CompletionTokens: 7},
		`{"prompt_tokens":12,"completion_tokens":99999999999999999999}`:                          {PromptTokens: 12},
		`{"input_tokens":3,"cache_read_input_tokens":-9,"output_tokens":1e10}`:                   {PromptTokens: 3},
		`{"prompt_tokens":12.0,"completion_tokens":3.00,"total_tokens":15.0}`:                    {PromptTokens: 12, CompletionTokens: 3, TotalTokens: 15},
		`{"prompt_tokens":4,"prompt_tokens_details":{"cached_tokens":-1},"completion_tokens":2}`: {PromptTokens: 4, CompletionTokens: 2},
	} {
		if got := Usage([]byte(`{"usage":` + usage + `}`)); got == nil || *got != want {
			t.Errorf("%s is read as %+v, want %+v", usage, got, want)
		}
	}
}

func TestDataURLInATextIsNotCountedAsAnImage(t *testing.T) {
	long := strings.Repeat("tell/me/more", 10_000)
	for body, want := range map[string]int{
		`{"content":";base64,` + long + `"}`:                                          30_005,
		`{"content":"data:image/png;base64,` + long + `"}`:                            30_009,
		`{"content":"\"url\":\"data:image/png;base64,` + long + `"}`:                  30_011,
		`{"image_url":{"url" : "data:image/png;base64,` + long + `"},"text":"hello"}`: 1_511,
		`{"file_data":"data:application/pdf;base64,` + long:                           30_010,
	} {
		if got := PromptTokens([]byte(body)); got != want {
			t.Errorf("%.40s…: %d tokens, want %d", body, got, want)
		}
	}
}

// Most providers send one token per event, but some send many.
func TestEventTokensAreEstimatedFromItsText(t *testing.T) {
	words := strings.Repeat(`word \"`, 200)
	for event, want := range map[string]int{
		`data: {"choices":[{"delta":{"content":"hi"}}]}`:                           1,
		`data: {"choices":[{"delta":{"content": "` + words + `"}}]}`:               350,
		`data: {"type":"content_block_delta","delta":{"text":"` + words + `"}}`:    350,
		`data: {"id":"` + strings.Repeat("x", 500) + `","choices":[{"delta":{}}]}`: 1,
		`data: {"choices":[{"logprobs":{"content":[{"token":"` + words + `"}]}}]}`: 1,
		fmt.Sprintf(`data: {"choices":[{"delta":{"content":"%s`, words):            350,
	} {
		if got := EventTokens([]byte(event)); got != want {
			t.Errorf("%.60s…: %d tokens, want %d", event, got, want)
		}
	}
}
