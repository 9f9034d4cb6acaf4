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
	cost   = 0.3 // of an example on the wrong side; a larger cost fits the examples closer and new questions worse
	rounds = 20
	seed   = 1
)

// Learn makes a model from examples. Each class gets a linear support vector machine that separates its examples from all others, by
// dual coordinate descent (Hsieh and others, 2008). The same examples in the same order make the same model. It takes seconds.
func Learn(examples []Example) *Model {
	m := &Model{}
	index := map[string]int{}
	classes := make([]int, len(examples))
	found := make([][]feature, len(examples))
	for i, e := range examples {
		class, known := index[e.Class]
		if !known {
			class = len(m.classes)
			index[e.Class] = class
			m.classes = append(m.classes, e.Class)
		}
		classes[i] = class
		found[i] = features(e.About, e.Symbols)
	}
	shared(found)
	var pairs [buckets][]byte
	for class := range m.classes {
		weights := separate(found, func(i int) bool { return classes[i] == class })
		m.bias = append(m.bias, weights[buckets])
		for bucket, weight := range weights[:buckets] {
			if q := max(math.MinInt8, min(math.MaxInt8, math.Round(weight*parts))); q != 0 {
				pairs[bucket] = append(pairs[bucket], byte(class), byte(int8(q)))
			}
		}
	}
	for _, own := range pairs {
		m.first = append(m.first, uint32(len(m.pairs)))
		m.pairs = append(m.pairs, own...)
	}
	m.first = append(m.first, uint32(len(m.pairs)))
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
