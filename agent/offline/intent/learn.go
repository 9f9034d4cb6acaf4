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
	cost   = 0.2 // of an example on the wrong side; a larger cost fits the examples closer and new questions worse
	rounds = 8
	seed   = 1
)

// Learn makes a model from examples. Each class gets a linear support vector machine that separates its examples from all others, by
// dual coordinate descent (Hsieh and others, 2008). The same examples in the same order make the same model. It takes seconds.
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
	const slack = 1 / (2 * cost)
	weights, alpha := make([]float64, buckets+1), make([]float64, len(examples))
	random := rand.New(rand.NewPCG(seed, seed))
	for range rounds {
		for _, i := range random.Perm(len(examples)) {
			sign, sum := -1.0, weights[buckets]
			if ours(i) {
				sign = 1
			}
			norm := 1.0
			for _, f := range examples[i] {
				sum += f.value * weights[f.bucket]
				norm += f.value * f.value
			}
			gradient := sign*sum - 1 + slack*alpha[i]
			moved := max(0, alpha[i]-gradient/(norm+slack))
			if change := sign * (moved - alpha[i]); change != 0 {
				alpha[i] = moved
				weights[buckets] += change
				for _, f := range examples[i] {
					weights[f.bucket] += f.value * change
				}
			}
		}
	}
	return weights
}
