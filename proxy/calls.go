package proxy

import "github.com/kopeck/kopeck/proxy/places"

// How many tools run at once in this process, how many of them for one organization, and how many of one wait: a run of the
// agent calls a few, and a call holds some megabytes of reports. The bound of one is more than questions need that are asked
// at once by all keys of a large shop.
const (
	mostCalls       = 256
	mostCallsOfOne  = 32
	longestCallLine = 256
)

// NewCalls shares the places for tools that run at once among organizations.
func NewCalls() *places.Room { return places.New(mostCalls, mostCallsOfOne, longestCallLine) }
