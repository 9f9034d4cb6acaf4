package proxy

import "github.com/kopeck/kopeck/proxy/places"

// How many tools run at once in this process, how many of them for one organization, and how many of one organization wait.
// A question calls a few tools, and a call holds some megabytes of reports. A large shop that asks with all its keys at once
// stays below its bound.
const (
	mostCalls       = 256
	mostCallsOfOne  = 32
	longestCallLine = 256
)

// NewCalls shares the places for tools that run at once among organizations.
func NewCalls() *places.Queue { return places.New(mostCalls, mostCallsOfOne, longestCallLine) }
