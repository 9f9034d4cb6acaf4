// Package offline is the model without a model: it understands questions of an owner in Russian and English by examples and by the
// account's own names, picks reports for them, and answers in the language of references.
//
// Example questions teach which view of a report a question asks for: a file for each report in examples/, learnt in teach_test.go and
// asked in guess.go. The question then becomes a frame (frame.go): a view with slots. What a view says, and the words for its slots,
// are a file for each report in tools/. A later message changes the frame before it (talk.go). A frame becomes calls (call.go), and
// what they give becomes a text (say.go).
package offline

import (
	"cmp"
	"embed"
	"io/fs"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/intent"
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
}

// oneWord is alternatives of a single word.
type oneWord struct{ words.Word }

// lexicon is the words that change a question whatever it is about.
type lexicon struct {
	Top, Bottom, All oneWord
	Ascending, Sort  oneWord
	More, Less       oneWord
	OfAll            oneWord `yaml:"of_all"` // words that make "more" the most
	Anaphor, Follow  oneWord
	Single           oneWord // of Anaphor: those that mean one thing
	PartOf           oneWord `yaml:"part_of"` // "of" what was shown: all of it, not one
	Of               oneWord // the same before words for several: "of those"
	NextPart         oneWord `yaml:"next_part"`
	Articles         oneWord // before them stands no noun: "set the …"
	Everywhere       oneWord // words that take a narrowing back
	Question         oneWord
	Stranger         oneWord // words that ask for goods
	BeforeNames      oneWord `yaml:"before_names"`
	BeforePeriods    oneWord `yaml:"before_periods"`
	BeforePersons    oneWord `yaml:"before_persons"`
	Counting         oneWord
	Negation         oneWord
	During           oneWord // before a length of time that ends today
	Except           oneWord
	Place            oneWord // words beside which the name of a warehouse stands
	Persons          oneWord // who may be a counterparty
	Units, Money     oneWord
	By               oneWord // words before the figure that is asked for
	Rows             oneWord // what is counted in a list: "three items"
	Or               oneWord // words between two things to choose from
	Amounts          oneWord // words that ask how much of what is spoken of
	Percent          oneWord
	Sums             struct{ Plus, Minus, Times, Divide oneWord }
	Bought           oneWord // words before what was paid
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
	Share    int64   // the percentage of the whole that its first group is made by
	Past     string  // the view of another report that tells the same of a past day
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
	Day       string   // the argument for a day that is over
	Window    string   // the argument for a length of time that ends today, where Days is of one that begins today
	Longer    string   // the field that a length of time is compared with
	Months    string
	Percent   string // the argument for a share, written in percent
	Number    string // of an order
}

// view is one thing that a report tells.
type view struct {
	Name      string
	Mode      string // "share", "compare", "average", "against": a figure that is made of others
	Of        string // the report that has the whole of which a share is told
	Point     bool   // what there was at the beginning and the end of a period: "in the beginning of October" is clear
	Needs     []string
	Columns   []string
	ColumnsEN []string `yaml:"columns_en"`
	Where     string   // a condition on its rows; DAYS in it is the length of time that the question names
	Days      []string // the arguments for a length of time, where they are others than the report's
	Whole     bool     // it is about everybody: no counterparty is looked for
	Parties   string   // the list of its report whose organizations may be named
	Help      bool
	Usual     int      // the days that are meant where the question names no length of time; 0: it has to
	Formula   string   // of a sum
	Short     bool     // it is a message of a few words
	Joint     []string // views of the report that this one tells together
	text      `yaml:",inline"`
	report    *report
	draft     *draftKind
	shortage  bool   // a draft of what is below the minimums
	follow    string // it goes on with what was shown, and this is how
}

// draftKind is what a kind of draft needs.
type draftKind struct {
	Tool         string
	Raise, Lower []pattern
}

type draftWords struct {
	Order, Transfer, Price *draftKind
	From, To, At, By       oneWord
	PriceAt                oneWord `yaml:"price_at"`
	Every                  oneWord
	Remove, More           oneWord            // a line, or of what is in the draft
	PriceTypes             map[string]oneWord `yaml:"price_types"` // by what they are usually called
	Ask                    map[string]text
}

// catalog is everything that the files say.
type catalog struct {
	lexicon
	function   *words.Set
	vocabulary *words.Vocabulary
	intents    *intent.Model
	learnt     map[string]bool   // the symbols that they have
	russian    *words.Vocabulary // of it, to tell the languages apart
	english    *words.Vocabulary
	reports    []*report
	drafts     draftWords
	byTool     map[string]*report
	byClass    map[string]*view // as the examples name views: by the file, and the view in it
}

var loaded = sync.OnceValue(load)

func load() *catalog {
	c := &catalog{function: words.Function(), byTool: map[string]*report{}, byClass: map[string]*view{}, learnt: map[string]bool{}}
	c.vocabulary = words.NewVocabulary()
	loading.vocabulary = c.vocabulary
	loading.russian, loading.english = words.NewVocabulary(), words.NewVocabulary()
	for _, w := range c.function.All {
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
			for _, v := range topics {
				c.byClass["topics."+v.Name] = v
			}
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
	for class, d := range map[string]*draftKind{
		"order": c.drafts.Order, "shortage": c.drafts.Order, "transfer": c.drafts.Transfer, "price": c.drafts.Price,
	} {
		c.byClass["drafts."+class] = &view{Name: d.Tool, draft: d, shortage: class == "shortage"}
	}
	for _, way := range []string{"changes", "total", "share", "compare", "all", "draft", "order"} {
		c.byClass["follow."+way] = &view{Name: way, follow: way}
	}
	for _, r := range c.reports {
		for _, v := range r.Views {
			v.report = r
			c.byClass[r.Tool+"."+v.Name] = v
		}
	}
	c.russian, c.english = loading.russian, loading.english
	for word := range c.Numerals {
		c.vocabulary.Add(words.ParseWord(word))
	}
	c.Numerals, c.Scales = sounding(c.Numerals), sounding(c.Scales)
	c.remember()
	return c
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

func parseWord(text string) words.Word {
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

// UnmarshalYAML reads the words of a pattern.
func (p *pattern) UnmarshalYAML(node *yaml.Node) error {
	for one := range strings.FieldsSeq(node.Value) {
		p.words = append(p.words, parseWord(one))
	}
	return nil
}

// static are the words that are known without the account.
func (c *catalog) static() []*words.Vocabulary {
	return []*words.Vocabulary{calendar.Vocabulary, c.vocabulary, c.function.Vocabulary, naming.Translated(), naming.Named()}
}

// language is the one that a message is in; empty where no word tells. Names tell nothing: beside words in Russian letters, only
// English function words make a message English.
func (c *catalog) language(message string) string {
	cyrillic, transliterated, english, balance := 0, 0, 0, 0
	for _, t := range words.Tokens(message) {
		if !t.IsWord() {
			continue
		}
		own := words.Token{Text: t.Text, Forms: t.Forms[:1]}
		function := c.function.Has(own)
		switch {
		case t.Cyrillic() && (function || c.russian.Knows(own)):
			cyrillic++
			if function {
				balance--
			}
		case t.Cyrillic():
		case c.english.Knows(own):
			english++
			if function {
				balance++
			}
		case c.russian.Knows(words.Token{Forms: t.Forms}):
			transliterated++
		}
	}
	switch {
	case cyrillic > 0 && balance <= 0, cyrillic == 0 && transliterated > 0 && transliterated >= english:
		return "ru"
	case english > 0 || balance > 0:
		return "en"
	}
	return ""
}
