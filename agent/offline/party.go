package offline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
	"github.com/kopeck/kopeck/schemas/bilingual"
)

// findParty looks up the question's counterparty in the report. If it cannot decide on one, it returns the answer that says so.
func (t *telling) findParty() string {
	if t.Parties != "" {
		t.findOrganization()
	}
	if t.frame.party == "" && t.partySaid == "" {
		return ""
	}
	lists := map[string][]string{
		"debts":         {"top_debtors", "top_creditors"},
		"supplier":      {"suppliers"},
		"rows":          {"rows"},
		"rows-supplier": {"rows"},
	}
	names := t.counterparties(lists[t.report.Slots.Party])
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
	return nil, reply(t.lang, "party_missing", "WHAT", t.quote(said))
}

// findOrganization looks for one of the view's organizations in the words that fill no slot.
func (t *telling) findOrganization() {
	found := naming.NewList(t.counterparties([]string{t.Parties}))
	tokens := words.Read(words.Tokens(t.heard.text), found.Vocabulary)
	for _, m := range found.Find(tokens, func(i int) bool { return i < len(t.slot) && !t.slot[i] }) {
		if t.party = m.Named(); t.party != "" {
			t.found = []string{t.party}
			t.ignored = slices.DeleteFunc(t.ignored, func(i int) bool { return slices.Contains(m.Tokens, i) })
			return
		}
	}
}

// Accounts returns the rows of the named organization, or of all.
func (t *telling) Accounts() string {
	if t.party == "" {
		return "R.accounts"
	}
	return "filter(R.accounts, .organization == " + quoted(t.party) + ")"
}

// column returns the different texts that some fields have in some lists of the report.
func (t *telling) column(lists []string, fields ...string) (all []string) {
	report, found := t.book.Report(t.own())
	if !found {
		return nil
	}
	encoded, err := json.Marshal(report.Result.Result)
	if err != nil {
		return nil
	}
	var rows map[string]json.RawMessage
	if json.Unmarshal(encoded, &rows) != nil {
		return nil
	}
	known := map[string]bool{"": true}
	for _, list := range lists {
		var each []map[string]any
		if json.Unmarshal(rows[list], &each) != nil {
			continue
		}
		for _, row := range each {
			for _, field := range fields {
				if text, is := row[field].(string); is && !known[text] {
					known[text] = true
					all = append(all, text)
				}
			}
		}
	}
	return all
}

// counterparties returns the names in some lists of the report.
func (t *telling) counterparties(lists []string) []string {
	return t.column(lists, "counterparty", "supplier", "organization")
}

// Ignored says which words of the question the answer ignores.
func (t *telling) Ignored() string {
	var said []string
	for _, i := range t.ignored {
		counted := t.heard.is(i, t.heard.Rows) || t.heard.is(i, t.heard.Amounts) && !t.heard.is(i, t.heard.Percent)
		if !counted && !t.heard.is(i, t.heard.Idle) {
			said = append(said, t.quote(t.heard.tokens[i].Text))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return bilingual.Text{RU: "Не учитываю: ", EN: "Left out: "}.In(t.lang) + strings.Join(said, ", ") + "."
}

// Party reports whether a counterparty was named.
func (t *telling) Party() bool { return t.frame.party != "" || t.partySaid != "" }

// PartySaid returns the counterparties' names in the report, else the name in the question.
func (t *telling) PartySaid() string {
	if t.party == "" {
		return t.quote(cmp.Or(t.frame.party, t.partySaid))
	}
	return t.parties()
}

// parties lists the named counterparties.
func (t *telling) parties() string { return t.quotes(t.found) }

// PartyOf returns the counterparty for a place after a noun.
func (t *telling) PartyOf() string {
	return t.partyBehind(bilingual.Text{RU: " у покупателя ", EN: " of "}, bilingual.Text{RU: " у покупателей ", EN: " of "})
}

// PartyFrom returns the counterparty as the one that something came from.
func (t *telling) PartyFrom() string {
	if t.exceptParty {
		all := bilingual.Text{RU: " от всех поставщиков, кроме ", EN: " from all suppliers but "}
		return t.partyBehind(all, all)
	}
	return t.partyBehind(bilingual.Text{RU: " от поставщика ", EN: " from "}, bilingual.Text{RU: " от поставщиков ", EN: " from "})
}

func (t *telling) partyBehind(one, several bilingual.Text) string {
	switch {
	case t.party == "":
		return ""
	case len(t.found) > 1:
		one = several
	}
	return one.In(t.lang) + t.parties()
}

// ExceptParty reports whether the counterparty is left out.
func (t *telling) ExceptParty() bool { return t.party != "" && t.exceptParty }

// Supplier returns the expression of the supplier's row.
func (t *telling) Supplier() string {
	row := "filter(R.suppliers, .supplier == " + quoted(t.party) + ")[1]"
	if t.party == "" || !t.known(row+".supplier") {
		return ""
	}
	return row
}

// Debtor returns the expression of the row of a counterparty that owes us.
func (t *telling) Debtor() string { return t.debt("top_debtors") }

// Creditor returns the expression of the row of a counterparty that we owe.
func (t *telling) Creditor() string { return t.debt("top_creditors") }

// Each returns the answer's text for each counterparty that was named.
func (t *telling) Each() (all []*telling) {
	for _, name := range t.found {
		one := *t
		one.party = name
		all = append(all, &one)
	}
	return all
}

// Together returns what we owe all the named counterparties, or else what they owe us; empty if that is the debt of one.
func (t *telling) Together() string {
	for _, list := range []string{"top_creditors", "top_debtors"} {
		if sums := t.debts(list); len(sums) > 1 {
			return strings.Join(sums, " + ")
		}
	}
	return ""
}

// Owed returns what we owe the named counterparties; empty if that is nothing.
func (t *telling) Owed() string { return strings.Join(t.debts("top_creditors"), " + ") }

// Owing returns what the named counterparties owe us; empty if that is nothing.
func (t *telling) Owing() string { return strings.Join(t.debts("top_debtors"), " + ") }

// debts returns the amounts that a list has for the named counterparties.
func (t *telling) debts(list string) (sums []string) {
	for _, one := range t.Each() {
		if debt := one.debt(list); debt != "" {
			sums = append(sums, debt+".amount")
		}
	}
	return sums
}

func (t *telling) debt(list string) string {
	if at := slices.Index(t.counterparties([]string{list}), t.party); at >= 0 && t.party != "" {
		return fmt.Sprintf("R.%s[%d]", list, at+1)
	}
	return ""
}
