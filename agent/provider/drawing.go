package provider

import "github.com/tmc/langchaingo/llms"

// drawingKey is the key of [WithDrawing] in langchaingo's metadata.
const drawingKey = "kopeck:drawing"

// Drawing has the sampling parameters of a request; nil leaves a parameter at the model's default.
type Drawing struct {
	Temperature, TopP *float64
	Seed              *int
}

// WithDrawing is [llms.WithTemperature], [llms.WithTopP] and [llms.WithSeed] for requests that may ask for 0, which
// those options cannot express.
func WithDrawing(d Drawing) llms.CallOption {
	return func(o *llms.CallOptions) {
		if d.Temperature != nil {
			o.Temperature = *d.Temperature
		}
		if d.TopP != nil {
			o.TopP = *d.TopP
		}
		if d.Seed != nil {
			o.Seed = *d.Seed
		}
		setMetadata(o, drawingKey, d)
	}
}

// drawingOf returns the sampling parameters of a request, whichever options set them.
func drawingOf(o llms.CallOptions) Drawing {
	d, _ := o.Metadata[drawingKey].(Drawing)
	if o.Temperature != 0 {
		d.Temperature = &o.Temperature
	}
	if o.TopP != 0 {
		d.TopP = &o.TopP
	}
	if o.Seed != 0 {
		d.Seed = &o.Seed
	}
	return d
}
