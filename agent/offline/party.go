package offline

import (
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
	if t.frame.party == "" && t.partySaid == "" {
		return ""
	}
	lists := map[string][]string{
		"debts":         {"top_debtors", "top_creditors"},
		"supplier":      {"suppliers"},
		"rows":          {"rows"},
		"rows-supplier": {"rows"},
	}
	names := t.parties(lists[t.report.Slots.Party])
	if slices.Contains(names, t.frame.party) {
		t.party = t.frame.party
		return ""
	}
	said := cmpOr(t.partySaid, t.frame.party)
	found := naming.NewList(names)
	tokens := words.Read(words.Tokens(said), found.Vocabulary, naming.Translated())
	matches := found.Find(tokens, func(int) bool { return true })
	if len(matches) == 1 && matches[0].Named() != "" {
		t.party = matches[0].Named()
		return ""
	}
	if len(matches) > 0 && len(matches[0].Names) > 1 {
		return askText(t.lang, text{"Кто имеется в виду?", "Which one do you mean?"}, matches[0].Names)
	}
	if t.frame.party != "" && t.report.Slots.Party != "debts" { // the account has it, but this report does not
		t.party = t.frame.party
		return ""
	}
	return fmt.Sprintf(text{
		"В учёте контрагент %s не нашёлся: в этом отчёте такого нет. Проверьте имя или спросите иначе, например: «кому мы должны?» или «что заказать у поставщиков?»",
		"I did not find %s: there is no such counterparty in this report. Check the name, or ask otherwise, such as “whom do we owe?” or “what should I order from suppliers?”",
	}.in(t.lang), t.quote(said))
}

// findOrganization looks for one of the view's organizations in the words that fill no slot.
func (t *telling) findOrganization() {
	found := naming.NewList(t.parties([]string{t.Parties}))
	tokens := words.Read(words.Tokens(t.heard.text), found.Vocabulary)
	for _, m := range found.Find(tokens, func(i int) bool { return i < len(t.slot) && !t.slot[i] }) {
		if t.party = m.Named(); t.party != "" {
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

// parties returns the counterparties in some lists of the report.
func (t *telling) parties(lists []string) (names []string) {
	for _, r := range t.book.Reports() {
		if r.Name != t.own() {
			continue
		}
		encoded, err := json.Marshal(r.Result.Result)
		if err != nil {
			return nil
		}
		var all map[string]json.RawMessage
		if json.Unmarshal(encoded, &all) != nil {
			return nil
		}
		for _, list := range lists {
			var rows []struct{ Counterparty, Supplier, Organization *string }
			if json.Unmarshal(all[list], &rows) != nil {
				continue
			}
			for _, row := range rows {
				for _, name := range []*string{row.Counterparty, row.Supplier, row.Organization} {
					if name != nil && *name != "" && !slices.Contains(names, *name) {
						names = append(names, *name)
					}
				}
			}
		}
	}
	return names
}

// Ignored says which words of the question the answer ignores.
func (t *telling) Ignored() string {
	if len(t.ignored) == 0 {
		return ""
	}
	var said []string
	for _, i := range t.ignored {
		said = append(said, t.quote(t.heard.tokens[i].Text))
	}
	return text{"Не учитываю: ", "Left out: "}.in(t.lang) + strings.Join(said, ", ") + "."
}

// Party reports whether a counterparty was named.
func (t *telling) Party() bool { return t.frame.party != "" || t.partySaid != "" }

// PartySaid returns the counterparty's name in the report, else in the question.
func (t *telling) PartySaid() string { return t.quote(cmpOr(t.party, t.frame.party, t.partySaid)) }

// PartyOf returns the counterparty for a place after a noun.
func (t *telling) PartyOf() string {
	if t.party == "" {
		return ""
	}
	return text{" у покупателя ", " of "}.in(t.lang) + t.quote(t.party)
}

// PartyFrom returns the counterparty as the one that something came from.
func (t *telling) PartyFrom() string {
	switch {
	case t.party == "":
		return ""
	case t.exceptParty:
		return text{" от всех поставщиков, кроме ", " from all suppliers but "}.in(t.lang) + t.quote(t.party)
	}
	return text{" от поставщика ", " from "}.in(t.lang) + t.quote(t.party)
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

// SupplierPositions returns the number of the supplier's lines.
func (t *telling) SupplierPositions() string { return t.Supplier() + ".positions" }

// Debtor returns the expression of the row of a counterparty that owes us.
func (t *telling) Debtor() string { return t.debt("top_debtors") }

// Creditor returns the expression of the row of a counterparty that we owe.
func (t *telling) Creditor() string { return t.debt("top_creditors") }

// Together is what is owed to, or by, this counterparty and the one that was spoken of before; empty if there is none.
func (t *telling) Together() string {
	if t.with == nil {
		return ""
	}
	other := *t
	other.frame, other.party = t.with, ""
	if other.findParty() != "" || other.party == t.party {
		return ""
	}
	for _, list := range []string{"top_creditors", "top_debtors"} {
		if a, b := t.debt(list), other.debt(list); a != "" && b != "" {
			return a + ".amount + " + b + ".amount"
		}
	}
	return ""
}

func (t *telling) debt(list string) string {
	if at := slices.Index(t.parties([]string{list}), t.party); at >= 0 && t.party != "" {
		return fmt.Sprintf("R.%s[%d]", list, at+1)
	}
	return ""
}
