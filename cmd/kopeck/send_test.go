package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"
)

// send sends a request as any client does, and reads the answer. A body that is a string or bytes is sent unchanged, any
// other one as JSON. Without a key there is no Authorization header.
func send(
	ctx context.Context, method, url, key string, body any, header map[string]string,
) (res *http.Response, answer []byte, err error) {
	var text []byte
	switch b := body.(type) {
	case nil:
	case string:
		text = []byte(b)
	case []byte:
		text = b
	default:
		if text, err = json.Marshal(body); err != nil {
			return nil, nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if len(text) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	if res, err = http.DefaultClient.Do(req); err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(res.Body)
	return res, answer, err
}

// fetch returns a page that needs no key.
func fetch(t *testing.T, url string) string {
	t.Helper()
	_, text, err := send(t.Context(), "GET", url, "", nil, nil)
	must(t, err)
	return string(text)
}

// isReady reports whether the service at an address is ready.
func isReady(ctx context.Context, address string) bool {
	res, _, err := send(ctx, "GET", "http://"+address+"/readyz", "", nil, nil)
	return err == nil && res.StatusCode == http.StatusOK
}

// testMasterKey is the master key of services in tests.
const testMasterKey = "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA="

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
