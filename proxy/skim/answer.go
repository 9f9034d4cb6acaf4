package skim

import (
	"bytes"
	"encoding/json"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/schemas/openai"
)

var (
	usageKey  = []byte(`"usage"`)
	typeKey   = []byte(`"type"`)
	finishKey = []byte(`"finish_reason"`)
)

// Usage returns the usage in a response or chunk. It returns nil if that does not count tokens: audio may be counted in
// seconds. It searches from the end, where the usage usually is.
func Usage(text []byte) *openai.Usage {
	at := bytes.LastIndex(text, usageKey)
	if at < 0 {
		return nil
	}
	text = valueAfter(text[at+len(usageKey):])
	var usage openai.Usage
	counted := false
	cacheTokens := 0 // Anthropic does not include these in input_tokens
	_, complete := readObject(text, func(key, value byteRange) {
		n, err := provider.ParseTokens(value.slice(text))
		switch name := string(unquoted(key.slice(text))); {
		case name == "prompt_tokens_details", name == "input_tokens_details":
			usage.CachedTokens = cachedIn(value.slice(text))
		case err != nil: // not a number, such as an object with other details
		case name == "prompt_tokens", name == "input_tokens":
			usage.PromptTokens, counted = n, true
		case name == "completion_tokens", name == "output_tokens":
			usage.CompletionTokens, counted = n, true
		case name == "total_tokens":
			usage.TotalTokens = n
		case name == "cache_read_input_tokens":
			usage.CachedTokens = n
			cacheTokens += n
		case name == "cache_creation_input_tokens":
			cacheTokens += n
		}
	})
	if !complete || !counted {
		return nil
	}
	usage.PromptTokens += cacheTokens
	usage.CachedTokens = min(usage.CachedTokens, usage.PromptTokens)
	return &usage
}

// cachedIn returns the number of cached tokens in the details of the prompt's tokens.
func cachedIn(details []byte) (cached int) {
	readObject(details, func(key, value byteRange) {
		if string(unquoted(key.slice(details))) == "cached_tokens" {
			cached, _ = provider.ParseTokens(value.slice(details))
		}
	})
	return cached
}

// EventType returns the type of an event: its name, or the first "type" in its data.
func EventType(event []byte) string {
	if name, found := bytes.CutPrefix(event, []byte("event:")); found {
		name, _, _ = bytes.Cut(name, []byte("\n"))
		return string(bytes.TrimSpace(name))
	}
	_, after, _ := bytes.Cut(event, typeKey)
	if name, complete := stringAfter(after); complete {
		return string(name)
	}
	return ""
}

// IsDone reports whether an event is [DONE].
func IsDone(event []byte) bool {
	data, ok := bytes.CutPrefix(event, []byte("data:"))
	return ok && string(bytes.TrimSpace(data)) == "[DONE]"
}

// HasFinishReason reports whether a choice in the event has a finish_reason.
func HasFinishReason(event []byte) bool {
	_, after, _ := bytes.Cut(event, finishKey)
	_, complete := stringAfter(after)
	return complete
}

// HasNoChoices reports whether the event is a chunk without choices, such as one that has only the usage.
func HasNoChoices(event []byte) bool {
	var chunk struct{ Choices []json.RawMessage }
	return json.Unmarshal(Object(event), &chunk) == nil && len(chunk.Choices) == 0
}

// Object returns the JSON object of an event.
func Object(event []byte) []byte {
	from, to := bytes.IndexByte(event, '{'), bytes.LastIndexByte(event, '}')
	if from < 0 || to < from {
		return nil
	}
	return event[from : to+1]
}
