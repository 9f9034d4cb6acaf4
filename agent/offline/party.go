package offline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// findParty looks up the question's counterparty in the report. If it cannot decide on one, it returns the answer that says so.
func (t *telling) findParty() string {
	if t.Parties != "" {
		t.findOrganization()
	}
	if !t.Party() {
		return ""
	}
	field, lists := t.report.parties()
	names := t.column(field, lists...)
	for _, said := range append([]string{cmp.Or(t.partySaid, t.frame.party)}, t.also...) {
		found, text := t.matching(names, said)
		if text != "" {
			return text
		}
		for _, name := range found {
			if !slices.Contains(t.found, name) {
				t.found = append(t.found, name)
			}
		}
	}
	t.party = t.found[0]
	return ""
}

// parties returns the field that has the names of a report's counterparties, and the lists whose rows have it.
func (r *report) parties() (field string, lists []string) {
	switch r.Slots.Party {
	case "debts":
		return "counterparty", []string{"top_debtors", "top_creditors"}
	case "supplier":
		return "supplier", []string{"suppliers"}
	case "rows-supplier":
		return "supplier", []string{"rows"}
	}
	return "counterparty", []string{"rows"}
}

// matching returns the counterparties that some words mean. If it cannot decide on them, it returns the answer that says so.
func (t *telling) matching(names []string, said string) (found []string, answer string) {
	if slices.Contains(names, said) {
		return []string{said}, ""
	}
	list := naming.NewList(names)
	tokens := words.Read(words.Tokens(said), list.Vocabulary, naming.Translated())
	for _, m := range list.Find(tokens, func(int) bool { return true }) {
		if m.Named() == "" {
			return nil, offering(t.lang, reply(t.lang, "party_several"), m.Names)
		}
		found = append(found, m.Named())
	}
	switch {
	case len(found) > 0:
		return found, ""
	case t.report.Slots.Party != "debts" && (said == t.frame.party || slices.Contains(t.also, said)): // the account has it, this report does not
		return []string{said}, ""
	}
	return nil, t.phrase("party_missing", said)
}

// findOrganization looks for one of the view's organizations in the question.
func (t *telling) findOrganization() {
	names := t.column("organization", t.Parties)
	found := naming.NewList(names)
	tokens := words.Read(words.Tokens(t.heard.text), found.Vocabulary)
	for _, m := range found.Find(tokens, func(int) bool { return true }) {
		if t.party = m.Named(); t.party != "" {
			t.found = []string{t.party}
			t.ignored = slices.DeleteFunc(t.ignored, func(i int) bool { return slices.Contains(m.Tokens, i) })
			return
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { // "the money of the LLC"
		form := words.Tokens(name)[0]
		says := func(w words.Token) bool { return words.Folded(w.Text) == words.Folded(form.Text) }
		return !naming.IsCompany(form) || !slices.ContainsFunc(tokens, says)
	})
	if len(names) == 1 {
		t.party, t.found = names[0], names
	}
}

// Accounts returns the rows of the named organization.
func (t *telling) Accounts() string {
	return "filter(R.accounts, .organization == " + quoted(t.party) + ")"
}

// column returns the different texts that a field has in some lists of the report.
func (t *telling) column(field string, lists ...string) (all []string) {
	report, found := t.book.Report(t.own())
	if !found {
		return nil
	}
	encoded, err := json.Marshal(report.Result.Result)
	var content map[string]any
	if err != nil || json.Unmarshal(encoded, &content) != nil {
		return nil
	}
	known := map[string]bool{"": true}
	for _, list := range lists {
		rows, _ := content[list].([]any)
		for _, row := range rows {
			values, _ := row.(map[string]any)
			if text, _ := values[field].(string); !known[text] {
				known[text] = true
				all = append(all, text)
			}
		}
	}
	return all
}

// Ignored says which words of the question the answer ignores. A word of the examples counts only if it asks for one report or describes
// the goods.
func (t *telling) Ignored() string {
	var said []string
	for i, token := range t.heard.tokens {
		if t.describesGoods(i) || slices.Contains(t.ignored, i) && (!t.heard.learnt[i] || loaded().decides(token)) {
			said = append(said, token.Text)
		}
	}
	return strings.TrimSpace(t.phrase("ignored", said...) + " " + t.noneSuch())
}

// noneSuch says how the question describes goods although none is called so.
func (t *telling) noneSuch() string { return t.phrase("none_such", t.heard.said(t.others)) }

// describesGoods reports whether a word says what sort of goods the question is about, and the books do not: "new mugs", if no card has
// "new".
func (f *frame) describesGoods(i int) bool {
	h := f.heard
	return f.goods != nil && slices.Contains(f.goods.Tokens, i+1) && !slices.Contains(f.goods.Tokens, i) &&
		h.content(i) && h.tokens[i].IsWord() && h.tokens[i].Number == nil && !h.timed(i) && !f.slot[i] &&
		!loaded().before[stem(h.tokens[i].Forms[0])] && h.weight(f.view, i) <= clearly
}

// Party reports whether a counterparty was named.
func (t *telling) Party() bool { return t.fills("party") }

// PartySaid lists the named counterparties, as the report calls them.
func (t *telling) PartySaid() string { return t.quotes(t.found) }

// PartyOf returns the counterparties for a place after a noun.
func (t *telling) PartyOf() string { return t.phrase("of_party", t.found...) }

// PartyFrom returns the counterparties as those that something came from.
func (t *telling) PartyFrom() string { return t.phrase("from_party", t.found...) }

// Supplier returns the expression of the supplier's row, or "".
func (t *telling) Supplier() string {
	row := "filter(R.suppliers, .supplier == " + quoted(t.party) + ")[1]"
	if t.party == "" || !t.known(row+".supplier") {
		return ""
	}
	return row
}

// Each returns the answer's text for each counterparty that was named.
func (t *telling) Each() (all []*telling) {
	for _, name := range t.found {
		one := *t
		one.found = []string{name}
		all = append(all, &one)
	}
	return all
}

// Owed returns what we owe the named counterparties; empty if that is nothing.
func (t *telling) Owed() string { return t.debts("top_creditors") }

// Owing returns what the named counterparties owe us; empty if that is nothing.
func (t *telling) Owing() string { return t.debts("top_debtors") }

// Together returns what we owe all the named counterparties, or else what they owe us; empty if that is the debt of one.
func (t *telling) Together() string {
	for _, sum := range []string{t.Owed(), t.Owing()} {
		if strings.Contains(sum, "+") {
			return sum
		}
	}
	return ""
}

// debts returns the sum of what a list has for the named counterparties.
func (t *telling) debts(list string) string {
	names := t.column("counterparty", list)
	var amounts []string
	for _, party := range t.found {
		if at := slices.Index(names, party); at >= 0 {
			amounts = append(amounts, fmt.Sprintf("R.%s[%d].amount", list, at+1))
		}
	}
	return strings.Join(amounts, " + ")
}
