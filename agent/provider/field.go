package provider

import (
	"encoding/json"

	"github.com/tmc/langchaingo/llms"
)

// fields is the key of langchaingo's metadata under which [WithField] hides; it never reaches langchaingo's own client.
const fields = "kopeck:fields"

// WithField puts a field into the model request as it is: langchaingo knows no top_p and no schema of an answer. Models
// that are not asked over HTTP pass over it.
func WithField(name string, value json.RawMessage) llms.CallOption {
	return func(o *llms.CallOptions) {
		all, _ := o.Metadata[fields].(map[string]json.RawMessage)
		if all == nil {
			all = map[string]json.RawMessage{}
		}
		all[name] = value
		if o.Metadata == nil {
			o.Metadata = map[string]any{}
		}
		o.Metadata[fields] = all
	}
}

// takeFields takes out what [WithField] put in.
func takeFields(o *llms.CallOptions) map[string]json.RawMessage {
	all, _ := o.Metadata[fields].(map[string]json.RawMessage)
	o.Metadata = nil
	return all
}
