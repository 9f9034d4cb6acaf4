package tools

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

// Notes beyond the contract's own.
const (
	MoneyHidden          NoteCode = "MONEY_HIDDEN"           // the role may not see accounts and cash desks
	SettlementsHidden    NoteCode = "SETTLEMENTS_HIDDEN"     // nor who owes whom
	OtherCurrencies      NoteCode = "OTHER_CURRENCIES"       // money that is not in the sum
	NegativeStock        NoteCode = "NEGATIVE_STOCK"         // listed and not valued
	ArchivedIncluded     NoteCode = "ARCHIVED_INCLUDED"      // stock of archived goods, counted with the rest
	ArchivedWarehouses   NoteCode = "ARCHIVED_WAREHOUSES"    // goods in archived warehouses, counted with the rest
	RebuiltFromDocuments NoteCode = "REBUILT_FROM_DOCUMENTS" // settlements computed from documents
	LinkedUnread         NoteCode = "LINKED_UNREAD"          // documents that others are linked with did not come
	SeenInPart           NoteCode = "SEEN_IN_PART"           // of some records the role sees only its own, or its department's
	MoreThanLiesThere    NoteCode = "MORE_THAN_LIES_THERE"   // is to be moved out of a warehouse
)

// declaredNote is what a file beside the tools says of a code: the wordings, and when an answer that shows figures of a result
// must say the note. A field is named by the last part of its path: "profit" is rows.profit. A note without a rule, as of what a
// list leaves out, need not be said: an answer's figures are over all rows, and it says its moment.
type declaredNote struct {
	Say     []bilingual.Text // the most specific first: the first one whose values the note has is taken
	Always  bool             // with every answer that read the result: the note is about what the answer cannot show
	Bare    bool             // always too where the note has no values: then it is about the whole result
	Whole   bool             // not with figures of some of the rows only: the note counts all of them
	Fields  []string         // with these figures; anyField is any of them
	Instead []string         // not where one of these is shown: it says the same
}

const anyField = "*"

// noteOf is what is declared of a code: in the file of the only tool that has the note, or in the shared one.
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

// Phrases are the wordings of each code, the most specific first. {name} stands for a value of the note.
func Phrases() map[NoteCode][]bilingual.Text {
	all := make(map[NoteCode][]bilingual.Text, len(declaredNotes()))
	for code, note := range declaredNotes() {
		all[code] = note.Say
	}
	return all
}

// DueWith tells whether an answer must say the note that shows these fields of the note's result: of the whole result, and of
// some of its rows.
func (n Note) DueWith(whole, part []string) bool {
	rule := noteOf(n.Code)
	fields := whole
	if !rule.Whole || len(n.Values) == 0 {
		fields = slices.Concat(whole, part)
	}
	shows := func(field string) bool {
		return field == anyField && len(fields) > 0 || slices.ContainsFunc(fields, func(path string) bool {
			return path[strings.LastIndexByte(path, '.')+1:] == field
		})
	}
	always := rule.Always || rule.Bare && len(n.Values) == 0
	return !slices.ContainsFunc(rule.Instead, shows) && (always || slices.ContainsFunc(rule.Fields, shows))
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// NoteText is the note in words of a language: "ru", anything else is English.
func NoteText(n Note, lang string) string {
	for _, p := range noteOf(n.Code).Say {
		text := p.EN
		if lang == "ru" {
			text = p.RU
		}
		if filled, complete := fill(text, n.Values, lang); complete {
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
			return moment(value, lang)
		case figures[name]:
			return figure.ReplaceAllStringFunc(value, func(number string) string { return dressed(number, lang) })
		}
		return value
	})
	return filled, complete
}

// figures are the values that are written as the language writes numbers.
var figures = map[string]bool{"coverage": true, "covered_revenue": true, "revenue": true, "amounts": true}

var figure = regexp.MustCompile(`-?\d+(\.\d+)?`)

// asOfForm is how a note's values hold a moment.
const asOfForm = "2006-01-02 15:04 MST"

// moment writes a moment as the language does: 22.11.2026 18:29 МСК or 2026-11-22 18:29 MSK.
func moment(value, lang string) string {
	at, err := time.Parse(asOfForm, value)
	if err != nil || lang != "ru" {
		return value
	}
	return at.Format("02.01.2006 15:04") + " МСК"
}

// dressed groups thousands and puts the language's decimal sign: 1 234 567,50 or 1,234,567.50.
func dressed(number, lang string) string {
	group, point := ",", "."
	if lang == "ru" {
		group, point = "\u00a0", ","
	}
	whole, fraction, hasFraction := strings.Cut(number, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + group + whole[i:]
	}
	if hasFraction {
		return sign + whole + point + fraction
	}
	return sign + whole
}
