package offline

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/offline/intent"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// example is a question of a file in examples/, with the view that answers it.
type example struct{ class, text string }

// exampleQuestions reads the files: "# view" begins the questions of a view, one a line.
func exampleQuestions() (all []example) {
	names, err := fs.Glob(files, "examples/*.txt")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		content, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		class := ""
		for line := range strings.Lines(string(content)) {
			line = strings.TrimSpace(line)
			if view, heading := strings.CutPrefix(line, "# "); heading {
				class = strings.TrimSuffix(path.Base(name), ".txt") + "." + view
			} else if line != "" {
				all = append(all, example{class, line})
			}
		}
	}
	return all
}

// learn trains the model on the examples.
func (c *catalog) learn() {
	all := exampleQuestions()
	taught := make([]intent.Example, len(all))
	for i, e := range all {
		if c.byClass[e.class] == nil {
			panic("examples of no view: " + e.class)
		}
		taught[i] = intent.Example{Class: e.class, Symbols: c.taught(e.text)}
	}
	c.intents = intent.Learn(taught)
}

func (c *catalog) know(form words.Form) {
	c.vocabulary.AddForm(form)
	c.stems[form.Full] = form.Key
	if form.Russian {
		c.russian.AddForm(form)
	} else {
		c.english.AddForm(form)
	}
}

// exampleDay is the day on which the examples are read. Any day would do.
var exampleDay = time.Date(2026, time.March, 11, 0, 0, 0, 0, time.UTC)

// The signs of the examples for what a question names.
const (
	signPeriod  = "{period}"
	signFuture  = "{future}"
	signSpan    = "{span}"
	signPlace   = "{place}" // a warehouse or a channel: one name may be both
	signParty   = "{party}"
	signGoods   = "{goods}"
	signNumber  = "{n}"
	signPercent = "{n}%"
	signUnknown = "{?}" // a word that no example has
)

var (
	signs   = regexp.MustCompile(`\{\w+\}%?`)
	sameAs  = strings.NewReplacer("{channel}", signPlace, "{order}", signNumber)
	nothing = func(int) string { return "" }
)

// taught are the symbols of an example. Its words are known from then on.
func (c *catalog) taught(text string) (symbols []string) {
	at := 0
	for _, sign := range append(signs.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		h := &heard{lexicon: &c.lexicon, text: text[at:sign[0]], today: exampleDay}
		h.tokens = words.Tokens(h.text)
		for i, t := range h.tokens {
			if t.IsWord() {
				h.tokens[i].Forms = t.Forms[:1]
				c.know(t.Forms[0])
			}
		}
		name := sameAs.Replace(text[sign[0]:sign[1]])
		if name == signSpan && h.during(len(h.tokens)) {
			name = signPeriod
		}
		for n := len(h.tokens); (name == signPeriod || name == signFuture) && n > 0 && h.is(n-1, c.BeforePeriods); n-- {
			h.tokens = h.tokens[:n-1] // as in questions
		}
		h.readTime("")
		part, _ := c.symbols(h, nothing)
		if symbols = append(symbols, part...); name != "" {
			symbols = append(symbols, name)
		}
		at = sign[1]
	}
	return symbols
}
