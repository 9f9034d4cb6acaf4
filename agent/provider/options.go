package provider

import (
	"encoding/json"
	"maps"

	"github.com/tmc/langchaingo/llms"
)

// ownOptions are options that langchaingo lacks. They are a value in its metadata, which only the models of this project read.
type ownOptions struct {
	tools    json.RawMessage
	fields   map[string]json.RawMessage
	sampling Sampling
	answerer *Answerer
	backed   bool // a fallback answers if the model fails
}

const ownKey = "kopeck"

func ownOf(o llms.CallOptions) ownOptions {
	own, _ := o.Metadata[ownKey].(ownOptions)
	return own
}

func withOwn(set func(*ownOptions)) llms.CallOption {
	return func(o *llms.CallOptions) {
		own := ownOf(*o)
		set(&own)
		o.Metadata = map[string]any{ownKey: own}
	}
}

// Asked returns what options ask for together.
func Asked(options []llms.CallOption) (asked llms.CallOptions) {
	for _, option := range options {
		option(&asked)
	}
	return asked
}

// WithField adds a field to the request, unchanged, such as the schema of the answer. Models that do not use HTTP ignore it.
func WithField(name string, value json.RawMessage) llms.CallOption {
	return withOwn(func(own *ownOptions) {
		fields := map[string]json.RawMessage{name: value}
		maps.Copy(fields, own.fields)
		own.fields = fields
	})
}

// Sampling has the sampling parameters of a request. nil means the model's default.
type Sampling struct {
	Temperature, TopP *float64
	Seed              *int
}

// WithSampling sets the sampling parameters. Unlike langchaingo's options, it can set one to 0.
func WithSampling(s Sampling) llms.CallOption {
	return withOwn(func(own *ownOptions) { own.sampling = s })
}

// Answerer says which model has answered a call.
type Answerer struct {
	Route    string // PROVIDER/NAME, or [Offline]; empty if the model has no routes
	Fallback bool   // another was asked before and failed
}

// BuiltInInstead reports whether the built-in model answers because the one that was asked has failed.
func (a Answerer) BuiltInInstead() bool { return a == Answerer{Route: Offline, Fallback: true} }

// WithAnswerer makes models write to by who answers the call, also if the answer breaks off. Calls of the same turn share by:
// once the built-in model has taken over, it gets all further calls with this by.
func WithAnswerer(by *Answerer) llms.CallOption {
	return withOwn(func(own *ownOptions) { own.answerer = by })
}

// NoteAnswerer is called before a route is asked. If several are asked, the last one answers.
func NoteAnswerer(asked llms.CallOptions, by Answerer) {
	if to := ownOf(asked).answerer; to != nil {
		*to = by
	}
}

// HasFallback reports whether a fallback answers if the model fails, so that long waits for the model are not worthwhile.
func HasFallback(asked llms.CallOptions) bool { return ownOf(asked).backed }

// WithTools is like [llms.WithTools], for tools that are offered in many requests. It encodes them only once, because
// they make up most of a request.
func WithTools(tools []llms.Tool) llms.CallOption {
	encoded, _ := encodeTools(tools) // if encoding fails, the request will return the error
	encode := withOwn(func(own *ownOptions) { own.tools = encoded })
	return func(o *llms.CallOptions) {
		o.Tools = tools
		encode(o)
	}
}
