package tools

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

// Codes of notes that are not part of the public contract.
const (
	MoneyHidden          NoteCode = "MONEY_HIDDEN"           // the role may not see accounts and cash desks
	SettlementsHidden    NoteCode = "SETTLEMENTS_HIDDEN"     // the role may not see who owes whom
	OtherCurrencies      NoteCode = "OTHER_CURRENCIES"       // money in other currencies is not in the sum
	CostPartlyKnown      NoteCode = "COST_PARTLY_KNOWN"      // some sales of a good have a known cost and others have none
	ReturnsWithoutCost   NoteCode = "RETURNS_WITHOUT_COST"   // returns are deducted from revenue, but not from cost
	NegativeStock        NoteCode = "NEGATIVE_STOCK"         // negative stock is listed, but not included in the value
	ArchivedIncluded     NoteCode = "ARCHIVED_INCLUDED"      // stock of archived goods is included
	StockNetted          NoteCode = "STOCK_NETTED"           // a minus in one warehouse reduces the stock of others
	OnlyArchived         NoteCode = "ONLY_ARCHIVED"          // what the query found is archived
	ArchivedWarehouses   NoteCode = "ARCHIVED_WAREHOUSES"    // goods in archived warehouses are included
	RebuiltFromDocuments NoteCode = "REBUILT_FROM_DOCUMENTS" // debts are computed from documents
	LinkedUnread         NoteCode = "LINKED_UNREAD"          // some linked documents could not be read
	SeenInPart           NoteCode = "SEEN_IN_PART"           // the role sees only its own records of some kinds, or its department's
	OnOrder              NoteCode = "ON_ORDER"               // a part of what is short is on order already, and not taken off
	DraftReplaced        NoteCode = "DRAFT_REPLACED"         // the draft replaces an earlier one, which was cancelled
	UnpostedOrder        NoteCode = "UNPOSTED_ORDER"         // an order for the same products is not posted, so it is not in transit
	BelowPurchasePrice   NoteCode = "BELOW_PURCHASE_PRICE"   // the draft sets a sale price below the purchase price
	LargePriceChange     NoteCode = "LARGE_PRICE_CHANGE"     // the draft changes a price by more than half
	ConvertedPrices      NoteCode = "CONVERTED_PRICES"       // purchase prices on the cards are in another currency than the draft
	ConvertedSalePrices  NoteCode = "CONVERTED_SALE_PRICES"  // sale prices on the cards are in another currency than the result
	MoreThanInStock      NoteCode = "MORE_THAN_LIES_THERE"   // the draft moves more units out of a warehouse than it has
)

// declaredNote is a note in a YAML file: its texts, and the rules for when an answer must include it. In the rules, a
// field is named by the last part of its path: "profit" stands for rows.profit. A note without rules is optional. An
// example is the note that a list is truncated, because the totals cover all rows anyway.
type declaredNote struct {
	Say     []bilingual.Text // texts, most specific first; the first one for which the note has all values is used
	Always  bool             // the note is required in every answer that uses the result
	Bare    bool             // like Always, but only if the note has no values; then it is about the whole result
	Once    bool             // the note says how the report is made, so it is told once in a conversation
	Whole   bool             // the note is about all rows, so figures of single rows do not require it
	Fields  []string         // an answer with one of these fields requires the note; anyField stands for all fields
	Aside   bilingual.Text   // an answer without these fields requires this text instead, if the note has all values
	Instead []string         // an answer with one of these fields or paths does not require the note, because they say the same
	Row     string           // the field of a row that has the note's only figure for this row; empty if there is none

	RowValues map[string]string `yaml:"row_values"` // values of the note → the fields of a row that have them for this row
}

const anyField = "*"

// noteOf returns the declaration of a code, whatever file it is in.
func noteOf(code NoteCode) declaredNote { return declaredNotes()[code] }

var declaredNotes = sync.OnceValue(func() map[NoteCode]declaredNote {
	all := map[NoteCode]declaredNote{}
	for name, file := range declared() {
		for code, note := range file.Notes {
			if _, twice := all[code]; twice {
				panic(fmt.Sprintf("%s.yaml declares note %s, as another file does", name, code))
			}
			all[code] = note
		}
	}
	return all
})

// NoteTexts returns the texts of each code, most specific first. In a text, {name} stands for a value of the note.
func NoteTexts() map[NoteCode][]bilingual.Text {
	all := make(map[NoteCode][]bilingual.Text, len(declaredNotes()))
	for code, note := range declaredNotes() {
		all[code] = note.Say
	}
	return all
}

// Once reports whether a note need not be repeated if an earlier answer of the conversation has it.
func (n NoteCode) Once() bool { return noteOf(n).Once }

// Row returns the field of a row that has the note's only figure for this row; "" if there is none.
func (n NoteCode) Row() string { return noteOf(n).Row }

// RowValues returns the fields of a row that have the values of the note for this row, by the names of the values.
func (n NoteCode) RowValues() map[string]string { return noteOf(n).RowValues }

// IsAbout reports whether a note is about a field, by its path.
func (n NoteCode) IsAbout(path string) bool {
	return slices.ContainsFunc(noteOf(n).Fields, isCalled(path))
}

// isCalled compares a field's path with names in rules.
func isCalled(path string) func(name string) bool {
	return func(name string) bool { return path == name || path[strings.LastIndexByte(path, '.')+1:] == name }
}

// RequiredWith reports whether an answer must include the note. whole has the fields that the answer shows of the
// result as a whole, part those that it shows of single rows.
func (n Note) RequiredWith(whole, part []string) bool {
	rule := noteOf(n.Code)
	fields := whole
	if !rule.Whole || len(n.Values) == 0 {
		fields = slices.Concat(whole, part)
	}
	shows := func(field string) bool {
		return field == anyField && len(fields) > 0 || slices.ContainsFunc(fields, func(path string) bool {
			return isCalled(path)(field)
		})
	}
	_, hasAside := n.asideText("en")
	always := rule.Always || hasAside || rule.Bare && len(n.Values) == 0
	return !slices.ContainsFunc(rule.Instead, shows) && (always || slices.ContainsFunc(rule.Fields, shows))
}

// Beside returns the note as an answer that shows these fields has it.
func (n Note) Beside(fields []string) Note {
	n.isAside = !slices.ContainsFunc(fields, n.Code.IsAbout)
	return n
}

func (n Note) asideText(lang string) (text string, complete bool) {
	text, complete = fill(noteOf(n.Code).Aside.In(lang), n.Values, lang)
	return text, complete && text != ""
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// NoteText returns the note's text in Russian for "ru" and in English for any other language.
func NoteText(n Note, lang string) string {
	if text, complete := n.asideText(lang); complete && n.isAside {
		return text
	}
	for _, p := range noteOf(n.Code).Say {
		if filled, complete := fill(p.In(lang), n.Values, lang); complete {
			return filled
		}
	}
	if n.Text != "" {
		return n.Text
	}
	return string(n.Code)
}

func fill(text string, values map[string]string, lang string) (string, bool) {
	complete := true
	filled := placeholder.ReplaceAllStringFunc(text, func(name string) string {
		name = strings.Trim(name, "{}")
		value, ok := values[name]
		complete = complete && ok
		switch {
		case name == "as_of":
			return formatMoment(value, lang)
		case name == "day":
			return formatDay(value, lang)
		case slices.Contains(numberValues, name):
			return numberPattern.ReplaceAllStringFunc(value, func(found string) string {
				number, currency, _ := strings.Cut(found, " ")
				if unicode.IsLetter(rune(number[0])) {
					return bilingual.Currency(lang, number)
				}
				return bilingual.Amount(lang, bilingual.Digits(lang, number), currency)
			})
		}
		return value
	})
	return filled, complete
}

// numberValues lists the values that are formatted as numbers, amounts or currencies, depending on the language.
var numberValues = []string{
	"coverage", "covered_revenue", "revenue", "amounts", "on_order", "on_order_money", "price", "cost", "there", "units", "from", "to",
	"minus_units",
}

// NumberValues returns the names of the values that are formatted for the language.
func NumberValues() []string { return slices.Clone(numberValues) }

var numberPattern = regexp.MustCompile(`-?\d+(\.\d+)?( [A-Z]{3}\b)?|\b[A-Z]{3}\b`)

// asOfLayout is the layout of times among a note's values.
const asOfLayout = "2006-01-02 15:04 MST"

// formatMoment formats a time for a language: "22 ноября 2026, 18:29 МСК" or "22 November 2026, 18:29 MSK".
func formatMoment(value, lang string) string {
	at, err := time.Parse(asOfLayout, value)
	if err != nil {
		return value
	}
	return bilingual.Day(lang, at) + at.Format(" 2006, 15:04 ") + bilingual.Moscow.In(lang)
}

// formatDay formats a day for a language: "22 ноября 2026" or "22 November 2026".
func formatDay(value, lang string) string {
	day, err := time.Parse(time.DateOnly, value)
	if err != nil {
		return value
	}
	return bilingual.Day(lang, day) + day.Format(" 2006")
}
