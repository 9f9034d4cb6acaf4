package provider

import (
	"encoding/json"

	"github.com/tmc/langchaingo/llms"
)

// fields is the key of langchaingo's metadata under which [WithField] hides.
const fields = "kopeck:fields"

// WithField puts a field into the model request as it is, beside those that langchaingo's options name: they have no schema
// of an answer. Models that are not asked over HTTP pass over it.
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

// fieldsOf are what [WithField] put in.
func fieldsOf(o llms.CallOptions) map[string]json.RawMessage {
	all, _ := o.Metadata[fields].(map[string]json.RawMessage)
	return all
}
