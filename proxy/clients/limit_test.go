package clients

import (
	"io"
	"net"
	"net/netip"
	"testing"
	"time"
)

// connPair returns both ends of a connection that was added to the limit. server is nil if it was refused.
func connPair(t *testing.T, h *Limit) (client net.Conn, server *Conn) {
	t.Helper()
	client, accepted := tcpPair(t)
	return client, h.add(accepted.(*net.TCPConn))
}

// closed reports whether the other end has closed the connection.
func closed(t *testing.T, c net.Conn) bool {
	t.Helper()
	must(t, c.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, err := c.Read(make([]byte, 1))
	return err == io.EOF //nolint:errorlint // Read does not wrap it
}

// Connections without a valid key are replaced first. Busy ones are never replaced.
func TestNewConnectionReplacesAnIdleOne(t *testing.T) {
	h := NewLimit(3, 0, func(netip.Addr) bool { return false })
	idleClient, idle := connPair(t, h)
	idle.MarkAuthenticated()
	busyClient, busy := connPair(t, h)
	busy.StartRequest()
	newClient, _ := connPair(t, h)
	if _, next := connPair(t, h); next == nil || !closed(t, newClient) || closed(t, idleClient) || closed(t, busyClient) {
		t.Fatal("the fourth connection did not replace the one without a valid key")
	} else {
		next.StartRequest()
	}
	if _, next := connPair(t, h); next == nil || !closed(t, idleClient) || closed(t, busyClient) {
		t.Fatal("the fifth connection did not replace the idle one")
	} else {
		next.StartRequest()
	}
	if _, next := connPair(t, h); next != nil {
		t.Error("a connection was accepted although all are busy")
	}
	if idle.StartRequest() {
		t.Error("a request started on an evicted connection")
	}
}

// There is no limit for trusted proxies.
func TestConnectionsAreLimitedPerAddress(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		h := NewLimit(10, 2, func(netip.Addr) bool { return trusted })
		for range 2 {
			_, c := connPair(t, h)
			c.StartRequest()
		}
		if _, third := connPair(t, h); (third != nil) != trusted {
			t.Errorf("trusted %v: third connection accepted: %v", trusted, third != nil)
		}
		_, last := connPair(t, h)
		if last != nil {
			last.Close()
		}
		if want := map[bool]int{false: 2, true: 3}[trusted]; len(h.open) != want {
			t.Errorf("trusted %v: %d connections open, want %d", trusted, len(h.open), want)
		}
	}
}

func TestIPv6AddressesAreGroupedBy64BitPrefix(t *testing.T) {
	if a, b := netip.MustParseAddr("2001:db8:1:2::7"), netip.MustParseAddr("2001:db8:1:2:ffff::9"); Group(a) != Group(b) {
		t.Errorf("%s and %s are different groups", Group(a), Group(b))
	}
}
