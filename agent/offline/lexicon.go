// Package offline answers questions about the books without a language model. It understands owners' questions in Russian and English by
// examples and by the account's own names. It chooses reports and answers in the language of references.
//
// Example questions teach which view of a report a question asks for, by its words and by the report spoken of before. Each report has a
// file of them in examples/; teach_test.go learns them and guess.go applies them. The question then becomes a frame
// (frame.go): a view with slots, which the read_ files fill. Each report has a file in tools/ with the sentences of its views and the
// words for their slots. A later message changes the frame before it (follow.go), asks for something about it (inherit.go), or does
// something with the figures that it has shown (operate.go, compare.go). A draft is read by draft.go and amounts.go, completed by what was
// shown (inherit_draft.go), and changed by later messages (redraft.go, edit.go). A frame becomes calls (call.go), and their results become
// a text (say.go).
package offline

import (
	"cmp"
	"embed"
	"io/fs"
	"strings"
	"sync"

	"github.com/shopspring/decimal"
	"gopkg.in/yaml.v3"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/intent"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
	"github.com/kopeck/kopeck/schemas/bilingual"
)

//go:embed lexicon.yaml replies.yaml tools/*.yaml
var files embed.FS

// pattern matches a question that has all its words, in any order.
type pattern []oneWord

// oneWord matches one word by any of several alternatives.
type oneWord struct{ words.Word }

// lexicon holds the words that mean the same in questions about any report. Its file says what each word is for.
type lexicon struct {
	Top, Bottom, Worst, Sort, By, Rows, All                 oneWord
	More, Less, Against, Or, Percent, Units, Money, Amounts oneWord
	Anaphor, Single, Several, Persons, Of, Follow           oneWord
	Question, Which, Place, Articles, Greeting              oneWord
	Everyone, Everywhere, Except, Negation, During          oneWord
	Equal, Bought, Us, There, Whether, Undecided, Fall      oneWord
	Together, Instead, Older, Sizes, Rank                   oneWord
	Pair, Channels, Marketplaces, One, Agree, Net           oneWord
	Decline, Without, Reason, Least, Dearer                 oneWord
	Lasts, Changed, Both, Almost, Now, Measures, We, Owe    oneWord
	Others, Else, Newest, Recurring, Foreign, Share, Trades oneWord
	EachDay                                                 oneWord `yaml:"each_day"`
	SumsUp                                                  oneWord `yaml:"sums_up"`
	OfAll                                                   oneWord `yaml:"of_all"`
	RangeFrom                                               oneWord `yaml:"range_from"`
	RangeTo                                                 oneWord `yaml:"range_to"`
	PartOf                                                  oneWord `yaml:"part_of"`
	PartWhich                                               oneWord `yaml:"part_which"`
	NextPart                                                oneWord `yaml:"next_part"`
	BeforeNames                                             oneWord `yaml:"before_names"`
	BeforeThings                                            oneWord `yaml:"before_things"`
	BeforeCodes                                             oneWord `yaml:"before_codes"`
	BeforePeriods                                           oneWord `yaml:"before_periods"`
	GroupBy                                                 oneWord `yaml:"group_by"`
	PerOne                                                  oneWord `yaml:"per_one"`
	EachOne                                                 oneWord `yaml:"each_one"`
	Just, Remains, Priced, Stocked                          oneWord
	Sums                                                    struct {
		Plus, Minus, Times, Divide, From, Spend, Price, VAT, Change, Than, Average oneWord
	}
	Scales, Numerals, Parts map[string]decimal.Decimal
	AndHalf                 oneWord `yaml:"and_half"`
	Half                    oneWord
	Groups                  map[string]oneWord
	Every                   map[calendar.Unit]oneWord
}

// report is the content of one report's file.
type report struct {
	Tool     string
	Rows     string // the report's list; empty means "rows"
	Order    string // the field by which its rows are sorted, largest first
	Shortage bool   // its rows are what an order of everything short has
	Orders   string // the field of its rows that says how many to order
	Problems bool   // its rows are problems: the largest is the worst
	Sold     bool   // its rows are what was sold, unless it searches: then they are all goods that it finds
	Named    bool   // a short question about it is about the goods spoken of
	Names    bilingual.Text
	Absent   bilingual.Text // a template: if it is not empty, it is the answer of every view
	Slots    slots
	Choices  map[string]map[string][]pattern
	Counted  pattern // beside goods, these words ask for how many were sold
	Measures map[string][]pattern
	Figures  map[string]measured // those that need more than the sum of a field
	Share    int64               // the percentage of the whole that the first group makes up
	Past     string              // the view of another report that answers the same for a past day
	Money    elsewhere           // the view of another report that has the amount of money
	Group    oneWord             // words for groups of goods
	Lengths  map[string]oneWord  // words that say for which argument a length of time is, if there are several
	Others   string              // the view that leaves out the counterparties that a question names; empty: the report cannot do that
	Ahead    oneWord             // words beside a length of time for which a view has another argument
	Views    []*view
}

// elsewhere is what another report answers, and the words that ask for it.
type elsewhere struct {
	View  string
	Asked []pattern
}

// slots say how a report takes what a question names: as an argument, or as a filter on its rows.
type slots struct {
	Period    []string // the arguments of the first and last day
	Warehouse string   // an argument
	Source    string   // the field of rows that lists the warehouses that could give the goods
	Places    string   // the field of rows to filter by several warehouses or channels
	Goods     string   // "query": an argument; "rows": a filter
	Channel   string   // an argument; "group": the report is grouped by channel, and filtered; "price": whose sale price is meant
	Party     string   // "debts", "supplier", "rows", "rows-supplier": a filter on these rows
	AsOf      string   `yaml:"as_of"` // the argument for a day, today if absent
	Days      string   // the argument for a length of time
	Window    string   // the argument for a length of time that ends today; Days then begins today
	Longer    string   // the field that a length of time is compared with
	Months    string
	Month     string // the field of the rows of a list of months
	Percent   string // the argument for a share, written in percent
	Number    string // of an order
	Foreign   bool   // its figures name other currencies
}

// view is one kind of answer that a report gives.
type view struct {
	bilingual.Text `yaml:",inline"` // its sentences

	Name      string
	Mode      string // "share", "compare", "average", "against": a figure computed from others
	Of        string // the report that has the whole of a share, or the view whose report it also reads
	Needs     []string
	List      string   // its list, if it is not the report's
	Summed    []string // what a product's rows are added up by, and their figures, where one of pieces is ranked or limited in all warehouses
	Ranks     string   // the list of warehouses that it ranks instead of rows, unless the question names goods
	Order     string   // the field by which it sorts its list, if that is not how the report does
	Means     string   // what words for the report's own order mean in it: "the dearest" by sale price
	Columns   []string
	ColumnsEN []string                  `yaml:"columns_en"`
	Where     string                    // a condition on its rows; DAYS in it is the length of time that the question names
	Whether   string                    // the figure, a template, that answers a yes-or-no question: yes if it is above 0
	Filled    string                    // a condition on the rows of the whole report, which leaves out those that its totals do not count
	Days      []string                  // the arguments for a length of time, if they differ from the report's
	Gives     map[string]any            // arguments that it always gives
	Due       bool                      // it is about what is still to be done: a time that is not over is none of its rows
	Everyone  string                    // the view that says the same about all counterparties
	Happens   bool                      // it is about what happened in a time: a brief question is about the time spoken of
	Leaves    bool                      // a ranking of the largest is not of its rows: "the five most profitable" after losses
	Counts    bool                      // it says how many rows there are
	Makes     string                    // the kind of draft that "do it" makes of what it shows; empty: a purchase order
	Edges     bool                      // it tells what there was at the beginning and the end of its period
	Whole     bool                      // the view is about all counterparties: none is looked for
	OfParty   bool                      `yaml:"of_party"` // it may itself be about one counterparty
	Parties   string                    // the list of the report that has the organizations a question may name
	Examples  struct{ RU, EN []string } // questions that it offers; a test asks each of them
	Chat      bool                      // small talk: next to a question, it means nothing
	Offers    string                    // the report that a topic offers instead
	Coming    string                    // the view of another report that answers instead about a time ahead
	Usual     int                       // the days if the question names no time; 0: it must name a length, but a period is as long as usual
	Tells     string                    // the argument whose usual value it tells
	Supposed  string                    // the view that answers if the question supposes another value
	Formula   string                    // of a calculation, with places for its figures
	Changed   string                    // the view that takes figures of which one is the other after a change
	Takes     []string                  // these places, in the order in which a question usually says the figures
	tool      string                    // the tool whose result it is, if any
	report    *report
	draft     *draftKind
	shortage  bool    // a draft of everything below its minimum
	follow    string  // how the view continues from what was shown; empty if it starts afresh
	class     int     // its place among the classes of the learnt model
	alike     []*view // the views that are like it, with itself
}

// examples returns the questions that a view offers.
func (v *view) examples(lang string) []string {
	if lang == "ru" {
		return v.Examples.RU
	}
	return v.Examples.EN
}

// draftKind holds the words and questions of one kind of draft.
type draftKind struct {
	Tool         string
	Needs        []string // the arguments that it cannot do without, each asked for by its name
	Amount       string   // the argument of a line for its number
	Raise, Lower oneWord
	Asks, Alters oneWord // of a price: a message needs one of them, Alters beside goods
}

// draftWords are the words of drafts. Their file says what each is for.
type draftWords struct {
	Order, Transfer, Price               *draftKind
	From, There, At, By, Purchase, Every oneWord
	Beyond, More, Instead, Each, To      oneWord
	Polite, Sets, Takes, Replace, Remove oneWord
	Only, Keep, Last, Out, Return, Fold  oneWord
	Less, But, Corrects, Same            oneWord
	Unneeded, Reverse, Stays             []pattern
	Factors                              map[string]decimal.Decimal
	EveryOne                             []pattern `yaml:"every_one"`
	Unsettled, Later                     oneWord
	PriceAt                              oneWord            `yaml:"price_at"`
	PriceTypes                           map[string]oneWord `yaml:"price_types"`
}

// catalog is the content of all the files.
type catalog struct {
	lexicon
	function    *words.Vocabulary
	vocabulary  *words.Vocabulary
	intents     *intent.Model
	learnt      map[string]bool // the stems of their words
	learntWords map[string]bool // their words as they stand
	deciding    map[string]bool // the stems that mostly ask for one report
	objects     map[string]bool // the stems that examples have where things are named
	before      map[string]bool // the stems that several examples have right before the name of goods
	reports     []*report
	drafts      draftWords
	replies     map[string]bilingual.Text
	byTool      map[string]*report
	moving      *view            // a transfer of everything that its target lacks
	stocked     *view            // the prices of what is in stock; it is as likely as those of all cards
	byClass     map[string]*view // by the names that the examples use: file and view
	views       []*view          // the same, by class
}

var loaded = sync.OnceValue(load)

func load() *catalog {
	c := &catalog{function: words.Function(), vocabulary: words.NewVocabulary(), byTool: map[string]*report{}, byClass: map[string]*view{}}
	c.learnt, c.learntWords = map[string]bool{}, map[string]bool{}
	loading = c
	decode("lexicon.yaml", &c.lexicon)
	decode("replies.yaml", &c.replies)
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
	for name, d := range map[string]*draftKind{"order": c.drafts.Order, "transfer": c.drafts.Transfer, "price": c.drafts.Price} {
		c.byClass["drafts."+name] = &view{Name: name, tool: d.Tool, draft: d}
	}
	c.byClass["drafts.shortage"] = &view{Name: "order", tool: c.drafts.Order.Tool, draft: c.drafts.Order, shortage: true}
	for _, way := range []string{"changes", "total", "share", "compare", "all", "draft", "order", "count", "cover"} {
		c.byClass["follow."+way] = &view{Name: way, follow: way}
	}
	for _, r := range c.reports {
		for _, v := range r.Views {
			v.report, v.tool = r, r.Tool
			c.byClass[r.Tool+"."+v.Name] = v
		}
	}
	for word := range c.drafts.Factors {
		c.vocabulary.Add(words.ParseWord(word))
	}
	for word := range c.Numerals {
		c.vocabulary.Add(words.ParseWord(word))
	}
	c.drafts.Factors = sounding(c.drafts.Factors)
	c.Numerals, c.Scales, c.Parts = sounding(c.Numerals), sounding(c.Scales), sounding(c.Parts)
	c.remember()
	c.stocked = c.byClass["search_products.stocked"]
	c.stocked.class, c.stocked.alike = c.byClass["search_products.sale_price"].class, c.byClass["search_products.sale_price"].alike
	c.moving = &view{Name: "transfer", tool: c.drafts.Transfer.Tool, draft: c.drafts.Transfer, shortage: true}
	c.moving.class, c.moving.alike = c.byClass["drafts.shortage"].class, c.byClass["drafts.transfer"].alike
	return c
}

func sounding(list map[string]decimal.Decimal) map[string]decimal.Decimal {
	heard := map[string]decimal.Decimal{}
	for word, n := range list {
		heard[words.FormOf(word).Full] = n
	}
	return heard
}

// loading is the catalog whose files are being read. Their words become its vocabulary.
var loading *catalog

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
	return w
}

// UnmarshalYAML reads alternatives of one word, from a text or a list.
func (w *oneWord) UnmarshalYAML(node *yaml.Node) error {
	all := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		all = node.Content
	}
	for _, one := range all {
		if one.Alias != nil {
			one = one.Alias
		}
		w.Word = w.Or(parseWord(one.Value))
	}
	return nil
}

// UnmarshalYAML reads the words of a pattern.
func (p *pattern) UnmarshalYAML(node *yaml.Node) error {
	for one := range strings.FieldsSeq(node.Value) {
		*p = append(*p, oneWord{parseWord(one)})
	}
	return nil
}

// static returns the vocabularies that do not depend on the account.
func (c *catalog) static() []*words.Vocabulary {
	return append([]*words.Vocabulary{calendar.Vocabulary, c.vocabulary, c.function}, naming.Vocabularies()...)
}
