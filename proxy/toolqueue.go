package proxy

import "github.com/kopeck/kopeck/proxy/places"

// The limits of this process's running tool calls, in total and per organization, and of waiting calls per organization. A
// question calls a few tools, and each call takes some megabytes of memory for reports. Even a large shop stays below the
// limits.
const (
	maxToolCalls                = 256
	maxToolCallsPerOrganization = 32
	maxWaitingToolCalls         = 256
)

// NewToolQueue returns the queue that shares running tools fairly among organizations.
func NewToolQueue() *places.Queue {
	return places.New(maxToolCalls, maxToolCallsPerOrganization, maxWaitingToolCalls)
}
