package provider

import (
	"encoding/json"

	"github.com/tmc/langchaingo/llms"
)

// fields is the key of [WithField] in langchaingo's metadata.
const fields = "kopeck:fields"

// WithField adds a field to the request, unchanged. It is needed because langchaingo has no option for the schema of
// the answer. Models that do not use HTTP ignore it.
func WithField(name string, value json.RawMessage) llms.CallOption {
	return func(o *llms.CallOptions) {
		all, _ := o.Metadata[fields].(map[string]json.RawMessage)
		if all == nil {
			all = map[string]json.RawMessage{}
		}
		all[name] = value
		setMetadata(o, fields, all)
	}
}

func fieldsOf(o llms.CallOptions) map[string]json.RawMessage {
	all, _ := o.Metadata[fields].(map[string]json.RawMessage)
	return all
}
