package proxy

import "github.com/kopeck/kopeck/proxy/places"

// The limits of this process's running tool calls, in total and per organization, and of an organization's waiting calls. A
// question calls a few tools, each of which holds some megabytes of reports. Even a large shop stays below the limits.
const (
	maxToolCalls                = 256
	maxToolCallsPerOrganization = 32
	maxWaitingToolCalls         = 256
)

// NewToolQueue returns the queue that shares running tools fairly among organizations.
func NewToolQueue() *places.Queue {
	return places.New(maxToolCalls, maxToolCallsPerOrganization, maxWaitingToolCalls)
}
