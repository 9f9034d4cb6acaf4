// Package offline is the model without a model: it understands questions of an owner in Russian and English by lexicons and by the
// account's own names, picks reports for them, and answers in the language of references.
//
// A question becomes a frame (frame.go): a view of a report with slots. Words that ask for a view, and what it says, are data, a file
// for each report in tools/. A later message changes the frame before it (talk.go). A frame becomes calls (call.go), and what they
// give becomes a text (say.go).
package offline

import (
	"cmp"
	"embed"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

//go:embed lexicon.yaml tools/*.yaml
var files embed.FS

// text is said in either language.
type text struct{ RU, EN string }

func (t text) in(lang string) string {
	if lang == "ru" {
		return t.RU
	}
	return t.EN
}

// pattern is words that a question has, in whatever order.
type pattern struct {
	words []words.Word
	near  []bool // the word stands right behind the one before it, or behind an article
	first bool   // the first of them begins the question
}

// oneWord is alternatives of a single word.
type oneWord struct{ words.Word }

// lexicon is the words that change a question whatever it is about.
type lexicon struct {
	Classes          map[string]string
	Top, Bottom, All oneWord
	Ascending, Sort  oneWord
	More, Less       oneWord
	Anaphor, Follow  oneWord
	Single           oneWord // of Anaphor: those that mean one thing
	PartOf           oneWord `yaml:"part_of"` // "of" what was shown: all of it, not one
	Together         oneWord // words that ask for all that was shown in one
	NextPart         oneWord `yaml:"next_part"`
	Yes, No          oneWord
	Question         oneWord
	Stranger         oneWord // words that ask for goods
	BeforeNames      oneWord `yaml:"before_names"`
	Except           oneWord
	Place            oneWord // words beside which the name of a warehouse stands
	Persons          oneWord // who may be a counterparty
	Units, Money     oneWord
	Amounts          oneWord // words that ask how much of what is spoken of
	Percent          oneWord
	Sums             sums
	Scales, Numerals map[string]int64
}

// report is what one tool's file says.
type report struct {
	Tool     string
	Rows     string // the report's list; "rows" unless it says otherwise
	Order    string // the field by which its largest row is the first
	Names    text
	Slots    slots
	Choices  map[string]map[string][]pattern
	Measures map[string][]pattern
	Words    []pattern
	Group    oneWord // what groups of goods are called
	Views    []*view
}

// slots say how a report takes what a question names: by an argument, or by filtering its rows.
type slots struct {
	Period    []string // the arguments of the first and last day
	Warehouse string   // an argument
	Places    string   // the field of rows by which they are narrowed to several warehouses or channels
	Goods     string   // "query": an argument; "rows": a filter
	Channel   string   // an argument, or "group": the report is grouped by channel, and filtered
	Party     string   // "debts", "supplier", "rows", "rows-supplier": a filter on these rows
	Days      string   // the argument for a length of time
	Longer    string   // the field that a length of time is compared with
	Months    string
	Percent   string // the argument for a share, written in percent
	Number    string // of an order
}

// view is one thing that a report tells.
type view struct {
	Name      string
	Mode      string // "share" and "compare": two figures are needed
	Needs     []string
	Ask       []pattern
	Hint      []pattern // which ask for it where nothing else in the question asks for anything
	After     []pattern // which ask for it too where its report was asked for before
	Words     []pattern
	Weight    float64
	Columns   []string
	ColumnsEN []string `yaml:"columns_en"`
	Where     string   // a condition on its rows; DAYS in it is the length of time that the question names
	Days      []string // the arguments for a length of time, where they are others than the report's
	Object    bool     // it is about goods that a question names
	Whole     bool     // it is about everybody: no counterparty is looked for
	Help      bool
	Short     bool     // it is a message of a few words
	Joint     []string // views of the report that this one tells together
	text      `yaml:",inline"`
	report    *report
	draft     *draftKind
}

// draftKind is what a kind of draft needs.
type draftKind struct {
	Tool         string
	Ask, Words   []pattern
	Shortage     []pattern
	Raise, Lower []pattern
}

type draftWords struct {
	Order, Transfer, Price *draftKind
	From, To, At, By       oneWord
	PriceAt                oneWord `yaml:"price_at"`
	Until, Every           oneWord
	Ask                    map[string]text
}

// catalog is everything that the files say.
type catalog struct {
	lexicon
	function   *words.Set
	common     *words.Set
	vocabulary *words.Vocabulary
	asking     *words.Vocabulary // of it, what asks for something by itself
	russian    *words.Vocabulary // of it, to tell the languages apart
	english    *words.Vocabulary
	reports    []*report
	views      []*view // of reports, drafts and talk
	drafts     draftWords
	byTool     map[string]*report
	scales     map[string]int64
	numerals   map[string]int64
}

var loaded = sync.OnceValue(load)

// reportOrder breaks ties: of equal readings the first is meant.
var reportOrder = []string{"money_position", "margin", "stock", "shortage_by_supplier", "below_minimum", "dead_stock", "out_of_stock", "negative_stock",
	"overdue_orders", "reorder_points", "turnover", "slow_movers", "cash_runway", "reconcile_shipments", "abc_xyz", "zero_cost_receipts", "search_products"}

func load() *catalog {
	c := &catalog{function: words.Function(), common: words.Common(), byTool: map[string]*report{}}
	c.vocabulary, c.asking = words.NewVocabulary(), words.NewVocabulary()
	c.Classes = map[string]string{}
	var classes struct{ Classes map[string]string }
	decode("lexicon.yaml", &classes)
	loading.classes, loading.vocabulary = classes.Classes, c.vocabulary
	loading.russian, loading.english = words.NewVocabulary(), words.NewVocabulary()
	for _, w := range slices.Concat(c.function.All, c.common.All) {
		loading.russian.AddIn(true, w)
		loading.english.AddIn(false, w)
	}
	decode("lexicon.yaml", &c.lexicon)
	names, err := fs.Glob(files, "tools/*.yaml")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		switch name {
		case "tools/topics.yaml":
			var topics []*view
			decode(name, &topics)
			c.views = append(c.views, topics...)
		case "tools/drafts.yaml":
			decode(name, &c.drafts)
		default:
			r := &report{}
			decode(name, r)
			r.Rows = cmp.Or(r.Rows, "rows")
			c.byTool[r.Tool] = r
			c.reports = append(c.reports, r)
		}
	}
	slices.SortStableFunc(c.reports, func(a, b *report) int {
		return slices.Index(reportOrder, a.Tool) - slices.Index(reportOrder, b.Tool)
	})
	for _, d := range []*draftKind{c.drafts.Order, c.drafts.Transfer, c.drafts.Price} {
		c.views = append(c.views, &view{Name: d.Tool, Weight: 0.5, Ask: d.Ask, Words: slices.Concat(d.Words, d.Shortage, d.Raise, d.Lower), draft: d})
	}
	for _, r := range c.reports {
		for _, v := range r.Views {
			v.report = r
			v.Words = slices.Concat(v.Words, r.Words)
			c.views = append(c.views, v)
		}
	}
	for _, v := range c.views {
		if v.report != nil {
			c.learn(v.Ask)
		}
	}
	for _, r := range c.reports {
		for _, measure := range r.Measures {
			c.learn(measure)
		}
		for _, values := range r.Choices {
			for _, value := range values {
				c.learn(value)
			}
		}
	}
	c.russian, c.english = loading.russian, loading.english
	c.numerals, c.scales = sounding(c.Numerals), sounding(c.Scales)
	for word := range c.Numerals {
		c.vocabulary.Add(words.ParseWord(word))
	}
	return c
}

// learn adds the patterns of one word to those that ask for something by themselves.
func (c *catalog) learn(patterns []pattern) {
	for _, p := range patterns {
		if len(p.words) == 1 {
			c.asking.Add(p.words[0])
		}
	}
}

func sounding(list map[string]int64) map[string]int64 {
	heard := map[string]int64{}
	for word, n := range list {
		heard[words.FormOf(word).Full] = n
	}
	return heard
}

// loading is what patterns need while the files are read.
var loading struct {
	classes    map[string]string
	vocabulary *words.Vocabulary

	russian, english *words.Vocabulary
}

func decode(name string, into any) {
	content, err := files.ReadFile(name)
	if err == nil {
		err = yaml.Unmarshal(content, into)
	}
	if err != nil {
		panic(name + ": " + err.Error())
	}
}

var classed = regexp.MustCompile(`\{(\w+)\}`)

func parseWord(text string) words.Word {
	text = classed.ReplaceAllStringFunc(text, func(name string) string {
		class, known := loading.classes[name[1:len(name)-1]]
		if !known {
			panic("no class " + name)
		}
		return class
	})
	w := words.ParseWord(text)
	loading.vocabulary.Add(w)
	loading.russian.AddIn(true, w)
	loading.english.AddIn(false, w)
	return w
}

// UnmarshalYAML reads alternatives of one word.
func (w *oneWord) UnmarshalYAML(node *yaml.Node) error {
	w.Word = parseWord(node.Value)
	return nil
}

// UnmarshalYAML reads the words of a pattern; one that begins with "^" begins the question, one with
// "~" stands behind the one before.
func (p *pattern) UnmarshalYAML(node *yaml.Node) error {
	text, first := strings.CutPrefix(node.Value, "^")
	p.first = first
	for one := range strings.FieldsSeq(text) {
		one, near := strings.CutPrefix(one, "~")
		p.near = append(p.near, near)
		p.words = append(p.words, parseWord(one))
	}
	return nil
}

// static are the words that are known without the account.
func (c *catalog) static() []*words.Vocabulary {
	return []*words.Vocabulary{c.vocabulary, calendar.Vocabulary, c.function.Vocabulary, naming.Translated(), naming.Named(), c.common.Vocabulary}
}

// foreign reports whether the words of a message around Russian names are English: more function words are.
func (c *catalog) foreign(message string) bool {
	russian, english := 0, 0
	for _, t := range words.Tokens(message) {
		switch {
		case !t.IsWord() || !c.function.Has(words.Token{Text: t.Text, Forms: t.Forms[:1]}):
		case t.Cyrillic():
			russian++
		default:
			english++
		}
	}
	return english > russian
}

// transliterated reports whether more words of a message are known as Russian in Latin letters than as English.
func (c *catalog) transliterated(message string) bool {
	russian, english := 0, 0
	for _, t := range words.Tokens(message) {
		if !t.IsWord() || len(t.Forms) < 2 {
			continue
		}
		if c.english.Knows(words.Token{Forms: t.Forms[:1]}) {
			english++
		} else if c.russian.Knows(words.Token{Forms: t.Forms}) {
			russian++
		}
	}
	return russian > english
}
