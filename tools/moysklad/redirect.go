package moysklad

import (
	"fmt"
	"slices"
	"strings"
)

// movedError means that the upstream redirected to another path of the API. It does so (with 308) for ids that come
// from the addresses of its web pages.
type movedError struct{ request request }

func (e *movedError) Error() string { return "moved to " + e.request.path }

func (e *movedError) Unwrap() error { return ErrRejected }

// redirected returns a [*movedError] for a 3xx answer that may be followed, and another error otherwise. Only the same
// path with another id is followed, at the configured or the canonical base. The new request goes to the configured
// address, so the token is sent nowhere else, and the caller gets an object of the requested kind, with the same query.
func (c *Client) redirected(r request, a *response) error {
	refused := &Error{Kind: ErrRejected, Status: a.status, Path: r.path, Text: "redirects to another address, which is not followed"}
	base := *c.pool.base
	base.Path += "/" + r.path
	to, err := base.Parse(a.location)
	if err != nil || a.location == "" || r.method != "" {
		return refused
	}
	for _, home := range []string{c.pool.base.String(), CanonicalURL} {
		if path, below := strings.CutPrefix(fmt.Sprintf("%s://%s%s", to.Scheme, to.Host, to.EscapedPath()), home+"/"); below &&
			sameButID(r.path, path) {
			r.path = path
			return &movedError{r}
		}
	}
	return refused
}

// sameButID reports whether two paths have the form entity/KIND/ID and differ only in the id.
func sameButID(a, b string) bool {
	parts, others := strings.Split(a, "/"), strings.Split(b, "/")
	if len(parts) != len(others) || len(parts) < 3 || parts[0] != "entity" {
		return false
	}
	parts[2] = others[2]
	return slices.Equal(parts, others)
}
