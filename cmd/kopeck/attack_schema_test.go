//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// quickly sends a request with the good key, and wants this status within the time that any answer has under attack.
func (a *target) quickly(status int, path, body string) string {
	a.Helper()
	ctx, cancel := context.WithTimeout(a.Context(), attackTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url(path), strings.NewReader(body))
	if err != nil {
		a.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+a.secret)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	began := time.Now()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		a.Fatalf("%s with %.80s: %v", path, body, err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if took := time.Since(began); err != nil || res.StatusCode != status || took > answerUnderAttack {
		a.Errorf("%s with %.80s: %s after %s, %v; want %d\n%.300s", path, body, res.Status, took, err, status, answer)
	}
	return string(answer)
}

// Numbers that a few characters make long, numbers that are long, and a body of nothing but small values.
func TestAttackNumbersAndManyValues(t *testing.T) {
	a := besiege(t)
	chat := func(field string) string {
		return `{"model":"kopeck","messages":[{"role":"user","content":"Hello"}],` + field + `}`
	}
	for _, body := range []string{
		chat(`"temperature":1e1000001`),
		chat(`"temperature":` + strings.Repeat("1", 3_000_000)),
		chat(`"metadata":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)),
		chat(`"tools":[` + strings.Repeat("{},", 1_300_000) + `{}]`),
		`[` + strings.Repeat("0,", 2_000_000) + `0]`,
	} {
		answer := a.quickly(http.StatusBadRequest, "/v1/chat/completions", body)
		if len(answer) > 4<<10 {
			t.Errorf("%.80s: the answer has %d bytes", body, len(answer))
		}
	}
	a.quickly(http.StatusBadRequest, "/api/v1/connectors/moysklad/gateway/entity/purchaseorder", `{"sum":1e1000001}`)
	a.unharmed()
}

// A body with as many mistakes as fit.
func TestAttackManyMistakes(t *testing.T) {
	a := besiege(t)
	var fields strings.Builder
	for i := range 190_000 {
		fmt.Fprintf(&fields, `"f%d":1,`, i)
	}
	a.quickly(http.StatusBadRequest, "/api/v1/webhooks", `{`+fields.String()+`"url":7}`)
	a.quickly(http.StatusBadRequest, "/v1/chat/completions", `{"model":"kopeck","messages":[`+strings.Repeat("7,", 190_000)+`8]}`)
	a.unharmed()
}

// A schema of two kilobytes whose validation doubles with each of its levels, and schemas that are large.
func TestAttackSchemas(t *testing.T) {
	a := besiege(t)
	ask := func(schema string) string {
		return `{"model":"kopeck","messages":[{"role":"user","content":"How much cash is there?"}],"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":` + schema + `}}}`
	}
	var nested, properties strings.Builder
	for i := range 24 {
		fmt.Fprintf(&nested, `"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	for i := range 60_000 {
		fmt.Fprintf(&properties, `"p%d":{},`, i)
	}
	a.quickly(http.StatusBadRequest, "/v1/chat/completions", ask(`{"type":"object","properties":{`+properties.String()+`"p":{}}}`))
	a.quickly(http.StatusOK, "/v1/chat/completions", ask(`{"$ref":"#/$defs/d0","$defs":{`+nested.String()+`"d24":{"type":"string"}}}`))
	a.unharmed()
}

// A batch of a thousand calls in one request, and batches of as many as may be.
func TestAttackBatches(t *testing.T) {
	a := besiege(t, "KOPECK_KEY_REQUESTS=60")
	batch := func(calls int) string {
		const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"calculate","arguments":{"expression":"6*7"}}}`
		all := make([]string, calls)
		for i := range all {
			all[i] = fmt.Sprintf(call, i+1)
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	a.quickly(http.StatusBadRequest, "/mcp", batch(1000))
	a.quickly(http.StatusOK, "/mcp", batch(20))
	a.quickly(http.StatusOK, "/mcp", batch(20))
	a.quickly(http.StatusTooManyRequests, "/mcp", batch(20))
}
