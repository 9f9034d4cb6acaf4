//go:build linux

package main

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"
)

// addresses are the last bytes of the attacker's addresses, 127.0.0.1 to 127.0.0.4. Together they can open all connections
// that the process allows.
var addresses = []byte{1, 2, 3, 4}

// Requests without a key announce bodies that never arrive. Memory may grow only with what has arrived.
func TestAttackMissingBodies(t *testing.T) {
	allowOpenFiles(t, 4000)
	a := startTarget(t)
	for _, from := range addresses {
		a.connections(from, 750, a.head("POST", "/v1/chat/completions", "Content-Type: application/json", "Content-Length: 4194304")+"{")
	}
	a.requireResponsive()
}

// Ten thousand connections send nothing, or headers that never end.
func TestAttackIdleConnections(t *testing.T) {
	allowOpenFiles(t, 12_000)
	a := startTarget(t)
	for _, from := range addresses {
		a.connections(from, 1250, "")
		a.connections(from, 1250, "GET /api/v1/caller HTTP/1.1\r\nHost: kopeck\r\nX-Filling: "+strings.Repeat("x", 15<<10))
	}
	a.requireResponsive()
}

// Each connection sends a request with a valid key, and then nothing more.
func TestAttackIdleConnectionsWithKey(t *testing.T) {
	allowOpenFiles(t, 4000)
	a := startTarget(t)
	for _, from := range addresses {
		a.connections(from, 750, a.head("GET", "/api/v1/caller", a.authorization()))
	}
	a.requireResponsive()
}

// Bodies of many organizations arrive slowly. Their number and their total memory are limited.
func TestAttackSlowBodies(t *testing.T) {
	allowOpenFiles(t, 4000)
	a := startTarget(t)
	for i, from := range addresses {
		other := a.register("Other", a.Sandbox)
		part := `{"model":"kopeck","messages":[{"role":"user","content":"` + strings.Repeat("x", 10+i*(100<<10))
		a.connections(from, 750, a.head("POST", "/v1/chat/completions", "Authorization: Bearer "+other.secret, "Content-Type: application/json", "Content-Length: 4000000")+part)
	}
	a.requireResponsive()
}

// Chunked bodies never end. They are sent with a valid key and without one.
func TestAttackEndlessChunks(t *testing.T) {
	a := startTarget(t)
	chunk := "10000\r\n" + strings.Repeat(" ", 0x10000) + "\r\n"
	var sending sync.WaitGroup
	for _, key := range []string{a.authorization(), "X-Key: none"} {
		for _, c := range a.connections(1, 20, a.head("POST", "/v1/chat/completions", key, "Content-Type: application/json", "Transfer-Encoding: chunked")) {
			sending.Go(func() {
				_ = c.SetDeadline(time.Now().Add(attackTime / 2))
				for range 10_000 { // the connection is closed long before
					if _, err := c.Write([]byte(chunk)); err != nil {
						return
					}
				}
				t.Error("600 MB of a body were accepted")
			})
		}
	}
	a.requireResponsive()
	sending.Wait()
	a.requireResponsive()
}

// Many organizations send long valid bodies at the same time.
func TestAttackLongBodies(t *testing.T) {
	a := startTarget(t)
	body := `{"model":"kopeck","messages":[{"role":"user","content":"` + strings.Repeat("x", 3<<20) + `"}],"temperature":"warm"}`
	ctx, cancel := context.WithTimeout(t.Context(), attackTime)
	defer cancel()
	var sending sync.WaitGroup
	for range 6 {
		other := a.register("Other", a.Sandbox)
		for range 10 {
			sending.Go(func() {
				_, _, _ = send(ctx, "POST", a.url("/v1/chat/completions"), other.secret, body, nil) // most of them are refused
			})
		}
	}
	a.requireResponsive()
	sending.Wait()
	a.requireResponsive()
}

// Clients pipeline requests and never read the answers.
func TestAttackUnreadPipelines(t *testing.T) {
	a := startTarget(t)
	for _, request := range []string{a.head("GET", "/api/v1/tools", a.authorization()), a.head("GET", "/openapi.json"), a.head("GET", "/v1/models")} {
		for _, c := range a.connections(1, 50, strings.Repeat(request, 50)) {
			_ = c.SetWriteDeadline(time.Now().Add(time.Second))
			_, _ = c.Write([]byte(strings.Repeat(request, 2000))) // blocks or fails once the service stops reading
		}
	}
	a.requireResponsive()
}
