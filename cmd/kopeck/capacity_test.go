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
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+"/api/v1/caller", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+d.secret)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if want := map[bool]int{true: http.StatusOK, false: http.StatusTooManyRequests}[n < bound]; res.StatusCode != want {
			t.Errorf("request %d of the first minute: %s, want %d", n+1, res.Status, want)
		}
	}
}
