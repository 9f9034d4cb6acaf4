package proxy

import (
	"net/http"
	"strings"
	"testing"
)

func TestConsoleIsServedWithAStrictPolicy(t *testing.T) {
	h := newHarness(t, setup{})
	for path, want := range map[string]string{
		"/":                   "text/html; charset=utf-8",
		"/console/app.js":     "text/javascript; charset=utf-8",
		"/console/words.json": "application/json",
	} {
		got := h.do("GET", path, "", http.Header{"Authorization": {""}, "Accept-Encoding": {"identity"}})
		if got.status != http.StatusOK || got.header.Get("Content-Type") != want {
			t.Errorf("%s: %d, %q", path, got.status, got.header.Get("Content-Type"))
		}
		policy := map[string]string{}
		for directive := range strings.SplitSeq(got.header.Get("Content-Security-Policy"), "; ") {
			name, value, _ := strings.Cut(directive, " ")
			policy[name] = value
		}
		for name, value := range map[string]string{
			"default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "connect-src": "'self'", "img-src": "'self'",
			"base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'",
		} {
			if policy[name] != value {
				t.Errorf("%s: %s is %q", path, name, policy[name])
			}
		}
		for name, value := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache",
		} {
			if got.header.Get(name) != value {
				t.Errorf("%s: %s is %q", path, name, got.header.Get(name))
			}
		}
	}
}

func TestConsoleFilesAreCompressedAndCached(t *testing.T) {
	h := newHarness(t, setup{})
	get := func(path string, header http.Header) reply {
		header.Set("Authorization", "")
		return h.do("GET", path, "", header)
	}
	plain := get("/console/app.js", http.Header{"Accept-Encoding": {"identity"}})
	small := get("/console/app.js", http.Header{"Accept-Encoding": {"gzip"}})
	if small.header.Get("Content-Encoding") != "gzip" || len(small.body) >= len(plain.body) || small.header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("compressed %q, %d bytes of %d, Vary %q", small.header.Get("Content-Encoding"), len(small.body), len(plain.body),
			small.header.Get("Vary"))
	}
	if plain.header.Get("ETag") == small.header.Get("ETag") {
		t.Error("both encodings have the same ETag")
	}
	again := get("/console/app.js", http.Header{"Accept-Encoding": {"gzip"}, "If-None-Match": {small.header.Get("ETag")}})
	if again.status != http.StatusNotModified || len(again.body) != 0 {
		t.Errorf("with If-None-Match: %d, %d bytes", again.status, len(again.body))
	}
	if got := get("/console/nothing.js", http.Header{}); got.status != http.StatusNotFound {
		t.Errorf("an unknown file: %d", got.status)
	}
}
