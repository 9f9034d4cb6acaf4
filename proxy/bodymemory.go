package proxy

import (
	"errors"
	"sync"
	"time"

	"github.com/kopeck/kopeck/proxy/problem"
)

// bodyMemory limits the memory of all request bodies, and of buffered responses of models and of the upstream, in total and per
// organization. Beyond the limit, a body is refused, and the client may retry. It is not made to wait, because half-read bodies
// could wait for each other forever.
type bodyMemory struct {
	limit           int64
	perOrganization int64

	mu             sync.Mutex
	total          int64
	byOrganization map[string]int64 // organization → bytes
}

// organizationTenths is how much of the memory one organization may use, in tenths.
const organizationTenths = 8

func newBodyMemory(limit int64) *bodyMemory {
	return &bodyMemory{limit: limit, perOrganization: limit / 10 * organizationTenths, byOrganization: map[string]int64{}}
}

// reserve raises the memory reserved for a request to the given number of bytes. [bodyMemory.release] frees it.
func (m *bodyMemory) reserve(r *request, bytes int) error {
	if bytes -= r.reservedBytes; bytes <= 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	organization := r.caller.OrganizationID
	switch n := int64(bytes); {
	case m.byOrganization[organization]+n > m.perOrganization:
		return problem.RateLimited("The bodies of the organization's requests and answers take too much memory together.",
			"Send fewer large requests at once, or ask for less in each.", time.Second).
			InRussian("Запросы и ответы организации вместе занимают слишком много памяти.", "Отправляйте меньше больших запросов одновременно.")
	case m.total+n > m.limit:
		return problem.NotReady(errors.New("the memory for the bodies of all requests is used up"))
	}
	m.total += int64(bytes)
	m.byOrganization[organization] += int64(bytes)
	r.reservedBytes += bytes
	return nil
}

// reserveMore returns a function that reserves memory for the response, in addition to that for the body. A response stays
// in memory until the client has read it. Without a limit, slow clients could use any amount of memory.
func (m *bodyMemory) reserveMore(r *request) func(bytes int) error {
	before := r.reservedBytes
	return func(bytes int) error { return m.reserve(r, before+bytes) }
}

// release frees the request's bytes. It may be called more than once.
func (m *bodyMemory) release(r *request) {
	if r.reservedBytes == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	organization := r.caller.OrganizationID
	m.total -= int64(r.reservedBytes)
	if m.byOrganization[organization] -= int64(r.reservedBytes); m.byOrganization[organization] == 0 {
		delete(m.byOrganization, organization)
	}
	r.reservedBytes = 0
}
