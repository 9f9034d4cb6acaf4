package sandbox

import (
	"net/http"
	"slices"
)

// entityRoutes registers the paths under /entity that only read.
func entityRoutes(read func(string, endpoint)) {
	read("/entity/{kind}", listEntities)
	read("/entity/assortment", listAssortment)
	read("/entity/{kind}/{id}", oneEntity)
	read("/entity/{kind}/metadata", metadata)
	read("/entity/{kind}/metadata/attributes", listAttributes)
	read("/entity/{kind}/metadata/states/{id}", oneState)
	read("/entity/{kind}/{id}/positions", listPositions)
	read("/entity/{kind}/{id}/positions/{position}", onePosition)
	read("/entity/{kind}/{id}/storebalances", listStoreBalances)
	read("/entity/bundle/{id}/components", listComponents)
	read("/entity/organization/{id}/accounts", listAccounts)
}

func listEntities(r *request) (any, error) {
	table, err := r.table()
	if err != nil {
		return nil, err
	}
	return table.list(r)
}

// oneEntity answers GET /entity/{kind}/{id}. It does not find deleted documents.
func oneEntity(r *request) (any, error) {
	if _, err := r.table(); err != nil {
		return nil, err
	}
	kind, id := Kind(r.PathValue("kind")), r.PathValue("id")
	if document := r.view.books.documents[id]; document != nil && (document.Kind != kind || !document.Deleted.IsZero()) {
		return nil, notFound(kind, id)
	} else if document != nil && !r.view.sees(document) {
		return nil, noView()
	}
	if item := r.view.books.items[id]; item != nil && item.Kind != kind {
		return nil, notFound(kind, id)
	}
	entity, ok := r.view.entity(kind, id)
	if !ok {
		if href, known := r.view.books.hrefOfPage(kind, id); known {
			return nil, &redirect{href}
		}
		return nil, notFound(kind, id)
	}
	return entity, r.expand(entity)
}

// redirect is an answer that redirects to the address href.
type redirect struct{ href string }

func (m *redirect) Error() string { return "moved to " + m.href }

// hrefOfPage returns the API link of a product, given the id in the address of its page in the web interface. The two
// ids differ.
//
// Source: md/_general.md, uuidHref.
func (b *Books) hrefOfPage(kind Kind, id string) (href string, known bool) {
	if kind != kindProduct {
		return "", false
	}
	for _, item := range b.Assortment {
		if item.Kind == kindProduct && pageID(item.ID) == id {
			return hrefOf(kind, item.ID), true
		}
	}
	return "", false
}

// pageID returns the id in the address of an entity's page in the web interface.
func pageID(id string) string { return ids{seed: 7}.ofPart(id, 0) }

func listAttributes(r *request) (any, error) {
	return page(r, string(kindAttribute), r.view.attributeTypes(Kind(r.PathValue("kind")))), nil
}

func oneState(r *request) (any, error) {
	state, ok := r.view.state(r.PathValue("kind") + "/" + r.PathValue("id"))
	if !ok {
		return nil, notFound(kindState, r.PathValue("id"))
	}
	return state, nil
}

func listPositions(r *request) (any, error) {
	document, err := r.document()
	if err != nil {
		return nil, err
	}
	return r.nested(string(document.Kind)+"position", r.view.positions(document))
}

func onePosition(r *request) (any, error) {
	document, err := r.document()
	if err != nil {
		return nil, err
	}
	for i := range document.Positions {
		if r.view.books.ids.ofPart(document.ID, i) == r.PathValue("position") {
			position := r.view.position(document, i)
			return position, r.expand(position)
		}
	}
	return nil, notFound(kindPosition, r.PathValue("position"))
}

func listStoreBalances(r *request) (any, error) {
	item, err := r.item()
	if err != nil {
		return nil, err
	}
	if item.EffectiveMinimum().Type != MinimumVaried {
		return nil, refuse(http.StatusBadRequest, 16017, "Тип неснижаемого остатка товара не 'WAREHOUSE_VARIED'")
	}
	return r.nested(string(kindStoreMinimum), r.view.storeBalances(item))
}

func listComponents(r *request) (any, error) {
	item := r.view.books.items[r.PathValue("id")]
	if item == nil || item.Kind != kindBundle {
		return nil, notFound(kindBundle, r.PathValue("id"))
	}
	return r.nested("bundlecomponent", r.view.components(item))
}

func listAccounts(r *request) (any, error) {
	for _, organization := range r.view.books.Organizations {
		if organization.ID == r.PathValue("id") {
			return r.nested(string(kindAccount), r.view.accounts(organization))
		}
	}
	return nil, notFound(kindOrganization, r.PathValue("id"))
}

// table returns the table of the kind in the path.
func (r *request) table() (entities, error) {
	kind := Kind(r.PathValue("kind"))
	table, ok := tables[kind]
	if !ok {
		return nil, refuse(http.StatusPreconditionFailed, 1005, "Неизвестный тип: '%s'", kind)
	}
	return table, nil
}

func (r *request) document() (*Document, error) {
	document := r.view.books.documents[r.PathValue("id")]
	if document == nil || string(document.Kind) != r.PathValue("kind") || !document.Deleted.IsZero() {
		return nil, notFound(Kind(r.PathValue("kind")), r.PathValue("id"))
	}
	return document, nil
}

func (r *request) item() (*Item, error) {
	item := r.view.books.items[r.PathValue("id")]
	if item == nil || string(item.Kind) != r.PathValue("kind") {
		return nil, notFound(Kind(r.PathValue("kind")), r.PathValue("id"))
	}
	return item, nil
}

// nested returns a page of a list that belongs to one entity.
func (r *request) nested(kind string, rows []object) (any, error) {
	return r.expandRows(page(r, kind, rows))
}

// expandRows applies the requested expansions to the rows of a page.
func (r *request) expandRows(shown object) (any, error) {
	for _, row := range shown["rows"].([]object) {
		if err := r.expand(row); err != nil {
			return nil, err
		}
	}
	return shown, nil
}

// metadata answers GET /entity/{kind}/metadata with the states and attributes of a kind.
func metadata(r *request) (any, error) {
	kind := Kind(r.PathValue("kind"))
	if _, err := r.table(); err != nil {
		return nil, err
	}
	o := object{
		"meta":         object{"href": base + "/entity/" + string(kind) + "/metadata", "mediaType": "application/json"},
		"createShared": false,
	}
	rows := r.view.attributeTypes(kind)
	o["attributes"] = collection{
		href: base + "/entity/" + string(kind) + "/metadata/attributes", kind: kindAttribute, size: len(rows),
		rows: func() []object { return rows },
	}
	if states := r.view.books.States[kind]; len(states) > 0 {
		shown := make([]object, len(states))
		for i, state := range states {
			shown[i] = r.view.showState(state)
		}
		o["states"] = shown
	}
	if kind == CustomerOrder && slices.Contains(r.expansions(), "attributes") {
		return o, r.view.expandPath(o, []string{"attributes"})
	}
	return o, nil
}

func (v view) attributeTypes(kind Kind) []object {
	rows := []object{}
	for _, attribute := range v.books.Attributes[kind] {
		rows = append(rows, object{
			"meta": metaOf(kindAttribute, string(kind)+"/"+attribute.ID), "id": attribute.ID, "name": attribute.Name,
			"type": "string", "required": attribute.Required, "show": true,
		})
	}
	return rows
}
