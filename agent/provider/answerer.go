package provider

import "github.com/tmc/langchaingo/llms"

// Answerer says which model has answered a call.
type Answerer struct {
	Route    string // PROVIDER/NAME, or [Offline]; empty if the model has no routes
	Fallback bool   // another was asked before and failed
}

// answererKey is the key of [WithAnswerer] in langchaingo's metadata.
const answererKey = "kopeck:answerer"

// WithAnswerer makes models write to by who answers the call, also if the answer breaks off.
func WithAnswerer(by *Answerer) llms.CallOption {
	return func(o *llms.CallOptions) { setMetadata(o, answererKey, by) }
}

// NoteAnswerer is called before a route is asked. If several are asked, the last one answers.
func NoteAnswerer(asked llms.CallOptions, by Answerer) {
	if to, _ := asked.Metadata[answererKey].(*Answerer); to != nil {
		*to = by
	}
}
