package sandbox

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// table describes how entities of one kind are listed, filtered, searched, sorted and shown.
type table[T any] struct {
	kind       Kind
	rows       func(*Books) []*T
	columns    map[string]column[T]
	orders     []string // columns by which rows can be sorted; nil means all
	search     func(*T) []string
	visible    func(view, *T) bool // whether the role may see a row; nil means always
	substrings bool                // a search finds substrings, not only beginnings of words
	show       func(view, *T) object
	id         func(*T) string
}

// entities is a table whose row type is not known.
type entities interface {
	list(*request) (any, error)
	get(view, string) (object, bool)
}

// list answers GET /entity/{kind}.
func (t *table[T]) list(r *request) (any, error) {
	rows, err := cached(r, func() ([]*T, error) { return t.choose(r) })
	if err != nil {
		return nil, err
	}
	return r.expandRows(pageOf(r, string(t.kind), rows, func(row *T) object { return t.show(r.view, row) }))
}

func (t *table[T]) get(v view, id string) (object, bool) {
	for _, row := range t.rows(v.books) {
		if t.id(row) == id {
			return t.show(v, row), true
		}
	}
	return nil, false
}

// choose returns the rows that match the filter and the search, sorted. By default it leaves out archived and deleted
// rows.
func (t *table[T]) choose(r *request) ([]*T, error) {
	conditions, err := parseFilter(r.query.Get("filter"))
	if err != nil {
		return nil, err
	}
	conditions = withDefaults(conditions, t.kind, t.has)
	tests, err := compileFilter(conditions, t.typeOf, r.view.sandbox.config.NotEqualKeepsEmpty)
	if err != nil {
		return nil, err
	}
	words := r.query.Get("search")
	var rows []*T
	for _, row := range t.rows(r.view.books) {
		if t.visible != nil && !t.visible(r.view, row) {
			continue
		}
		if t.passes(tests, row) && (words == "" || matchesSearch(t.search(row), words, t.substrings)) {
			rows = append(rows, row)
		}
	}
	return rows, t.order(rows, r.query.Get("order"))
}

func (t *table[T]) has(field string) bool { _, ok := t.columns[field]; return ok }

func (t *table[T]) typeOf(field string) (columnType, bool) {
	column, ok := t.columns[field]
	return column.typ, ok
}

func (t *table[T]) passes(tests []fieldTest, row *T) bool {
	for _, test := range tests {
		if !test.passes(t.columns[test.field].get(row)) {
			return false
		}
	}
	return true
}

// order sorts rows. order has the form "field,desc;field2". In ascending order, rows without a value come last.
func (t *table[T]) order(rows []*T, order string) error {
	known := t.has
	if t.orders != nil {
		known = func(field string) bool { return slices.Contains(t.orders, field) }
	}
	orders, err := parseOrder(order, known)
	if err != nil || len(orders) == 0 {
		return err
	}
	by := make([]sortKey[*T], len(orders))
	for i, o := range orders {
		by[i] = sortKey[*T]{t.columns[o.field].get, o.descending}
	}
	sortBy(rows, by)
	return nil
}

// ordering is one field to sort by.
type ordering struct {
	field      string
	descending bool
}

func parseOrder(text string, known func(field string) bool) (orders []ordering, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ";") {
		field, direction, _ := strings.Cut(part, ",")
		switch {
		case !known(field):
			return nil, refuse(http.StatusPreconditionFailed, 1042, "Ошибка сортировки: неизвестное поле '%s'", field).about("order")
		case direction != "" && direction != "asc" && direction != "desc":
			return nil, refuse(http.StatusPreconditionFailed, 1063, "Ошибка сортировки: неверное направление '%s'", direction).about("order")
		}
		orders = append(orders, ordering{field, direction == "desc"})
	}
	return orders, nil
}

// withDefaults adds conditions that leave out archived and deleted rows, unless the filter has such conditions. A
// filter by id finds products even if they are archived.
func withDefaults(conditions []condition, kind Kind, has func(column string) bool) []condition {
	says := func(field string) bool {
		return slices.ContainsFunc(conditions, func(c condition) bool { return c.field == field })
	}
	if says("id") && kind == kindProduct {
		conditions = slices.DeleteFunc(conditions, func(c condition) bool { return c.field == "archived" })
	} else if has("archived") && !says("archived") {
		conditions = append(conditions, condition{"archived", "=", "false"})
	}
	if has("isDeleted") && !says("isDeleted") {
		conditions = append(conditions, condition{"isDeleted", "=", "false"})
	}
	return conditions
}

// matchesSearch reports whether the texts match a search. If substrings is set, one of the texts must contain the whole
// search text. Otherwise each word of it must be the beginning of a word in the texts.
func matchesSearch(texts []string, wanted string, substrings bool) bool {
	wanted = strings.ToLower(wanted)
	if substrings {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), wanted) })
	}
	var words []string
	for _, text := range texts {
		words = append(words, strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" ,()«»\"+/", r) })...)
		words = append(words, strings.ToLower(text))
	}
	for word := range strings.FieldsSeq(wanted) {
		if !slices.ContainsFunc(words, func(have string) bool { return strings.HasPrefix(have, word) }) {
			return false
		}
	}
	return true
}

// expand replaces the requested links and collections in an object by the entities, at most three levels deep.
func (r *request) expand(o object) error {
	for _, path := range r.expansions() {
		parts := strings.Split(strings.TrimSpace(path), ".")
		if len(parts) > 3 {
			return refuse(http.StatusBadRequest, 1089, "Глубина expand больше трёх: %s", path).about("expand")
		}
		if err := r.view.expandPath(o, parts); err != nil {
			return err
		}
	}
	return nil
}

// expandPath expands one path. It ignores a field that the object does not have. A field that is not a link is an
// error.
func (v view) expandPath(o object, path []string) error {
	if len(path) == 0 {
		return nil
	}
	for key, held := range o {
		if !strings.EqualFold(key, path[0]) {
			continue
		}
		expanded, err := v.expandValue(held, path)
		if err != nil {
			return err
		}
		o[key] = expanded
	}
	return nil
}

func (v view) expandValue(held any, path []string) (any, error) {
	switch held := held.(type) {
	case link:
		return v.follow(held, path[1:])
	case []link:
		all := make([]object, len(held))
		for i, element := range held {
			expanded, err := v.follow(element, path[1:])
			if err != nil {
				return nil, err
			}
			all[i] = expanded
		}
		return all, nil
	case collection:
		limit := v.sandbox.config.NestedLimit
		rows := held.rows()
		rows = rows[:min(limit, len(rows))]
		for _, row := range rows {
			if err := v.expandPath(row, path[1:]); err != nil {
				return nil, err
			}
		}
		return object{"meta": held.meta(limit), "rows": rows}, nil
	case object:
		return held, v.expandPath(held, path[1:])
	case []object:
		for _, element := range held {
			if err := v.expandPath(element, path[1:]); err != nil {
				return nil, err
			}
		}
		return held, nil
	default:
		return nil, refuse(http.StatusBadRequest, 1089, "Поле '%s' нельзя развернуть", path[0]).about("expand")
	}
}

func (v view) follow(l link, path []string) (object, error) {
	full, ok := v.entity(l.kind, l.id)
	if document := v.books.documents[l.id]; document != nil && !v.sees(document) {
		meta := metaOf(l.kind, l.id)
		meta["permitted"] = false
		full = object{"meta": meta}
	} else if !ok {
		full = object{"meta": metaOf(l.kind, l.id)}
	}
	maps.Copy(full, l.with)
	return full, v.expandPath(full, path)
}

// entity shows an entity of any kind. It returns false if there is no such entity.
func (v view) entity(kind Kind, id string) (object, bool) {
	if item := v.books.items[id]; item != nil {
		return showItem(v, item), true
	}
	if document := v.books.documents[id]; document != nil {
		return showDocument(v, document), true
	}
	if counterparty := v.books.counters[id]; counterparty != nil {
		return showCounterparty(v, counterparty), true
	}
	if kind == kindState {
		return v.state(id)
	}
	if table, ok := tables[kind]; ok {
		return table.get(v, id)
	}
	return nil, false
}
