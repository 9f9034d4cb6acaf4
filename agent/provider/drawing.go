package provider

import "github.com/tmc/langchaingo/llms"

// drawn is the key of langchaingo's metadata under which [WithDrawing] hides.
const drawn = "kopeck:drawing"

// Drawing is how a model draws its words; what is nil is left to the model.
type Drawing struct {
	Temperature, TopP *float64
	Seed              *int
}

// WithDrawing is [llms.WithTemperature], [llms.WithTopP] and [llms.WithSeed] for requests that may ask for 0: with those
// options a 0 means that nothing was asked for.
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
		hide(o, drawn, d)
	}
}

// drawingOf is what a request asks for, however it was said.
func drawingOf(o llms.CallOptions) Drawing {
	d, _ := o.Metadata[drawn].(Drawing)
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
