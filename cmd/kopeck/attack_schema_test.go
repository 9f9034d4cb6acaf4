//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// requireFastStatus sends a request with the valid key. It fails the test unless one of three attempts is answered with
// this status, and as fast as is required under attack. Single attempts may be slow because other tests use the machine
// too.
func (a *target) requireFastStatus(status int, path, body string) string {
	a.Helper()
	answer, got, took := a.post(path, body)
	for try := 1; try < 3 && took > answerUnderAttack; try++ {
		answer, got, took = a.post(path, body)
	}
	if got != status || took > answerUnderAttack {
		a.Errorf("%s with %.80s: %d after %s; want %d\n%.300s", path, body, got, took, status, answer)
	}
	return answer
}

// post sends a request with the valid key.
func (a *target) post(path, body string) (answer string, status int, took time.Duration) {
	a.Helper()
	ctx, cancel := context.WithTimeout(a.Context(), attackTime)
	defer cancel()
	began := time.Now()
	res, text, err := send(ctx, "POST", a.url(path), a.secret, body, map[string]string{"Accept": "application/json, text/event-stream"})
	if err != nil {
		a.Fatalf("%s with %.80s: %v", path, body, err)
	}
	return string(text), res.StatusCode, time.Since(began)
}

// The bodies contain numbers with huge exponents, numbers with millions of digits, deep nesting, or millions of small
// values.
func TestAttackNumbersAndManyValues(t *testing.T) {
	a := startTarget(t)
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
		answer := a.requireFastStatus(http.StatusBadRequest, "/v1/chat/completions", body)
		if len(answer) > 4<<10 {
			t.Errorf("%.80s: the answer has %d bytes", body, len(answer))
		}
	}
	a.requireFastStatus(http.StatusBadRequest, "/api/v1/connectors/moysklad/gateway/entity/purchaseorder", `{"sum":1e1000001}`)
	a.requireResponsive()
}

// The body contains as many mistakes as possible.
func TestAttackManyMistakes(t *testing.T) {
	a := startTarget(t)
	var fields strings.Builder
	for i := range 190_000 {
		fmt.Fprintf(&fields, `"f%d":1,`, i)
	}
	a.requireFastStatus(http.StatusBadRequest, "/api/v1/webhooks", `{`+fields.String()+`"url":7}`)
	a.requireFastStatus(http.StatusBadRequest, "/v1/chat/completions", `{"model":"kopeck","messages":[`+strings.Repeat("7,", 190_000)+`8]}`)
	a.requireResponsive()
}

// In the first schema, each level doubles the work of validation, although its text has only two kilobytes. The second
// schema is large.
func TestAttackSchemas(t *testing.T) {
	a := startTarget(t)
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
	a.requireFastStatus(http.StatusBadRequest, "/v1/chat/completions", ask(`{"type":"object","properties":{`+properties.String()+`"p":{}}}`))
	a.requireFastStatus(http.StatusOK, "/v1/chat/completions", ask(`{"$ref":"#/$defs/d0","$defs":{`+nested.String()+`"d24":{"type":"string"}}}`))
	a.requireResponsive()
}

// A batch may have at most 20 calls. A batch of a thousand is refused. Each call of a valid batch counts against the key's
// limit.
func TestAttackBatches(t *testing.T) {
	a := startTarget(t, "KOPECK_KEY_REQUESTS=60")
	batch := func(calls int) string {
		const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"calculate","arguments":{"expression":"6*7"}}}`
		all := make([]string, calls)
		for i := range all {
			all[i] = fmt.Sprintf(call, i+1)
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	a.requireFastStatus(http.StatusBadRequest, "/mcp", batch(1000))
	a.requireFastStatus(http.StatusOK, "/mcp", batch(20))
	a.requireFastStatus(http.StatusOK, "/mcp", batch(20))
	a.requireFastStatus(http.StatusTooManyRequests, "/mcp", batch(20))
}
