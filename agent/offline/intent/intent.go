// Package intent guesses which answer a question asks for. [Learn] computes weights from example questions, and [Model.Guess] uses them.
package intent

import (
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

// Guess gives all answers, the likeliest first.
func (m *Model) Guess(symbols []string) []Guess {
	guesses := make([]Guess, len(m.classes))
	scores := make([]float64, len(m.classes))
	for class := range guesses {
		guesses[class] = Guess{Class: m.classes[class], For: make([]float64, len(symbols))}
		scores[class] = temperature * m.bias[class]
	}
	for _, f := range features(symbols) {
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

// stored is a model as JSON. The pairs of all buckets are in three lists, which compress better than one.
type stored struct {
	Names   []string  `json:"names"`
	Bias    []float64 `json:"bias"`
	Pairs   []byte    `json:"pairs"`   // how many each bucket has
	Classes []byte    `json:"classes"` // each less the one before it in the bucket
	Weights []byte    `json:"weights"`
}

// MarshalJSON writes the model.
func (m *Model) MarshalJSON() ([]byte, error) {
	s := stored{Names: m.classes, Bias: m.bias}
	for bucket := range buckets {
		own := m.pairs[m.first[bucket]:m.first[bucket+1]]
		s.Pairs = append(s.Pairs, byte(len(own)/2))
		before := byte(0)
		for ; len(own) > 0; own = own[2:] {
			s.Classes, s.Weights = append(s.Classes, own[0]-before), append(s.Weights, own[1])
			before = own[0]
		}
	}
	return json.Marshal(s)
}

// UnmarshalJSON reads what MarshalJSON has written. Anything else is an error.
func (m *Model) UnmarshalJSON(data []byte) error {
	var s stored
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	*m = Model{classes: s.Names, bias: s.Bias, first: []uint32{0}}
	for _, n := range s.Pairs {
		m.first = append(m.first, m.first[len(m.first)-1]+2*uint32(n))
	}
	whole := len(s.Classes) == len(s.Weights) && len(m.bias) == len(m.classes)
	if len(m.first) != buckets+1 || !whole || int(m.first[buckets]) != 2*len(s.Classes) {
		return fmt.Errorf("a model of %d buckets and %d classes, want %d and %d", len(s.Pairs), len(m.bias), buckets, len(m.classes))
	}
	at := 0
	for _, n := range s.Pairs {
		class := byte(0)
		for range n {
			class += s.Classes[at]
			m.pairs = append(m.pairs, class, s.Weights[at])
			at++
		}
	}
	return nil
}
