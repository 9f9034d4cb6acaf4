//go:build linux

package main

import (
	"testing"
)

// Connections that say nothing, and others that never end their head.
func TestAttackTenThousandIdleConnections(t *testing.T) {
	filesFor(t, 12_000)
	a := besiege(t)
	a.connections(1, 5000, "")
	a.connections(1, 5000, "GET /api/v1/caller HTTP/1.1\r\nHost: kopeck\r\nX-Filling: ")
	a.unharmed()
}
