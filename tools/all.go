package tools

import "sync"

// All are the tools of this package, in the order in which they are listed. Each is built on first use.
var all = sync.OnceValue(func() []Tool {
	return []Tool{}
})

// All are the tools that read.
func All() []Tool { return all() }

// Find is the tool of that name.
func Find(name string) (Tool, bool) {
	for _, t := range All() {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}
