package databasetest

import (
	"net"
	"sync"
	"testing"
)

// Link forwards connections to a server. It can stop forwarding without closing the connections, like a broken network.
type Link struct {
	listener      net.Listener
	network, goal string

	mu     sync.Mutex
	healed chan struct{} // closed when a cut link is healed; nil while the link is not cut
	ended  bool
	ends   []net.Conn
}

// Forward opens a link to a server and closes it when the test ends.
func Forward(t testing.TB, network, address string) *Link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{listener: listener, network: network, goal: address}
	go l.accept()
	t.Cleanup(l.close)
	return l
}

// Address returns the address of the link, 127.0.0.1:PORT.
func (l *Link) Address() string { return l.listener.Addr().String() }

// Cut stops forwarding in both directions.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.healed == nil {
		l.healed = make(chan struct{})
	}
}

// Heal continues forwarding, beginning with the data that arrived while the link was cut.
func (l *Link) Heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.healed != nil {
		close(l.healed)
		l.healed = nil
	}
}

func (l *Link) close() {
	l.listener.Close()
	l.Heal()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	for _, end := range l.ends {
		end.Close()
	}
}

func (l *Link) accept() {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		go l.connect(near)
	}
}

func (l *Link) connect(near net.Conn) {
	if !l.track(near) {
		return
	}
	l.waitUntilHealed()
	far, err := net.Dial(l.network, l.goal)
	if err != nil || !l.track(far) {
		near.Close()
		return
	}
	go l.copyData(far, near)
	l.copyData(near, far)
}

// track adds a connection to those that are closed with the link. If the link is already closed, it closes the connection
// and returns false.
func (l *Link) track(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		conn.Close()
		return false
	}
	l.ends = append(l.ends, conn)
	return true
}

func (l *Link) copyData(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		l.waitUntilHealed()
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// waitUntilHealed returns at once if the link is not cut.
func (l *Link) waitUntilHealed() {
	l.mu.Lock()
	healed := l.healed
	l.mu.Unlock()
	if healed != nil {
		<-healed
	}
}
