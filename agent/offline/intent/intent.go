// Package intent guesses which answer a question asks for. [Learn] computes weights from example questions, and [Model.Guess] uses them.
package intent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Model holds the learnt weights. It is safe for concurrent use.
type Model struct {
	names []string  // of the classes
	bias  []float64 // by class
	// Each bucket has weights of some classes, one after the other. The three lists say how many weights each bucket has, the class of
	// each weight, and the weight as a signed number of parts.
	counts, classes, weights []byte
	first                    []uint32 // where the weights of each bucket begin; computed from the counts
}

const (
	parts       = 16  // one part is 1/16 of a weight
	temperature = 5.5 // turns distances from the border between classes into logarithms of odds
)

// Guess is an answer that a question may ask for.
type Guess struct {
	Probability float64
	For         []float64 // how much each symbol speaks for this answer, as a logarithm of odds; negative: against it
}

// Classes returns the names of the answers, in the order of guesses.
func (m *Model) Classes() []string { return m.names }

// Guess returns how likely each answer to a question is. about is what the talk was about before it, as in the examples; empty if
// it was about nothing.
func (m *Model) Guess(about string, symbols []string) []Guess {
	guesses := make([]Guess, len(m.names))
	scores := make([]float64, len(m.names))
	for class := range m.names {
		guesses[class].For = make([]float64, len(symbols))
		scores[class] = temperature * m.bias[class]
	}
	for _, f := range features(about, symbols) {
		for at := m.first[f.bucket]; at < m.first[f.bucket+1]; at++ {
			class, weight := m.classes[at], temperature*f.value*float64(int8(m.weights[at]))/parts
			scores[class] += weight
			if f.first <= f.last { // each symbol of a pair has half of its weight
				guesses[class].For[f.first] += weight / 2
				guesses[class].For[f.last] += weight / 2
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
	return guesses
}

// header begins a stored model. The lists of bytes follow it.
type header struct {
	Names []string  `json:"names"`
	Bias  []float64 `json:"bias"`
}

// MarshalBinary writes the model.
func (m *Model) MarshalBinary() ([]byte, error) {
	head, err := json.Marshal(header{m.names, m.bias})
	return slices.Concat(head, []byte("\n"), m.counts, m.classes, m.weights), err
}

// UnmarshalBinary reads what MarshalBinary has written. Anything else is an error.
func (m *Model) UnmarshalBinary(content []byte) error {
	head, lists, _ := bytes.Cut(content, []byte("\n"))
	var h header
	if err := json.Unmarshal(head, &h); err != nil {
		return err
	}
	if len(lists) < buckets || len(lists)%2 != 0 || len(h.Bias) != len(h.Names) {
		return fmt.Errorf("a model of %d bytes with %d classes and %d biases", len(lists), len(h.Names), len(h.Bias))
	}
	weights := (len(lists) - buckets) / 2
	*m = Model{names: h.Names, bias: h.Bias, counts: lists[:buckets], classes: lists[buckets:][:weights], weights: lists[buckets+weights:]}
	m.index()
	if int(m.first[buckets]) != weights {
		return fmt.Errorf("a model of %d weights has %d", m.first[buckets], weights)
	}
	if slices.ContainsFunc(m.classes, func(class byte) bool { return int(class) >= len(m.names) }) {
		return fmt.Errorf("a weight of a class beyond %d", len(m.names))
	}
	return nil
}

// index computes where the weights of each bucket begin.
func (m *Model) index() {
	m.first = []uint32{0}
	for bucket, n := range m.counts {
		m.first = append(m.first, m.first[bucket]+uint32(n))
	}
}
