package proxy

import "github.com/kopeck/kopeck/proxy/places"

// The limits of tools running at once in this process, in total and per organization, and of an organization's waiting
// calls. A question calls a few tools, and each call holds some megabytes of reports. Even a large shop that uses all of
// its keys at once stays below the limit.
const (
	maxToolCalls                = 256
	maxToolCallsPerOrganization = 32
	maxWaitingToolCalls         = 256
)

// NewToolQueue returns the queue that shares running tools fairly among organizations.
func NewToolQueue() *places.Queue {
	return places.New(maxToolCalls, maxToolCallsPerOrganization, maxWaitingToolCalls)
}
