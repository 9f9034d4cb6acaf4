package sandbox

import (
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// object is a JSON object in an answer. Its values are plain values, links and collections. Links and collections can
// be expanded.
type object map[string]any

// link refers to an entity.
type link struct {
	kind Kind
	id   string
	with object // additional fields, such as the linkedSum of a payment
}

// object returns the link as {"meta":…}.
func (l link) object() object {
	o := object{"meta": metaOf(l.kind, l.id)}
	maps.Copy(o, l.with)
	return o
}

// collection is a nested list. Unless it is expanded, only its meta is shown, with the size.
type collection struct {
	href string
	kind Kind
	size int
	rows func() []object
}

func (c collection) meta(limit int) object {
	return object{"href": c.href, "type": c.kind, "mediaType": "application/json", "size": c.size, "limit": limit, "offset": 0}
}

// hrefOf returns the canonical link of an entity. If it belongs to another entity, the id has the form "owner/id".
func hrefOf(kind Kind, id string) string {
	switch kind {
	case kindPriceType:
		return base + "/context/companysettings/pricetype/" + id
	case kindState:
		owner, id, _ := strings.Cut(id, "/")
		return base + "/entity/" + owner + "/metadata/states/" + id
	case kindAttribute:
		owner, id, _ := strings.Cut(id, "/")
		return base + "/entity/" + owner + "/metadata/attributes/" + id
	case kindAccount:
		owner, id, _ := strings.Cut(id, "/")
		return base + "/entity/organization/" + owner + "/accounts/" + id
	}
	return base + "/entity/" + string(kind) + "/" + id
}

// metaOf returns the meta of one entity.
func metaOf(kind Kind, id string) object {
	meta := object{"href": hrefOf(kind, id), "type": kind, "mediaType": "application/json"}
	switch kind {
	case kindPriceType, kindState, kindAttribute, kindAccount:
		return meta
	}
	meta["metadataHref"] = base + "/entity/" + string(kind) + "/metadata"
	if kind == kindProduct || kind == kindVariant || kind == kindCounterparty || isDocument(kind) {
		meta["uuidHref"] = "https://online.moysklad.ru/app/#" + string(kind) + "/edit?id=" + pageID(id)
	}
	return meta
}

// page returns one page of a list with its meta. The links in meta have the canonical host and the query of the
// request.
func page[T any](r *request, kind string, rows []T) object {
	limit, offset := r.limit, r.offset
	size := len(rows)
	shown := rows[min(offset, size):min(offset+limit, size)]
	meta := object{"href": base + r.URL.Path, "type": kind, "mediaType": "application/json", "size": size, "limit": limit, "offset": offset}
	if r.URL.RawQuery != "" {
		meta["href"] = base + r.URL.Path + "?" + r.URL.RawQuery
	}
	if offset+limit < size {
		meta["nextHref"] = r.pageHref(offset + limit)
	}
	if offset > 0 {
		meta["previousHref"] = r.pageHref(max(0, offset-limit))
	}
	return object{"context": contextOf(), "meta": meta, "rows": append([]T{}, shown...)}
}

// pageOf is like [page], and converts each row to an object with show.
func pageOf[T any](r *request, kind string, rows []T, show func(T) object) object {
	shown := page(r, kind, rows)
	chosen := shown["rows"].([]T)
	objects := make([]object, len(chosen))
	for i, row := range chosen {
		objects[i] = show(row)
	}
	shown["rows"] = objects
	return shown
}

func (r *request) pageHref(offset int) string {
	query := url.Values{}
	maps.Copy(query, r.query)
	query.Set("limit", strconv.Itoa(r.limit))
	query.Set("offset", strconv.Itoa(offset))
	return base + r.URL.Path + "?" + query.Encode()
}

func contextOf() object {
	return object{"employee": object{"meta": employeeMeta()}}
}

// bareContext returns the context of stock reports. In it, the employee is written as the meta itself.
func bareContext() object { return object{"employee": employeeMeta()} }

func employeeMeta() object {
	return object{
		"href": base + "/context/employee", "metadataHref": base + "/entity/employee/metadata",
		"type": "employee", "mediaType": "application/json",
	}
}

// moment formats a time in the format of entities.
func moment(t time.Time) string { return t.In(moysklad.Moscow).Format(moysklad.TimeLayout + ".000") }

// reportMoment formats a time in the format of reports.
func reportMoment(t time.Time) string { return t.In(moysklad.Moscow).Format(moysklad.TimeLayout) }
