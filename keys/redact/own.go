package redact

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// shortestOwn is the length below which a setting's value is more likely a common word than a secret.
const shortestOwn = 8

var (
	adding sync.Mutex
	values atomic.Pointer[[]string]
)

// Also makes secrets of this process known by value, such as a model provider's key, whatever their form. They are redacted
// from then on, as they are and as they stand in addresses and in JSON.
func Also(secrets ...string) {
	adding.Lock()
	defer adding.Unlock()
	all := slices.Clone(own())
	for _, secret := range secrets {
		if len(secret) < shortestOwn {
			continue
		}
		for _, written := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), inJSON(secret)} {
			if !slices.Contains(all, written) {
				all = append(all, written)
			}
		}
	}
	// The longest first: a secret may begin with another one.
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	values.Store(&all)
}

func own() []string {
	if all := values.Load(); all != nil {
		return *all
	}
	return nil
}

func inJSON(text string) string {
	encoded, err := json.Marshal(text)
	if err != nil {
		return text
	}
	return strings.Trim(string(encoded), `"`)
}
