package provider

import (
	"encoding/json"

	"github.com/tmc/langchaingo/llms"
)

// toolsOf returns the JSON of the tools that a request offers.
func toolsOf(o llms.CallOptions) (json.RawMessage, error) {
	if encoded := ownOf(o).tools; encoded != nil {
		return encoded, nil
	}
	return encodeTools(o.Tools)
}

func encodeTools(tools []llms.Tool) (json.RawMessage, error) {
	type function struct {
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		Parameters  any    `json:"parameters"`
	}
	type tool struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	offered := make([]tool, len(tools))
	for i, t := range tools {
		offered[i] = tool{"function", function{t.Function.Name, t.Function.Description, t.Function.Parameters}}
	}
	return json.Marshal(offered)
}
