package sandbox

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// period reads momentFrom and momentTo, both inclusive. If both are missing, the period is the last month. If only the
// start is missing, it begins with the current year; if only the end is missing, it ends now.
func (r *request) period() (from, to time.Time, err error) {
	from, hasFrom, err := r.moment("momentFrom")
	if err != nil {
		return from, to, err
	}
	to, hasTo, err := r.moment("momentTo")
	if err != nil {
		return from, to, err
	}
	now := r.view.sandbox.config.Now()
	switch {
	case !hasFrom && !hasTo:
		return now.AddDate(0, -1, 0), now, nil
	case !hasFrom:
		return time.Date(now.Year(), 1, 1, 0, 0, 0, 0, to.Location()), to, nil
	case !hasTo:
		return from, now, nil
	}
	return from, to, nil
}

// inPeriod reports whether a time is in a period. Both ends belong to the period.
func inPeriod(moment, from, to time.Time) bool { return !moment.Before(from) && !moment.After(to) }

// reportFilter is the filter of a profit, turnover or money report.
type reportFilter struct {
	wanted, unwanted map[string][]string // field → ids
	types            []string            // kinds of documents
	idle             bool                // include rows without movement
	moved            bool                // only rows with movement
	archived         []string            // values "true" or "false"; empty means "false"
}

// readReport parses a filter by links. It refuses fields that are not in fields, and "!=" for fields that are not in
// excludable.
func (r *request) readReport(fields, excludable []string) (*reportFilter, error) {
	conditions, err := parseFilter(r.query.Get("filter"))
	if err != nil {
		return nil, err
	}
	f := &reportFilter{wanted: map[string][]string{}, unwanted: map[string][]string{}}
	for _, c := range conditions {
		if !slices.Contains(fields, c.field) {
			return nil, badField(c.field)
		}
		if c.op != "=" && (c.op != "!=" || !slices.Contains(excludable, c.field)) {
			return nil, badOperator(c)
		}
		if err := f.add(c); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *reportFilter) add(c condition) error {
	switch c.field {
	case "type", "entityType":
		if len(f.types) > 0 {
			return refuse(http.StatusPreconditionFailed, 1030, "Ошибка фильтрации: поле '%s' использовано дважды", c.field).about("filter")
		}
		f.types = append(f.types, c.value)
		return nil
	case "withoutturnover":
		f.idle, f.moved = c.value == "true", c.value == "false"
		return nil
	case "archived":
		f.archived = append(f.archived, c.value)
		return nil
	case "withSubFolders", "agentTag":
		return nil
	case "variant":
		c.field = "product"
	case "agent":
		c.field = "counterparty"
	}
	yes, no := f.wanted[c.field], f.unwanted[c.field]
	err := c.addID(&yes, &no)
	f.wanted[c.field], f.unwanted[c.field] = yes, no
	return err
}

func (f *reportFilter) allows(field string, ids ...string) bool {
	return allowed(ids, f.wanted[field], f.unwanted[field])
}

// document reports whether a document passes the filter.
func (f *reportFilter) document(d *Document) bool {
	return (len(f.types) == 0 || slices.Contains(f.types, string(d.Kind))) && f.allows("organization", d.Organization.ID) &&
		f.allows("counterparty", idOf(d.Agent)) && f.allows("salesChannel", idOf(d.Channel)) &&
		f.allows("project", "") && f.allows("contract", "") && f.allows("retailStore", "")
}

// item reports whether an item passes the filter by product, folder and supplier.
func (f *reportFilter) item(i *Item) bool {
	if len(f.wanted)+len(f.unwanted) == 0 {
		return true
	}
	origin := i.Origin()
	return f.allows("product", i.ID, origin.ID) &&
		f.allows("productFolder", origin.Folder.ids()...) &&
		f.allows("supplier", idOf(origin.Supplier))
}

// allowsArchived reports whether an item passes the filter by archived. If there is no such filter, archived items do
// not pass.
func (f *reportFilter) allowsArchived(i *Item) bool {
	if len(f.archived) == 0 {
		return !i.Archived
	}
	return slices.Contains(f.archived, strconv.FormatBool(i.Archived))
}

func (f *reportFilter) store(store *Store) bool {
	return store == nil && len(f.wanted["store"]) == 0 || store != nil && f.allows("store", store.ID)
}
