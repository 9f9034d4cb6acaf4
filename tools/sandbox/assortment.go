package sandbox

import (
	"net/http"
	"slices"
	"strings"
)

// newAssortment is the value of the feature header that selects the new form of /entity/assortment, without stock.
const newAssortment = "assortmentWithoutStock"

// listAssortment answers GET /entity/assortment in the new or the legacy form.
func listAssortment(r *request) (any, error) {
	t := &table[Item]{
		kind: "assortment", show: showItem, substrings: true, columns: itemColumns(),
		rows:   func(b *Books) []*Item { return b.Assortment },
		search: func(i *Item) []string { return append([]string{i.Name, i.Code, i.article()}, i.codes()...) },
	}
	t.columns["type"] = column[Item]{idColumn, func(i *Item) value { return textValue(string(i.Kind)) }}
	var err error
	if slices.Contains(r.Header.Values(betaFeature), newAssortment) {
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

// adaptNew applies the rules of the new form: it removes filters and refuses expansions that the new form does not
// have. If the switch SearchIgnored is set, it ignores the search; if BadFilterIgnored is set, it ignores unknown
// filters.
func (r *request) adaptNew(t *table[Item]) error {
	for _, field := range []string{"article", "weighed", "minimumBalance", "syncId"} {
		delete(t.columns, field)
	}
	if r.view.sandbox.config.SearchIgnored {
		r.query.Del("search")
	}
	for _, field := range r.expansions() {
		if !slices.Contains([]string{"product", "images", "components"}, field) {
			return refuse(http.StatusBadRequest, 1089, "Поле '%s' нельзя развернуть", field).about("expand")
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

// adaptLegacy adds stock to the rows and filters by stock and search.
func (r *request) adaptLegacy(t *table[Item]) error {
	r.query.Del("search")
	conditions, err := parseFilter(r.query.Get("filter"))
	if err != nil {
		return err
	}
	for _, c := range conditions {
		if c.field == "store" || c.field == "moment" { // in /entity/assortment these filters are called stockStore and stockMoment
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
			return !scope.passes(scope.stockMode, h.Stock, i) || !scope.passes(scope.quantityMode, h.Available(), i) ||
				scope.search != "" && !matchesSearch(t.search(i), scope.search, false)
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

// stockReportRight refuses roles without the right to stock reports. The error code for short reports differs.
func (s *Sandbox) stockReportRight(short bool) error {
	if !s.config.NoStockRight {
		return nil
	}
	if short {
		return refuse(http.StatusForbidden, 13004, "Доступ запрещен: отчёт доступен администратору или роли с правом на остатки")
	}
	return refuse(http.StatusForbidden, 13003, "Доступ запрещен: у вас нет прав на отчёт по остаткам")
}
