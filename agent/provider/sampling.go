package provider

import "github.com/tmc/langchaingo/llms"

// samplingKey is the key of [WithSampling] in langchaingo's metadata.
const samplingKey = "kopeck:sampling"

// Sampling has the sampling parameters of a request. nil means the model's default.
type Sampling struct {
	Temperature, TopP *float64
	Seed              *int
}

// WithSampling sets what [llms.WithTemperature], [llms.WithTopP] and [llms.WithSeed] set. Unlike these, it can set a
// parameter to 0.
func WithSampling(s Sampling) llms.CallOption {
	return func(o *llms.CallOptions) {
		if s.Temperature != nil {
			o.Temperature = *s.Temperature
		}
		if s.TopP != nil {
			o.TopP = *s.TopP
		}
		if s.Seed != nil {
			o.Seed = *s.Seed
		}
		setMetadata(o, samplingKey, s)
	}
}

// samplingOf returns the sampling parameters of a request, whichever options set them.
func samplingOf(o llms.CallOptions) Sampling {
	s, _ := o.Metadata[samplingKey].(Sampling)
	if o.Temperature != 0 {
		s.Temperature = &o.Temperature
	}
	if o.TopP != 0 {
		s.TopP = &o.TopP
	}
	if o.Seed != 0 {
		s.Seed = &o.Seed
	}
	return s
}
