package offline

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/render"
)

// The tool has its rows in order of revenue: who asks for the most profitable wants another one.

var (
	mostForm   = expression.Of(`(?:^|[^\pL])(?:топ|top|сам(?:ый|ые|ая|ое|ых)|лучш\pL*|больше всего|наибольш\pL*|best|most|highest|largest)(?:[^\pL]|$)`)
	profitForm = expression.Of(`прибыл|profit|заработ|зарабат|earn`)
	lossForm   = expression.Of(`убыточ|убыт(?:ок|ки|ке)|(?:наименее|менее|меньше всего) прибыл|loss-making|making losses|unprofitable|least profitable`)
	shareForms = expression.Of(`марж|рентабельн|margin`)
)

// loss is the order by profit, the smallest first.
const loss = "loss"

// rankIn is the field of a row by which a folded question wants its rows.
func rankIn(text string) string {
	switch {
	case lossForm.MatchString(text):
		return loss
	case !mostForm.MatchString(text):
		return ""
	case shareForms.MatchString(text):
		return "margin_percent"
	case profitForm.MatchString(text):
		return "profit"
	}
	return ""
}

// ranks tells the tool whose rows have those fields.
func ranks(tool string) bool { return tool == "margin" }

var rankedBy = map[string]label{
	"profit":         {"прибыли, от большей к меньшей", "profit, the largest first"},
	loss:             {"прибыли, от меньшей к большей", "profit, the smallest first"},
	"margin_percent": {"марже (это доля прибыли в выручке, а не наценка), от большей к меньшей", "margin (profit as a share of revenue, no markup), the largest first"},
}

// ranked puts the rows in order of the wanted field, those where it is unknown last, and leaves as many as are shown.
func (t *turn) ranked(data json.RawMessage, s slots) (json.RawMessage, string) {
	list, ok := listed(data, "rows")
	if !ok {
		return data, ""
	}
	field, ascending := s.by, s.by == loss
	if ascending {
		field = "profit"
	}
	slices.SortStableFunc(list.rows, func(a, b json.RawMessage) int {
		left, right := numberIn(a, field), numberIn(b, field)
		if left == nil || right == nil {
			return cmp.Compare(unknown(left), unknown(right))
		}
		if ascending {
			return left.Cmp(*right)
		}
		return right.Cmp(*left)
	})
	order := label{"Строки по %s; где себестоимость не известна, там и она, такие строки в конце.", "Rows are in order of %s; where the cost is not known, nor is this, and such rows come last."}
	if string(list.result["truncated"]) == "true" {
		order = label{"Строки по %s, но только из тех, у которых наибольшая выручка: всех этот отчёт не перечисляет.", "Rows are in order of %s, but only of those with the most revenue: this report does not list all."}
	}
	list.rows = list.rows[:min(len(list.rows), cmp.Or(s.limit, render.ShownRows))]
	delete(list.result, "total_rows")
	return list.encoded(), t.say(order, rankedBy[s.by].in(t.lang))
}

func numberIn(row json.RawMessage, field string) *decimal.Decimal {
	var fields map[string]json.RawMessage
	var n decimal.NullDecimal
	if json.Unmarshal(row, &fields) != nil || json.Unmarshal(fields[field], &n) != nil || !n.Valid {
		return nil
	}
	return &n.Decimal
}

func unknown(n *decimal.Decimal) int {
	if n == nil {
		return 1
	}
	return 0
}
