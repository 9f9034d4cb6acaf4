package offline

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/offline/intent"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// example is a question of a file in examples/, with the view that answers it, and what the talk was about before it.
type example struct{ class, about, text string }

// exampleQuestions reads the files, and returns their digest too. "# view" begins the questions of a view, one a line. "[stock]" begins a
// question that follows an answer about stock.
func exampleQuestions(t testing.TB) (all []example, state string) {
	names, err := filepath.Glob("examples/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal("no examples: ", err)
	}
	sum := sha256.New()
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(content)
		class := ""
		for line := range strings.Lines(string(content)) {
			line = strings.TrimSpace(line)
			if view, heading := strings.CutPrefix(line, "# "); heading {
				class = strings.TrimSuffix(filepath.Base(name), ".txt") + "." + view
			} else if line != "" {
				about := ""
				if talk, question, follows := strings.Cut(line, "] "); follows && talk[0] == '[' {
					about, line = talk[1:], question
				}
				all = append(all, example{class, about, line})
			}
		}
	}
	return all, hex.EncodeToString(sum.Sum(nil))
}

// exampleDay is the day on which the examples are read. Any day works.
var exampleDay = time.Date(2026, time.March, 11, 0, 0, 0, 0, time.UTC)

var (
	signs  = regexp.MustCompile(`\{\w+\}%?`)
	sameAs = strings.NewReplacer("{channel}", signPlace, "{order}", signNumber, "{unknown}", signUnknown)
)

// ordinary is the least number of examples for an ordinary word. Rarer words count as names: "счёт" and "полка" name things too.
const ordinary = 10

// rareName reports whether a word names something and is too rare in the examples to have another meaning.
func rareName(t words.Token, times map[string]int) bool {
	t.Forms = t.Forms[:1]
	names := naming.KindOf(t) != "" || naming.Translated().Knows(t)
	return names && !naming.IsGeneric(t) && times[words.Folded(t.Text)] < ordinary
}

// timesOf counts the words of examples.
func timesOf(questions []example) map[string]int {
	times := map[string]int{}
	for _, e := range questions {
		for _, t := range words.Tokens(signs.ReplaceAllString(e.text, " ")) {
			if t.IsWord() {
				times[words.Folded(t.Text)]++
			}
		}
	}
	return times
}

// symbolsOf returns the symbols of an example. It adds the example's words to known, unless they are single letters: these may be sizes.
func (c *catalog) symbolsOf(text string, times map[string]int, known map[string]bool) (symbols []string) {
	at := 0
	for _, sign := range append(signs.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		h := &heard{lexicon: &c.lexicon, text: text[at:sign[0]], today: exampleDay}
		h.tokens = words.Tokens(h.text)
		for i, token := range h.tokens {
			if token.IsWord() {
				h.tokens[i].Forms = token.Forms[:1]
				known[words.Folded(token.Text)] = !rareName(token, times) && utf8.RuneCountInString(token.Text) > 1
			}
		}
		name := sameAs.Replace(text[sign[0]:sign[1]])
		if name == signSpan && h.during(len(h.tokens)) {
			name = signPeriod
		}
		for n := len(h.tokens); (name == signPeriod || name == signFuture) && n > 0 && h.is(n-1, c.BeforePeriods); n-- {
			h.tokens = h.tokens[:n-1] // as the model reads questions
		}
		h.readTime()
		part, _ := c.symbols(h, func(i int) string {
			switch kind := naming.KindOf(h.tokens[i]); {
			case !rareName(h.tokens[i], times):
				return ""
			case kind == "":
				return signGoods // it has a translation
			default:
				return signOf(kind)
			}
		})
		if symbols = append(symbols, part...); name != "" {
			symbols = append(symbols, name)
		}
		at = sign[1]
	}
	return symbols
}

// taught returns the examples as the model learns them, each once, and their words.
func taught(t testing.TB, c *catalog) (all []intent.Example, known []string, state string) {
	questions, state := exampleQuestions(t)
	had, found, times := map[string]bool{}, map[string]bool{}, timesOf(questions)
	for _, e := range questions {
		if c.byClass[e.class] == nil {
			t.Fatal("examples of no view: ", e.class)
		}
		symbols := c.symbolsOf(e.text, times, found)
		if key := e.class + " " + e.about + " " + strings.Join(symbols, " "); !had[key] {
			had[key] = true
			all = append(all, intent.Example{Class: e.class, About: e.about, Symbols: symbols})
		}
	}
	maps.DeleteFunc(found, func(_ string, known bool) bool { return !known })
	return all, slices.Sorted(maps.Keys(found)), state
}

// The stored model belongs to the examples as they are now. With -update the test learns it anew.
func TestWhatIsLearntIsOfTheExamples(t *testing.T) {
	if *update {
		learn(t)
		return
	}
	if _, state := exampleQuestions(t); state != readLearnt().Examples {
		t.Errorf("%s is of other examples: go test -run WhatIsLearnt ./agent/offline -update", learntFile)
	}
}

// learn writes the file of what the examples teach.
func learn(t *testing.T) {
	all, known, state := taught(t, loaded())
	content, err := json.Marshal(learnt{Examples: state, Words: known, Deciding: mostlyOne(all), Objects: objects(t, loaded()), Before: beforeGoods(t)})
	if err != nil {
		t.Fatal(err)
	}
	model, err := intent.Learn(all).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(slices.Concat(content, []byte("\n"), model)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(learntFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// objects returns the words that examples have where things are named: "how many days".
func objects(t testing.TB, c *catalog) []string {
	all := map[string]bool{}
	questions, _ := exampleQuestions(t)
	for _, e := range questions {
		for _, text := range signs.Split(e.text, -1) {
			h := &heard{lexicon: &c.lexicon, text: text, tokens: words.Tokens(text)}
			h.function = make([]bool, len(h.tokens))
			for i, token := range h.tokens {
				if token.IsWord() && h.objects(i) {
					all[stem(token.Forms[0])] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// beforeGoods returns the words that several examples have right before the name of goods: "sell {goods}".
func beforeGoods(t testing.TB) []string {
	times := map[string]int{}
	questions, _ := exampleQuestions(t)
	for _, e := range questions {
		for _, at := range goodsSign.FindAllStringIndex(e.text, -1) {
			before := words.Tokens(e.text[:at[0]])
			if n := len(before); n > 0 && before[n-1].IsWord() {
				times[stem(before[n-1].Forms[0])]++
			}
		}
	}
	maps.DeleteFunc(times, func(_ string, n int) bool { return n < 2 })
	return slices.Sorted(maps.Keys(times))
}

var goodsSign = regexp.MustCompile(regexp.QuoteMeta(signGoods))

// mostly is the least share of the examples with such a word that ask for the same report, in percent, and several the least number of them.
const (
	mostly  = 50
	several = 3
)

// mostlyOne returns the words that mostly ask for one report or topic.
func mostlyOne(examples []intent.Example) (all []string) {
	total, own := map[string]int{}, map[string]map[string]int{}
	for _, e := range examples {
		report, _, _ := strings.Cut(e.Class, ".")
		if report == "follow" {
			report = e.Class
		}
		for _, symbol := range e.Symbols {
			if own[symbol] == nil {
				own[symbol] = map[string]int{}
			}
			own[symbol][report]++
			total[symbol]++
		}
	}
	for symbol, of := range own {
		if most := slices.Max(slices.Collect(maps.Values(of))); symbol[0] != '{' && most >= several && 100*most >= mostly*total[symbol] {
			all = append(all, symbol)
		}
	}
	slices.Sort(all)
	return all
}

// Every fifth example is held back from a model, which must understand most of these.
func TestUnseenExamplesAreUnderstood(t *testing.T) {
	if testing.Short() {
		t.Skip("learning is a full-size computation")
	}
	all, _, _ := taught(t, loaded())
	var seen, unseen []intent.Example
	for _, e := range all {
		if crc32.ChecksumIEEE([]byte(strings.Join(e.Symbols, " ")))%5 == 0 { // the same ones whatever examples are added
			unseen = append(unseen, e)
		} else {
			seen = append(seen, e)
		}
	}
	m, right := intent.Learn(seen), 0
	for _, e := range unseen {
		guesses := m.Guess(e.About, e.Symbols)
		own := guesses[slices.Index(m.Classes(), e.Class)].Probability
		if !slices.ContainsFunc(guesses, func(g intent.Guess) bool { return g.Probability > own }) {
			right++
		}
	}
	t.Logf("%d of %d", right, len(unseen))
	if right*3 < len(unseen)*2 {
		t.Errorf("%d of %d unseen examples are understood", right, len(unseen))
	}
}

func TestEveryViewHasExamples(t *testing.T) {
	const least = 3
	russian, english := map[string]int{}, map[string]int{}
	questions, _ := exampleQuestions(t)
	for _, e := range questions {
		if strings.ContainsFunc(e.text, func(r rune) bool { return r >= 'а' && r <= 'я' }) {
			russian[e.class]++
		} else {
			english[e.class]++
		}
	}
	for class, v := range loaded().byClass {
		if v == loaded().stocked { // it has those of the prices
			continue
		}
		if russian[class] < least || english[class] < least {
			t.Errorf("%s has %d examples in Russian and %d in English", class, russian[class], english[class])
		}
	}
}
