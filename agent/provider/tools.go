package provider

import (
	"encoding/json"

	"github.com/tmc/langchaingo/llms"
)

// encodedTools is the key of [WithTools] in langchaingo's metadata.
const encodedTools = "kopeck:tools"

// WithTools is like [llms.WithTools], for tools that are offered in many requests. It encodes them only once, because
// they make up most of a request.
func WithTools(tools []llms.Tool) llms.CallOption {
	encoded, err := encodeTools(tools)
	return func(o *llms.CallOptions) {
		o.Tools = tools
		if err == nil { // if encoding fails, the request will return the error
			setMetadata(o, encodedTools, encoded)
		}
	}
}

// toolsOf returns the JSON of the tools that a request offers.
func toolsOf(o llms.CallOptions) (json.RawMessage, error) {
	if encoded, known := o.Metadata[encodedTools].(json.RawMessage); known {
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

// setMetadata adds a value to langchaingo's metadata. Only the models of this project read it.
func setMetadata(o *llms.CallOptions, key string, value any) {
	if o.Metadata == nil {
		o.Metadata = map[string]any{}
	}
	o.Metadata[key] = value
}
