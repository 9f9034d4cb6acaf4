package offline

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/render"
)

// What a question leaves out, "кроме Шоурума", no tool can be asked for: it is neither what the report is to be of, nor let go
// unsaid. Rows of it are taken out where rows are of one place, channel, supplier or product; totals stay as the tool has them.

const (
	// leaving are words behind which any name is one that is left out, sparing those behind which only a proper name is.
	leaving = `без\s+уч[её]та|не\s+(?:считая|учитывая|включая)|кроме|помимо|за\s+(?:исключением|вычетом)|исключ(?:ая|ив)|except(?:ing|\s+for)?|exclud(?:ing|e)|not\s+(?:counting|including)|other\s+than|apart\s+from|leaving\s+out`
	sparing = `без|without`
	kindOf  = `(?:(?:the|склад\pL*|магазин\pL*|канал\pL*(?:\s+продаж)?|маркетплейс\pL*|поставщик\pL*|товар\pL*|warehouse|store|channel|supplier)\s+)?`
)

// exceptForms find the name that is left out; in the last it needs no capital letter.
var exceptForms = []*expression.Expression{
	expression.Of(`(?i)(?:^|[^\pL])(?:` + leaving + `|` + sparing + `)\s+` + kindOf + company),
	expression.Of(`(?i)(?:^|[^\pL])(?:` + leaving + `|` + sparing + `)\s+` + kindOf + `((?:ozon|озон|wildber|вайлдб|яндекс|yandex|авито|avito|сайта|шоурум|showroom)\pL*)`),
	expression.Of(`(?i)(?:^|[^\pL])(?:` + leaving + `)\s+` + kindOf + `(\pL[\pL\d-]*)`),
}

// takeExcept finds the name that a text leaves out, and gives the text without it. A marketplace is called as it is in the books.
func takeExcept(text string) (name, rest string) {
	for _, form := range exceptForms {
		if name, rest = take(text, form); name == "" || !slices.ContainsFunc(wordsOf(name), func(w string) bool { return !noise(w) }) {
			continue
		}
		if known := marketplace(folded(name)); known != "" {
			name = known
		}
		return name, rest
	}
	return "", text
}

// taxForm is value added tax with the words that want it in or out.
var taxForm = expression.Of(`(?i)(?:^|[^\pL])(?:(?:с|без|включая|до|после|за вычетом|with(?:out)?|incl(?:uding|\.)?|excl(?:uding|\.)?|net of|ex|before|after)\s+)?(?:уч[её]том\s+|уч[её]та\s+)?(?:ндс|vat)(?:[^\pL]|$)`)

// takeTax tells whether a text speaks of value added tax, and gives the text without it.
func takeTax(text string) (speaks bool, rest string) {
	rest = taxForm.ReplaceAllString(text, " ")
	return rest != text, rest
}

// apartFromTax is what must be said to who asks for sums with that tax or without it.
func (s slots) apartFromTax(tool string) label {
	if !s.tax || strings.HasPrefix(tool, "draft_") {
		return nothing
	}
	return label{
		"НДС этот отчёт не выделяет, не прибавляет и не вычитает: суммы ниже такие, как их отдаёт МойСклад.",
		"This report neither shows VAT apart nor adds or takes it off: the sums below are as MoySklad gives them.",
	}
}

// without leaves out of a result's rows those of a name, and tells what that changes.
func (t *turn) without(data json.RawMessage, tool, name string) (json.RawMessage, string) {
	field := "rows"
	if tool == "shortage_by_supplier" {
		field = "suppliers"
	}
	list, ok := listed(data, field)
	if !ok || list.drop(name)+list.dropLines(name) == 0 {
		return data, t.say(label{
			"«%s» не исключено: этот отчёт так не отбирается, или таких строк в нём нет.", "“%s” is not left out: this report cannot be narrowed like that, or it has no such rows.",
		}, name)
	}
	only := label{
		"Строк с «%s» в таблице нет, но в итогах они учтены: итоги — по всему отчёту.", "The table has no rows of “%s”, but the totals count them: totals are of the whole report.",
	}
	if field == "rows" && len(list.rows) > render.ShownRows {
		list.rows = list.rows[:render.ShownRows]
		only = label{
			"В таблице первые строки без «%s», не все. В итогах учтено всё: они по всему отчёту.", "The table has the first rows without “%s”, not all. The totals count everything: they are of the whole report.",
		}
	}
	delete(list.result, "total_rows")
	return list.encoded(), t.say(only, name)
}

// drop leaves out the rows of a name, and tells how many.
func (l *listing) drop(name string) int {
	before := len(l.rows)
	l.rows = slices.DeleteFunc(l.rows, func(row json.RawMessage) bool { return concerns(row, name) })
	return before - len(l.rows)
}

// dropLines leaves out the lines of a name that stand in rows, and then rows without any, and tells how many.
func (l *listing) dropLines(name string) (dropped int) {
	var kept []json.RawMessage
	for _, row := range l.rows {
		var fields map[string]json.RawMessage
		var inner listing
		if json.Unmarshal(row, &fields) == nil && json.Unmarshal(fields["lines"], &inner.rows) == nil {
			if n := inner.drop(name); n > 0 {
				dropped += n
				fields["lines"] = encode(inner.rows)
				row = encode(fields)
			}
			if len(inner.rows) == 0 {
				continue
			}
		}
		kept = append(kept, row)
	}
	l.rows = kept
	return dropped
}

// concerns tells whether a row is of a product, a supplier, a counterparty or a warehouse.
func concerns(row json.RawMessage, name string) bool {
	var r struct{ Name, Supplier, Counterparty, Warehouse string }
	return json.Unmarshal(row, &r) == nil && slices.ContainsFunc([]string{r.Name, r.Supplier, r.Counterparty, r.Warehouse}, func(named string) bool { return begins(named, name) })
}
