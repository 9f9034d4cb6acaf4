package intent_test

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/offline/intent"
)

func taught() *intent.Model {
	var examples []intent.Example
	for _, e := range []struct{ class, questions string }{
		{"stock", "how many {goods} are left|what is in {place}|stock of {goods}|do we have {goods}"},
		{"sales", "how many {goods} were sold {period}|revenue {period}|our revenue|what did we sell|sales of {goods}"},
		{"debts", "who owes us|what do we owe {party}|debts of {party}"},
	} {
		for question := range strings.SplitSeq(e.questions, "|") {
			examples = append(examples, intent.Example{Class: e.class, Symbols: strings.Fields(question)})
		}
	}
	return intent.Learn(examples)
}

// likeliest returns the likeliest answer to a question.
func likeliest(m *intent.Model, about string, symbols ...string) string {
	guesses := m.Guess(about, symbols)
	best := slices.MaxFunc(guesses, func(a, b intent.Guess) int { return cmp.Compare(a.Probability, b.Probability) })
	return m.Classes()[slices.IndexFunc(guesses, func(g intent.Guess) bool { return g.Probability == best.Probability })]
}

func TestNewQuestionGetsTheAnswerOfSimilarExamples(t *testing.T) {
	m := taught()
	for question, want := range map[string]string{
		"how many {goods} sold {period}": "sales",
		"are {goods} left":               "stock",
		"does {party} owe":               "debts",
	} {
		if got := likeliest(m, "", strings.Fields(question)...); got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}

func TestTheSameWordsAskForWhatTheTalkIsAbout(t *testing.T) {
	m := intent.Learn([]intent.Example{
		{Class: "cover", About: "stock", Symbols: []string{"how", "long", "last"}},
		{Class: "cover", About: "stock", Symbols: []string{"does", "it", "last"}},
		{Class: "runway", About: "cash", Symbols: []string{"how", "long", "last"}},
		{Class: "runway", About: "cash", Symbols: []string{"does", "it", "last"}},
		{Class: "debts", About: "cash", Symbols: []string{"who", "owes"}},
		{Class: "debts", About: "stock", Symbols: []string{"who", "owes"}},
	})
	for about, want := range map[string]string{"stock": "cover", "cash": "runway"} {
		if got := likeliest(m, about, "long", "last"); got != want {
			t.Errorf("after %s: %s, want %s", about, got, want)
		}
	}
}

// This holds for a question without known words too.
func TestProbabilitiesAddUp(t *testing.T) {
	for _, question := range []string{"", "xyz", "revenue {period} revenue"} {
		sum := 0.0
		for _, g := range taught().Guess("", strings.Fields(question)) {
			sum += g.Probability
		}
		if sum < 0.999 || sum > 1.001 {
			t.Errorf("%q: %v", question, sum)
		}
	}
}

// It speaks against the answers whose examples do not have it.
func TestAWordSpeaksForItsAnswer(t *testing.T) {
	symbols := strings.Fields("revenue of {goods}")
	m := taught()
	for i, g := range m.Guess("", symbols) {
		if class := m.Classes()[i]; (g.For[0] > 0) != (class == "sales") {
			t.Errorf("revenue speaks for %s by %v", class, g.For[0])
		}
	}
}

func TestAModelCanBeStored(t *testing.T) {
	m := taught()
	content, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var read intent.Model
	if err := read.UnmarshalBinary(content); err != nil {
		t.Fatal(err)
	}
	question := strings.Fields("how many {goods} sold {period}")
	if got, want := read.Guess("", question), m.Guess("", question); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	classes := bytes.IndexByte(content, '\n') + 1 + 1<<16 // where the classes of the weights begin
	for name, broken := range map[string][]byte{
		"nothing":          nil,
		"no bias":          []byte(`{"names":["a"]}`),
		"no weights":       content[:classes-1],
		"a byte missing":   content[:len(content)-1],
		"an unknown class": slices.Concat(content[:classes], []byte{200}, content[classes+1:]),
	} {
		if read.UnmarshalBinary(broken) == nil {
			t.Errorf("a model with %s is read", name)
		}
	}
}

// The order of the examples must not decide how a question is understood, so that new examples change few other answers.
func TestLearningHardlyDependsOnTheOrderOfExamples(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	words := strings.Fields("how many much left sold owe when stock price order margin {goods} {place} {party} {period} which what who last")
	var examples []intent.Example
	for i := range 600 {
		e := intent.Example{Class: strconv.Itoa(i % 6)}
		for range 4 {
			e.Symbols = append(e.Symbols, words[min(random.IntN(len(words)), random.IntN(len(words))+i%6)%len(words)])
		}
		examples = append(examples, e)
	}
	one := intent.Learn(examples)
	slices.Reverse(examples)
	other := intent.Learn(examples)
	differ := 0
	for _, e := range examples {
		if likeliest(one, "", e.Symbols...) != likeliest(other, "", e.Symbols...) {
			differ++
		}
	}
	if differ > len(examples)/20 { // it was every ninth, when learning stopped early
		t.Errorf("%d of %d examples are understood differently", differ, len(examples))
	}
}
