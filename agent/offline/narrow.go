package offline

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/render"
)

// mostRows is how many rows a tool lists at most.
const mostRows = 1000

// looksThrough tells the tools whose rows are products and which cannot be asked for one: the rows are looked through.
func looksThrough(tool string) bool {
	return slices.Contains([]string{"margin", "below_minimum", "dead_stock", "turnover", "slow_movers", "out_of_stock"}, tool)
}

// partyLists are the lists of counterparties in the results of the tools that have them.
var partyLists = map[string][]string{"overdue_orders": {"rows"}, "money_position": {"top_debtors", "top_creditors"}}

func ofCounterparties(tool string) bool { return len(partyLists[tool]) > 0 }

// party is the counterparty that a question names: a marketplace, or a name in quotes or in a message that goes on.
func (t *turn) party(s slots) string {
	if s.channel == "" && t.names(s) {
		return s.product
	}
	return s.channel
}

// narrowed is a result with only the rows of the product or supplier that was asked for, if it has any, and what must be
// said of it.
func (t *turn) narrowed(o outcome, s slots) (json.RawMessage, string) {
	data, said := t.narrowedTo(o, s)
	if s.except == "" {
		return data, said
	}
	data, left := t.without(data, o.call.tool, s.except)
	return data, sentences(said, left)
}

func (t *turn) narrowedTo(o outcome, s slots) (json.RawMessage, string) {
	switch {
	case o.call.tool == "shortage_by_supplier" && s.supplier != "":
		return t.only(o.data, s.supplier, toSupplier, "suppliers")
	case ofCounterparties(o.call.tool) && t.party(s) != "":
		return t.only(o.data, t.party(s), toParty, partyLists[o.call.tool]...)
	case s.channel != "" && o.call.said("group_by") == "channel":
		return t.only(o.data, s.channel, toChannel, "rows")
	case ranks(o.call.tool) && s.by != "":
		return t.ranked(o.data, s)
	case looksThrough(o.call.tool) && s.product != "":
		return t.ofProduct(o.data, s.product, s.exact)
	}
	return o.data, ""
}

// narrowing is what is said of a result with only the rows of one supplier, channel or counterparty, and of one that has none.
type narrowing struct{ only, none label }

var (
	toSupplier = narrowing{label{
		"Ниже только поставщик «%s». Итоги над его таблицей — по всем поставщикам.", "Below is only the supplier “%s”. The totals above its table are for all suppliers.",
	}, label{
		"У поставщика «%s» по этому отчёту заказывать нечего или такого нет; ниже все поставщики.", "This report has nothing to order from “%s”, or there is no such supplier; below are all of them.",
	}}
	toChannel = narrowing{label{
		"В таблице с каналами только канал «%s». Всё остальное ниже, и итоги тоже, — по всем каналам.", "The table of channels has only the channel “%s”. Everything else below, and the totals too, is of all channels.",
	}, label{
		"Канала «%s» в этом отчёте нет; ниже все каналы.", "There is no channel “%s” in this report; below are all of them.",
	}}
	toParty = narrowing{label{
		"В строках ниже только «%s». Итоги над ними — по всем контрагентам.", "The rows below are only of “%s”. The totals above them are of all counterparties.",
	}, label{
		"Контрагента «%s» в строках этого отчёта нет; ниже все, кого он перечисляет.", "“%s” is not in the rows of this report; below are all that it lists.",
	}}
)

// only leaves of a result's lists what is called so, if any of them has it.
func (t *turn) only(data json.RawMessage, name string, say narrowing, fields ...string) (json.RawMessage, string) {
	read, kept, narrow := false, 0, data
	for _, field := range fields {
		list, ok := listed(narrow, field)
		if !ok {
			continue
		}
		list.keep(name)
		delete(list.result, "total_rows") // that other rows are left out is said in words
		read, kept, narrow = true, kept+len(list.rows), list.encoded()
	}
	switch {
	case !read:
		return data, ""
	case kept == 0:
		return data, t.say(say.none, name)
	}
	return narrow, t.say(say.only, name)
}

// ofProduct narrows to a product; what is not exact may be none at all.
func (t *turn) ofProduct(data json.RawMessage, product string, exact bool) (json.RawMessage, string) {
	list, ok := listed(data, "rows")
	if !ok {
		return data, ""
	}
	list.keep(product)
	switch n := len(list.rows); {
	case n == 0 && !exact && (t.names(slots{product: product}) || t.properly(product)): // it is all that was said, or a name
		return data, t.say(label{
			"Ниже весь отчёт: строк со словами «%s» в нём нет.", "Below is the whole report: none of its rows has the words “%s”.",
		}, product)
	case n == 0 && !exact:
		return data, ""
	case n == 0:
		return data, t.say(label{
			"В строках этого отчёта «%s» не встречается; ниже отчёт по всем товарам.", "“%s” is not in the rows of this report; below it is for all products.",
		}, product)
	}
	only := label{
		"В таблице только товары, в названии или коде которых есть «%s». Итоги над ней — по всем товарам.",
		"The table has only products with “%s” in their name or code. The totals above it are for all products.",
	}
	if len(list.rows) > render.ShownRows {
		list.rows = list.rows[:render.ShownRows]
		only = label{
			"В таблице только товары, в названии или коде которых есть «%s», и не все: назовите точнее. Итоги над ней — по всем товарам.",
			"The table has only products with “%s” in their name or code, and not all of them: name it more precisely. The totals above it are for all products.",
		}
	}
	delete(list.result, "total_rows") // that other rows are left out is said in words
	return list.encoded(), t.say(only, product)
}

var properName = expression.Of(`^` + proper + `$`)

// properly tells a name by its capital letters, which are not those that the question begins with.
func (t *turn) properly(name string) bool {
	return properName.MatchString(name) && !strings.HasPrefix(strings.TrimSpace(t.question), name)
}

// listing is a tool's result in its parts, and the rows of one list in it.
type listing struct {
	whole, result map[string]json.RawMessage
	field         string
	rows          []json.RawMessage
}

func listed(data json.RawMessage, field string) (l listing, ok bool) {
	l.field = field
	ok = json.Unmarshal(data, &l.whole) == nil && json.Unmarshal(l.whole["result"], &l.result) == nil && json.Unmarshal(l.result[field], &l.rows) == nil
	return l, ok
}

// keep leaves only the rows of a product or supplier.
func (l *listing) keep(name string) {
	l.rows = slices.DeleteFunc(l.rows, func(row json.RawMessage) bool { return !isOf(row, name) })
}

func (l *listing) encoded() json.RawMessage {
	l.result[l.field] = encode(l.rows)
	l.whole["result"] = encode(l.result)
	return encode(l.whole)
}

// isOf tells whether a row is of a product, a supplier or a counterparty: its name has words that begin like each of those said, or it has
// that code.
func isOf(row json.RawMessage, name string) bool {
	var r struct{ Name, Code, Supplier, Counterparty string }
	if json.Unmarshal(row, &r) != nil {
		return false
	}
	return folded(r.Code) == folded(name) || begins(cmp.Or(r.Name, r.Supplier, r.Counterparty), name)
}

// begins tells whether a name has words that begin like each of those said.
func begins(name, said string) bool {
	words := wordsOf(name)
	return len(words) > 0 && !slices.ContainsFunc(strings.Fields(stems(said)), func(stem string) bool {
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
