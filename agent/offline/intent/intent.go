// Package intent guesses which answer a question asks for. [Learn] computes weights from example questions, and [Model.Guess] uses them.
package intent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Model holds the learnt weights. It is safe for concurrent use.
type Model struct {
	classes []string
	bias    []float64 // by class
	first   []uint32  // where the pairs of each bucket begin
	pairs   []byte    // the weights in each bucket: pairs of a class and a signed number of parts
}

const (
	parts       = 16 // one part is 1/16 of a weight
	temperature = 5  // turns distances from the border between classes into logarithms of odds
)

// Guess is an answer that a question may ask for.
type Guess struct {
	Class       string
	Probability float64
	For         []float64 // how much each symbol speaks for this answer, as a logarithm of odds; negative: against it
}

// Guess returns all answers to a question, the likeliest first. about is what the talk was about before it, as in the examples; empty if
// it was about nothing.
func (m *Model) Guess(about string, symbols []string) []Guess {
	guesses := make([]Guess, len(m.classes))
	scores := make([]float64, len(m.classes))
	for class := range guesses {
		guesses[class] = Guess{Class: m.classes[class], For: make([]float64, len(symbols))}
		scores[class] = temperature * m.bias[class]
	}
	for _, f := range features(about, symbols) {
		places := float64(f.last - f.first + 1)
		pairs := m.pairs[m.first[f.bucket]:m.first[f.bucket+1]]
		for ; len(pairs) > 0; pairs = pairs[2:] {
			class, weight := pairs[0], temperature*f.value*float64(int8(pairs[1]))/parts
			scores[class] += weight
			for i := f.first; i <= f.last; i++ {
				guesses[class].For[i] += weight / places
			}
		}
	}
	top, sum := slices.Max(scores), 0.0
	for class, score := range scores {
		guesses[class].Probability = math.Exp(score - top)
		sum += guesses[class].Probability
	}
	for class := range guesses {
		guesses[class].Probability /= sum
	}
	slices.SortStableFunc(guesses, func(a, b Guess) int { return cmp.Compare(b.Probability, a.Probability) })
	return guesses
}

// header begins a stored model. Three lists of bytes follow it: how many weights each bucket has, the class of each weight less the one
// before it in the bucket, and the weights.
type header struct {
	Names []string  `json:"names"`
	Bias  []float64 `json:"bias"`
}

// MarshalBinary writes the model.
func (m *Model) MarshalBinary() ([]byte, error) {
	content, err := json.Marshal(header{m.classes, m.bias})
	if err != nil {
		return nil, err
	}
	var classes, weights []byte
	content = append(content, '\n')
	for bucket := range buckets {
		own := m.pairs[m.first[bucket]:m.first[bucket+1]]
		content = append(content, byte(len(own)/2))
		before := byte(0)
		for ; len(own) > 0; own = own[2:] {
			classes, weights = append(classes, own[0]-before), append(weights, own[1])
			before = own[0]
		}
	}
	return append(append(content, classes...), weights...), nil
}

// UnmarshalBinary reads what MarshalBinary has written. Anything else is an error.
func (m *Model) UnmarshalBinary(content []byte) error {
	head, rest, _ := bytes.Cut(content, []byte("\n"))
	var h header
	if err := json.Unmarshal(head, &h); err != nil {
		return err
	}
	*m = Model{classes: h.Names, bias: h.Bias, first: []uint32{0}}
	if len(rest) < buckets || len(m.bias) != len(m.classes) {
		return fmt.Errorf("a model of %d bytes with %d classes and %d biases", len(rest), len(m.classes), len(m.bias))
	}
	for _, n := range rest[:buckets] {
		m.first = append(m.first, m.first[len(m.first)-1]+2*uint32(n))
	}
	all := int(m.first[buckets] / 2)
	if len(rest) != buckets+2*all {
		return fmt.Errorf("a model of %d weights in %d bytes", all, len(rest))
	}
	classes, weights := rest[buckets:buckets+all], rest[buckets+all:]
	for bucket := range buckets {
		class := byte(0)
		for at := m.first[bucket] / 2; at < m.first[bucket+1]/2; at++ {
			class += classes[at]
			if int(class) >= len(m.classes) {
				return fmt.Errorf("a weight of class %d of %d", class, len(m.classes))
			}
			m.pairs = append(m.pairs, class, weights[at])
		}
	}
	return nil
}
