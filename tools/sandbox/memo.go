package sandbox

import (
	"net/url"
	"sync"
)

// maxReports is how many reports are kept. It is more than one because a caller may read several at the same time, such
// as one for each warehouse.
const maxReports = 32

// memo caches the rows of lists and reports, so that a list of a hundred pages is computed once rather than a hundred
// times. Each write clears it.
type memo struct {
	mu      sync.Mutex // guards the fields below
	reports map[string]any
	order   []string          // oldest first
	answers map[string][]byte // compressed answers, if Config.Replay is set
}

// clear must be called after each write.
func (m *memo) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reports, m.order, m.answers = nil, nil, nil
}

// put stores a report under its path and query.
func (m *memo) put(key string, report any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.reports == nil {
		m.reports = map[string]any{}
	}
	if len(m.order) == maxReports {
		delete(m.reports, m.order[0])
		m.order = m.order[1:]
	}
	if _, known := m.reports[key]; !known {
		m.order = append(m.order, key)
	}
	m.reports[key] = report
}

func (m *memo) get(key string) (any, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	report, ok := m.reports[key]
	return report, ok
}

// cached returns a report from the memo. But for the first page, it computes the report again. So a report that ends
// now is never older than the call for its first page.
func cached[T any](r *request, work func() (T, error)) (T, error) {
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
		memo.put(key, report)
	}
	return report, err
}
