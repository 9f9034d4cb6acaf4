package offline

import (
	"cmp"
	"encoding/json"
)

// ofCounterparties tells the tools whose rows are of those.
func ofCounterparties(tool string) bool { return len(partyLists[tool]) > 0 }

var partyLists = map[string][]string{"overdue_orders": {"rows"}, "money_position": {"top_debtors", "top_creditors"}}

// ofParty leaves of a result's lists of counterparties the one that is named: a marketplace, or a name in quotes.
func (t *turn) ofParty(data json.RawMessage, fields []string, s slots) (json.RawMessage, string) {
	name := s.channel
	if s.exact {
		name = cmp.Or(name, s.product)
	}
	if name == "" {
		return data, ""
	}
	kept, narrow := 0, data
	for _, field := range fields {
		list, ok := listed(narrow, field)
		if !ok {
			continue
		}
		list.keep(name)
		kept += len(list.rows)
		delete(list.result, "total_rows")
		narrow = list.encoded()
	}
	if kept == 0 {
		return data, t.say(label{
			"Контрагента «%s» в строках этого отчёта нет; ниже все, кого он перечисляет.", "“%s” is not in the rows of this report; below are all that it lists.",
		}, name)
	}
	return narrow, t.say(label{
		"В строках ниже только «%s». Итоги над ними — по всем контрагентам.", "The rows below are only of “%s”. The totals above them are of all counterparties.",
	}, name)
}
