package main

import (
	"net/http"
	"testing"
)

// The requests that the demo itself makes do not count against the key that it prints.
func TestDemoKeyHasItsFullQuota(t *testing.T) {
	const bound = 10
	d := runDemo(t, nil, func(c *serveCommand) { c.KeyRequests = bound })
	for n := range bound + 1 {
		res, _, err := send(t.Context(), "GET", d.url+"/api/v1/caller", d.secret, nil, nil)
		must(t, err)
		if want := map[bool]int{true: http.StatusOK, false: http.StatusTooManyRequests}[n < bound]; res.StatusCode != want {
			t.Errorf("request %d of the first minute: %s, want %d", n+1, res.Status, want)
		}
	}
}
