package sandbox

import (
	"net/url"
	"sync"
)

// mostMemos is how many reports are kept: as many as a caller pages through side by side, such as one of each warehouse.
const mostMemos = 32

// memo keeps what lists and reports on the whole assortment found, so that a list of a hundred pages is not worked out a
// hundred times. A write forgets everything.
type memo struct {
	mu    sync.Mutex // guards what follows
	found map[string]any
	order []string          // oldest first
	sent  map[string][]byte // packed answers of accounts that replay them
}

// forget is called when something was written.
func (m *memo) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.found, m.order, m.sent = nil, nil, nil
}

// keep remembers a report under its path and query.
func (m *memo) keep(key string, report any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.found == nil {
		m.found = map[string]any{}
	}
	if len(m.order) == mostMemos {
		delete(m.found, m.order[0])
		m.order = m.order[1:]
	}
	if _, known := m.found[key]; !known {
		m.order = append(m.order, key)
	}
	m.found[key] = report
}

func (m *memo) get(key string) (any, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	report, ok := m.found[key]
	return report, ok
}

// paged gives a report from the memo, for a page after the first, or works it out. What has no period ends now, so it is
// never older than the call for its first page.
func paged[T any](r *request, work func() (T, error)) (T, error) {
	query := url.Values{}
	for name, values := range r.query {
		if name != "limit" && name != "offset" {
			query[name] = values
		}
	}
	key := r.URL.Path + "?" + query.Encode() + r.Header.Get(betaFeature)
	memo := &r.view.sandbox.memo
	if report, ok := memo.get(key); ok && r.offset > 0 {
		return report.(T), nil
	}
	report, err := work()
	if err == nil {
		memo.keep(key, report)
	}
	return report, err
}
