package moysklad

import (
	"fmt"
	"net/url"
	"strings"
)

// movedError is an answer that names another path of the same API: how the upstream answers the identifiers of its web
// pages (308).
type movedError struct{ request request }

func (e *movedError) Error() string { return "moved to " + e.request.path }

func (e *movedError) Unwrap() error { return ErrRejected }

// redirected reads where an answer 3xx points. Only a path below the base, at our address or the canonical one, is taken
// from it: requests go nowhere but to the configured address.
func (c *Client) redirected(r request, a *answer) error {
	refused := &Error{Kind: ErrRejected, Status: a.status, Path: r.path, Text: "redirects to another address, which is not followed"}
	base := *c.pool.base
	base.Path += "/" + r.path
	to, err := base.Parse(a.location)
	if err != nil || a.location == "" || r.method != "" {
		return refused
	}
	for _, home := range []string{c.pool.base.String(), Canonical} {
		if path, below := strings.CutPrefix(fmt.Sprintf("%s://%s%s", to.Scheme, to.Host, to.EscapedPath()), home+"/"); below {
			r.path = path
			if to.RawQuery != "" {
				r.query, _ = url.ParseQuery(to.RawQuery)
			}
			return &movedError{r}
		}
	}
	return refused
}
