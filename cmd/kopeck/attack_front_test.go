//go:build linux

package main

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// addresses are those that an attacker has, 127.0.0.1 to 127.0.0.4: together they may hold all connections.
var addresses = []byte{1, 2, 3, 4}

// Bodies that are announced and never come, without a key: memory grows with what arrives.
func TestAttackBodiesThatAreAnnouncedOnly(t *testing.T) {
	filesFor(t, 4000)
	a := besiege(t)
	for _, from := range addresses {
		a.connections(from, 750, a.head("POST", "/v1/chat/completions", "Content-Type: application/json", "Content-Length: 4194304")+"{")
	}
	a.unharmed()
}

// Connections that say nothing, and others that never end their head.
func TestAttackTenThousandIdleConnections(t *testing.T) {
	filesFor(t, 12_000)
	a := besiege(t)
	for _, from := range addresses {
		a.connections(from, 1250, "")
		a.connections(from, 1250, "GET /api/v1/caller HTTP/1.1\r\nHost: kopeck\r\nX-Filling: "+strings.Repeat("x", 15<<10))
	}
	a.unharmed()
}

// Connections that have shown a right key and rest.
func TestAttackConnectionsThatRestWithAKey(t *testing.T) {
	filesFor(t, 4000)
	a := besiege(t)
	for _, from := range addresses {
		a.connections(from, 750, a.head("GET", "/api/v1/caller", a.withKey()))
	}
	a.unharmed()
}

// Bodies of many organizations that come slowly: what they hold together is bounded, and so is how many there are.
func TestAttackSlowBodiesOfManyOrganizations(t *testing.T) {
	filesFor(t, 4000)
	a := besiege(t)
	for i, from := range addresses {
		other := a.register("Other", a.Sandbox)
		part := `{"model":"kopeck","messages":[{"role":"user","content":"` + strings.Repeat("x", 10+i*(100<<10))
		a.connections(from, 750, a.head("POST", "/v1/chat/completions", "Authorization: Bearer "+other.secret, "Content-Type: application/json", "Content-Length: 4000000")+part)
	}
	a.unharmed()
}

// Bodies in chunks that never end, with a key and without.
func TestAttackChunksWithoutEnd(t *testing.T) {
	a := besiege(t)
	chunk := "10000\r\n" + strings.Repeat(" ", 0x10000) + "\r\n"
	var sending sync.WaitGroup
	for _, key := range []string{a.withKey(), "X-Key: none"} {
		for _, c := range a.connections(1, 20, a.head("POST", "/v1/chat/completions", key, "Content-Type: application/json", "Transfer-Encoding: chunked")) {
			sending.Go(func() {
				_ = c.SetDeadline(time.Now().Add(attackTime / 2))
				for range 10_000 { // it is closed long before
					if _, err := c.Write([]byte(chunk)); err != nil {
						return
					}
				}
				t.Error("600 MB of a body were taken")
			})
		}
	}
	a.unharmed()
	sending.Wait()
	a.unharmed()
}

// Long bodies that are whole and valid, of many organizations at once.
func TestAttackLongBodiesOfManyOrganizations(t *testing.T) {
	a := besiege(t)
	body := `{"model":"kopeck","messages":[{"role":"user","content":"` + strings.Repeat("x", 3<<20) + `"}],"temperature":"warm"}`
	client := &http.Client{Timeout: attackTime, Transport: &http.Transport{DisableKeepAlives: true}}
	var sending sync.WaitGroup
	for range 6 {
		other := a.register("Other", a.Sandbox)
		for range 10 {
			sending.Go(func() {
				req, _ := http.NewRequest(http.MethodPost, a.url("/v1/chat/completions"), strings.NewReader(body))
				req.Header.Set("Authorization", "Bearer "+other.secret)
				if res, err := client.Do(req); err == nil {
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
			})
		}
	}
	a.unharmed()
	sending.Wait()
	a.unharmed()
}

// Requests one behind the other whose answers nobody reads.
func TestAttackPipelinesThatNobodyReads(t *testing.T) {
	a := besiege(t)
	for _, request := range []string{a.head("GET", "/api/v1/tools", a.withKey()), a.head("GET", "/openapi.json"), a.head("GET", "/v1/models")} {
		for _, c := range a.connections(1, 50, strings.Repeat(request, 50)) {
			_ = c.SetWriteDeadline(time.Now().Add(time.Second))
			_, _ = c.Write([]byte(strings.Repeat(request, 2000))) // until nothing more is taken
		}
	}
	a.unharmed()
}
