package provider

import (
	"encoding/json"

	"github.com/tmc/langchaingo/llms"
)

// fields is the key of [WithField] in langchaingo's metadata.
const fields = "kopeck:fields"

// WithField adds a field to the request as it is. langchaingo has no option for a schema of the answer. Models that are
// not asked over HTTP ignore it.
func WithField(name string, value json.RawMessage) llms.CallOption {
	return func(o *llms.CallOptions) {
		all, _ := o.Metadata[fields].(map[string]json.RawMessage)
		if all == nil {
			all = map[string]json.RawMessage{}
		}
		all[name] = value
		hide(o, fields, all)
	}
}

func fieldsOf(o llms.CallOptions) map[string]json.RawMessage {
	all, _ := o.Metadata[fields].(map[string]json.RawMessage)
	return all
}
