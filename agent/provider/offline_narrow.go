package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/render"
)

// mostRows is how many rows a tool lists at most.
const mostRows = 1000

// looksThrough tells the tools whose rows are products and which cannot be asked for one: the rows are looked through.
func looksThrough(tool string) bool {
	return slices.Contains([]string{"margin", "below_minimum", "dead_stock", "turnover", "slow_movers", "out_of_stock"}, tool)
}

// narrowed is a result with only the rows of the product that was asked for, if it has any, and what must be said of it.
func (t *turn) narrowed(o outcome) (json.RawMessage, string) {
	_, s := t.meant()
	field, wanted := "rows", s.product
	if o.call.tool == "shortage_by_supplier" {
		field, wanted = "suppliers", s.supplier
	}
	if wanted == "" || field == "rows" && !looksThrough(o.call.tool) {
		return o.data, ""
	}
	var whole, result map[string]json.RawMessage
	var rows []json.RawMessage
	if json.Unmarshal(o.data, &whole) != nil || json.Unmarshal(whole["result"], &result) != nil || json.Unmarshal(result[field], &rows) != nil {
		return o.data, ""
	}
	name := render.Inline(wanted)
	rows = slices.DeleteFunc(rows, func(row json.RawMessage) bool { return !isOf(row, wanted) })
	if field == "suppliers" && len(rows) == 0 {
		return o.data, fmt.Sprintf(label{
			"У поставщика «%s» по этому отчёту заказывать нечего или такого нет; ниже все поставщики.", "This report has nothing to order from “%s”, or there is no such supplier; below are all of them.",
		}.in(t.lang), name)
	}
	if len(rows) == 0 {
		if !s.exact {
			return o.data, "" // it may be no product at all
		}
		return o.data, fmt.Sprintf(label{
			"В строках этого отчёта «%s» не встречается; ниже отчёт по всем товарам.", "“%s” is not in the rows of this report; below it is for all products.",
		}.in(t.lang), name)
	}
	cut := len(rows) > render.ShownRows
	if field == "rows" { // that other rows are left out is said in words
		rows = rows[:min(len(rows), render.ShownRows)]
		delete(result, "total_rows")
	}
	result[field] = encode(rows)
	whole["result"] = encode(result)
	if field == "suppliers" {
		return encode(whole), fmt.Sprintf(label{
			"Ниже только поставщик «%s». Итоги над его таблицей — по всем поставщикам.", "Below is only the supplier “%s”. The totals above its table are for all suppliers.",
		}.in(t.lang), name)
	}
	only := label{
		"В таблице только товары, в названии или коде которых есть «%s». Итоги над ней — по всем товарам.",
		"The table has only products with “%s” in their name or code. The totals above it are for all products.",
	}
	if cut {
		only = label{
			"В таблице только товары, в названии или коде которых есть «%s», и не все: назовите точнее. Итоги над ней — по всем товарам.",
			"The table has only products with “%s” in their name or code, and not all of them: name it more precisely. The totals above it are for all products.",
		}
	}
	return encode(whole), fmt.Sprintf(only.in(t.lang), name)
}

// isOf tells whether a row is of a product or supplier: its name has words that begin like each of those said, or it has
// that code.
func isOf(row json.RawMessage, product string) bool {
	var r struct{ Name, Code, Supplier string }
	if json.Unmarshal(row, &r) != nil {
		return false
	}
	if r.Name == "" {
		r.Name = r.Supplier
	}
	words := wordsOf(r.Name)
	return folded(r.Code) == folded(product) || !slices.ContainsFunc(strings.Fields(stems(product)), func(stem string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, stem) })
	})
}

func encode(v any) json.RawMessage {
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(err) // what was decoded encodes again
	}
	return encoded
}
