package sandbox

import (
	"net/http"
	"slices"
	"strings"
)

// newAssortment is the feature header that asks for the contract without stock.
const newAssortment = "assortmentWithoutStock"

// listAssortment answers GET /entity/assortment under its two contracts.
func listAssortment(r *request) (any, error) {
	fresh := slices.Contains(r.Header.Values(betaFeature), newAssortment)
	t := &table[Item]{
		kind: "assortment", show: showItem, within: true, columns: itemColumns(),
		rows:   func(b *Books) []*Item { return b.Assortment },
		search: func(i *Item) []string { return append([]string{i.Name, i.Code, i.article()}, i.codes()...) },
	}
	t.columns["type"] = column[Item]{idColumn, func(i *Item) value { return textValue(string(i.Kind)) }}
	var err error
	if fresh {
		err = r.adaptNew(t)
	} else {
		err = r.adaptLegacy(t)
	}
	if err != nil {
		return nil, err
	}
	if r.query.Get("groupBy") == "product" {
		rows := t.rows
		t.rows = func(b *Books) []*Item {
			return slices.DeleteFunc(slices.Clone(rows(b)), func(i *Item) bool { return i.Kind == kindVariant })
		}
	}
	return t.list(r)
}

// adaptNew takes away the filters and the expansions that the new contract does not know, and the search where the switch says that the
// upstream sends the whole catalogue instead.
func (r *request) adaptNew(t *table[Item]) error {
	for _, field := range []string{"article", "weighed", "minimumBalance", "syncId"} {
		delete(t.columns, field)
	}
	if r.view.sandbox.config.SearchIgnored {
		r.query.Del("search")
	}
	for _, wish := range r.expands() {
		if !slices.Contains([]string{"product", "images", "components"}, wish) {
			return refuse(http.StatusBadRequest, 1089, "Поле '%s' нельзя развернуть", wish).about("expand")
		}
	}
	if !r.view.sandbox.config.BadFilterIgnored {
		return nil
	}
	conditions, err := parseFilter(r.query.Get("filter"))
	if err != nil {
		return err
	}
	known := slices.DeleteFunc(conditions, func(c condition) bool { _, ok := t.columns[c.field]; return !ok })
	r.query.Set("filter", joinFilter(known))
	return nil
}

func joinFilter(conditions []condition) string {
	parts := make([]string, len(conditions))
	for i, c := range conditions {
		parts[i] = c.field + c.op + strings.NewReplacer(`\`, `\\`, `;`, `\;`).Replace(c.value)
	}
	return strings.Join(parts, ";")
}

// adaptLegacy adds stock to the rows, and the filters by stock and search.
func (r *request) adaptLegacy(t *table[Item]) error {
	r.query.Del("search")
	conditions, err := parseFilter(r.query.Get("filter"))
	if err != nil {
		return err
	}
	for _, c := range conditions {
		if c.field == "store" || c.field == "moment" { // they are called stockStore and stockMoment here
			return badField(c.field)
		}
	}
	scope, rest, err := r.stockScope(conditions)
	if err != nil {
		return err
	}
	rows := t.rows
	t.rows = func(b *Books) []*Item {
		return slices.DeleteFunc(slices.Clone(rows(b)), func(i *Item) bool {
			if !i.Stocked() {
				return scope.stockMode != "" && scope.stockMode != "all"
			}
			h := scope.total(i)
			return !scope.keeps(scope.stockMode, h.Stock, i) || !scope.keeps(scope.quantityMode, h.Available(), i) ||
				scope.search != "" && !found(t.search(i), scope.search, false)
		})
	}
	t.show = func(v view, i *Item) object {
		o := showItem(v, i)
		if i.Stocked() {
			h := scope.total(i)
			o["stock"], o["reserve"], o["inTransit"], o["quantity"] = h.Stock, h.Reserve, h.InTransit, h.Available()
		}
		return o
	}
	r.query.Set("filter", joinFilter(rest))
	return nil
}

// stockReportRight refuses roles without stock reports; the short ones have a code of their own.
func (s *Sandbox) stockReportRight(short bool) error {
	if !s.config.NoStockRight {
		return nil
	}
	if short {
		return refuse(http.StatusForbidden, 13004, "Доступ запрещен: отчёт доступен администратору или роли с правом на остатки")
	}
	return refuse(http.StatusForbidden, 13003, "Доступ запрещен: у вас нет прав на отчёт по остаткам")
}
