package redact

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// minAddedLength is the shortest value that is redacted whatever its form. Anything shorter is more likely a common word
// than a secret.
const minAddedLength = 8

// Recognizable returns the values that are long enough to be told from common words.
func Recognizable(secrets ...string) []string {
	return slices.DeleteFunc(slices.Clone(secrets), func(secret string) bool { return len(secret) < minAddedLength })
}

var (
	addMu sync.Mutex
	added atomic.Pointer[[]string]
)

// AddSecrets makes this process redact the given values, such as a model provider's key, whatever their form. They are
// found in plain text, in URLs and in JSON.
func AddSecrets(secrets ...string) {
	addMu.Lock()
	defer addMu.Unlock()
	all := slices.Clone(addedSecrets())
	for _, secret := range Recognizable(secrets...) {
		for _, written := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), inJSON(secret)} {
			if !slices.Contains(all, written) {
				all = append(all, written)
			}
		}
	}
	// Longest first, because one secret may be the beginning of another.
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	added.Store(&all)
}

func addedSecrets() []string {
	if all := added.Load(); all != nil {
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
