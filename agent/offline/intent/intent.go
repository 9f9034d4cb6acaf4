// Package intent learns from example questions which answer a question asks for. It is a logistic regression over the words of a
// question and over pairs of words that stand side by side.
package intent

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Example is a question with the answer that it asks for. Symbols are the stems of its words, and signs for what it names.
type Example struct {
	Class   string
	Symbols []string
}

// Model is what examples have taught. It is safe for concurrent use.
type Model struct {
	classes []string
	weights map[string][]float32    // by feature, one for each class
	known   map[string]bool         // symbols
	wholes  map[string]map[int]bool // the classes of each example
}

// Guess is an answer that a question may ask for.
type Guess struct {
	Class       string
	Probability float64
	For         []float64 // how much each symbol speaks for this answer, as a logarithm of odds; below 0, against it
}

// Training goes through the examples in random order. Steps become smaller from round to round, and with the slopes a weight has had.
const (
	rounds  = 5
	step    = 0.5
	least   = 0.3  // of the divisor of a step
	settled = 1e-3 // a class that is so unlikely learns nothing from an example
)

// lesson is an example in numbers.
type lesson struct {
	class    int
	features []int
}

// Learn makes a model of examples. It gives the same model for the same examples.
func Learn(examples []Example) *Model {
	m := &Model{weights: map[string][]float32{}, known: map[string]bool{}, wholes: map[string]map[int]bool{}}
	lessons, index := m.read(examples)
	weights := trained(lessons, len(index), len(m.classes))
	for name, at := range index {
		center(weights[at])
		m.weights[name] = weights[at]
	}
	return m
}

// read numbers the classes and the features of examples.
func (m *Model) read(examples []Example) (lessons []lesson, index map[string]int) {
	index, classes := map[string]int{}, map[string]int{}
	for _, e := range examples {
		class, met := classes[e.Class]
		if !met {
			class = len(m.classes)
			classes[e.Class] = class
			m.classes = append(m.classes, e.Class)
		}
		for _, s := range e.Symbols {
			m.known[s] = true
		}
		whole := strings.Join(e.Symbols, " ")
		if m.wholes[whole] == nil {
			m.wholes[whole] = map[int]bool{}
		}
		m.wholes[whole][class] = true
		l := lesson{class: class}
		for _, f := range features(e.Symbols) {
			at, met := index[f.name]
			if !met {
				at = len(index)
				index[f.name] = at
			}
			l.features = append(l.features, at)
		}
		lessons = append(lessons, l)
	}
	return lessons, index
}

// trained are the weights of features for classes.
func trained(lessons []lesson, features, classes int) [][]float32 {
	table := func() [][]float32 {
		all, rows := make([]float32, features*classes), make([][]float32, features)
		for i := range rows {
			rows[i] = all[i*classes : (i+1)*classes : (i+1)*classes]
		}
		return rows
	}
	weights, slopes := table(), table()
	random, errors, wrong := rand.New(rand.NewPCG(1, 1)), make([]float64, classes), make([]int, 0, classes)
	for round := range rounds {
		step := step / float32(round+1)
		for _, at := range random.Perm(len(lessons)) {
			l := lessons[at]
			clear(errors)
			for _, f := range l.features {
				for class, w := range weights[f] {
					errors[class] += float64(w)
				}
			}
			probable(errors)
			errors[l.class]--
			wrong = wrong[:0]
			for class, e := range errors {
				if math.Abs(e) > settled {
					wrong = append(wrong, class)
				}
			}
			for _, f := range l.features {
				w, s := weights[f], slopes[f]
				for _, class := range wrong {
					slope := float32(errors[class])
					s[class] += slope * slope
					w[class] -= step * slope / (least + float32(math.Sqrt(float64(s[class]))))
				}
			}
		}
	}
	return weights
}

// center makes the weights of a feature differences from their mean.
func center(weights []float32) {
	mean := float32(0)
	for _, w := range weights {
		mean += w / float32(len(weights))
	}
	for i := range weights {
		weights[i] -= mean
	}
}

// probable makes probabilities of scores.
func probable(scores []float64) {
	top, sum := slices.Max(scores), 0.0
	for i, score := range scores {
		scores[i] = math.Exp(score - top)
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
}

// An example that is the question says more than its words.
const whole = 4.0

// Guess gives all answers, the likeliest first.
func (m *Model) Guess(symbols []string) []Guess {
	guesses := make([]Guess, len(m.classes))
	scores := make([]float64, len(m.classes))
	for class := range guesses {
		guesses[class] = Guess{Class: m.classes[class], For: make([]float64, len(symbols))}
	}
	for _, f := range features(symbols) {
		weights, known := m.weights[f.name]
		if !known {
			continue
		}
		places := float64(f.last - f.first + 1)
		for class, weight := range weights {
			scores[class] += float64(weight)
			for i := f.first; i <= f.last; i++ {
				guesses[class].For[i] += float64(weight) / places
			}
		}
	}
	for class := range m.wholes[strings.Join(symbols, " ")] {
		scores[class] += whole
		for i := range symbols {
			guesses[class].For[i] += whole / float64(len(symbols))
		}
	}
	probable(scores)
	for class := range guesses {
		guesses[class].Probability = scores[class]
	}
	slices.SortStableFunc(guesses, func(a, b Guess) int { return cmp.Compare(b.Probability, a.Probability) })
	return guesses
}

// Knows reports whether an example has a symbol.
func (m *Model) Knows(symbol string) bool { return m.known[symbol] }

// feature is something that a question has: a symbol, the beginning of a word, or two symbols side by side. First and last are the
// places of its symbols.
type feature struct {
	name        string
	first, last int
}

// Words of one root begin alike: as many of their letters are features too.
const (
	beginning = 4
	root      = 6
)

// features are those of a question: its symbols, and each with what stands before it.
func features(symbols []string) (all []feature) {
	had := map[string]bool{}
	add := func(name string, first, last int) {
		if !had[name] {
			had[name] = true
			all = append(all, feature{name, first, last})
		}
	}
	before := "<"
	for i, s := range symbols {
		add(s, i, i)
		if len(s) > beginning && s[0] != '{' {
			add("^"+s[:beginning], i, i)
		}
		if len(s) > root && s[0] != '{' {
			add("^"+s[:root], i, i)
		}
		add(before+" "+s, max(0, i-1), i)
		before = s
	}
	if n := len(symbols); n > 0 {
		add(before+" >", n-1, n-1)
	}
	return all
}
