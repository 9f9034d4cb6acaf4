package databasetest

import (
	"net"
	"sync"
	"testing"
)

// Link is a way to a server that can be cut as a network is: what is sent is swallowed, and nobody is told.
type Link struct {
	listener      net.Listener
	network, goal string

	mu     sync.Mutex
	healed chan struct{} // open while the link is cut, nil while it is not
	ended  bool
	ends   []net.Conn
}

// Forward opens a link to a server, at an address of its own. It is closed when the test ends.
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

// Address is where the link begins: 127.0.0.1:PORT.
func (l *Link) Address() string { return l.listener.Addr().String() }

// Cut stops the link from carrying anything, either way.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.healed == nil {
		l.healed = make(chan struct{})
	}
}

// Heal lets it carry again, what was held up included.
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
	if !l.keep(near) {
		return
	}
	l.open()
	far, err := net.Dial(l.network, l.goal)
	if err != nil || !l.keep(far) {
		near.Close()
		return
	}
	go l.carry(far, near)
	l.carry(near, far)
}

// keep remembers a connection to close; it is closed at once when the link is.
func (l *Link) keep(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		conn.Close()
		return false
	}
	l.ends = append(l.ends, conn)
	return true
}

func (l *Link) carry(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		l.open()
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

// open waits until the link carries.
func (l *Link) open() {
	l.mu.Lock()
	healed := l.healed
	l.mu.Unlock()
	if healed != nil {
		<-healed
	}
}
