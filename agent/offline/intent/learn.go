package intent

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Example is a question with the answer that it asks for. About is what the talk was about before it, and empty for a first question.
// Symbols are the stems of its words, and signs for what it names.
type Example struct {
	Class   string
	About   string
	Symbols []string
}

// The settings of learning. They gave the best result on examples that were held back.
const (
	cost    = 0.15 // of an example on the wrong side; a larger cost fits the examples closer and new questions worse
	settled = 0.05 // the largest step that is still to be made in the end: a smaller one changes no guess
	rounds  = 400  // at most
	seed    = 1
)

// Learn makes a model from examples. Each class gets a linear support vector machine that separates its examples from all others, by
// dual coordinate descent with shrinking (Hsieh and others, 2008). Since it goes on until the weights have settled, a few more examples
// change few other guesses. The same examples in the same order make the same model. It takes a minute.
func Learn(examples []Example) *Model {
	m := &Model{}
	found := make([][]feature, len(examples))
	for i, e := range examples {
		if !slices.Contains(m.names, e.Class) {
			m.names = append(m.names, e.Class)
		}
		found[i] = features(e.About, e.Symbols)
	}
	shared(found)
	var classes, weights [buckets][]byte
	for class, name := range m.names {
		learnt := separate(found, func(i int) bool { return examples[i].Class == name })
		m.bias = append(m.bias, learnt[buckets])
		for bucket, weight := range learnt[:buckets] {
			if q := max(math.MinInt8, min(math.MaxInt8, math.Round(weight*parts))); q != 0 {
				classes[bucket] = append(classes[bucket], byte(class))
				weights[bucket] = append(weights[bucket], byte(int8(q)))
			}
		}
	}
	for _, own := range classes {
		m.counts = append(m.counts, byte(len(own)))
	}
	m.classes, m.weights = slices.Concat(classes[:]...), slices.Concat(weights[:]...)
	m.index()
	return m
}

// shared keeps the features that several examples have. What only one has says nothing about new questions, and makes the model larger.
func shared(examples [][]feature) {
	var times [buckets]int
	for _, features := range examples {
		for _, f := range features {
			times[f.bucket]++
		}
	}
	for i := range examples {
		examples[i] = slices.DeleteFunc(examples[i], func(f feature) bool { return times[f.bucket] < 2 })
	}
}

// separate computes the weights that separate our examples from the others. The last weight is the bias.
func separate(examples [][]feature, ours func(int) bool) []float64 {
	m := machine{weights: make([]float64, buckets+1)}
	for i, features := range examples {
		own := &support{features: features, sign: -1, norm: 1 + slack}
		if ours(i) {
			own.sign = 1
		}
		for _, f := range features {
			own.norm += f.value * f.value
		}
		m.all = append(m.all, own)
	}
	m.settle()
	return m.weights
}

// slack is what an example's own weight adds to its distance.
const slack = 1 / (2 * cost)

// machine is a support vector machine that is being learnt.
type machine struct {
	weights []float64
	all     []*support
}

// support is an example, and its own weight in the machine's.
type support struct {
	features   []feature
	sign, norm float64
	alpha      float64
}

// settle moves the weights until no example would move them far. Examples far on their side are left out until the rest has settled.
func (m *machine) settle() {
	random := rand.New(rand.NewPCG(seed, seed))
	near, far := slices.Clone(m.all), math.Inf(1)
	for range rounds {
		random.Shuffle(len(near), func(i, j int) { near[i], near[j] = near[j], near[i] })
		largest := 0.0
		near = slices.DeleteFunc(near, func(s *support) bool {
			gradient := m.gradient(s)
			if s.alpha == 0 && gradient >= 0 {
				return gradient > far
			}
			largest = max(largest, math.Abs(gradient))
			m.move(s, max(0, s.alpha-gradient/s.norm))
			return false
		})
		switch {
		case largest > settled:
			far = largest
		case len(near) == len(m.all):
			return
		default:
			near, far = slices.Clone(m.all), math.Inf(1)
		}
	}
}

// gradient returns how far an example is on its side: 0 is the margin, negative is too near or on the wrong side.
func (m *machine) gradient(s *support) float64 {
	sum := m.weights[buckets]
	for _, f := range s.features {
		sum += f.value * m.weights[f.bucket]
	}
	return s.sign*sum - 1 + slack*s.alpha
}

// move gives an example another weight.
func (m *machine) move(s *support, alpha float64) {
	change := s.sign * (alpha - s.alpha)
	s.alpha = alpha
	m.weights[buckets] += change
	for _, f := range s.features {
		m.weights[f.bucket] += f.value * change
	}
}
