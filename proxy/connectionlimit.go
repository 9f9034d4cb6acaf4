package proxy

import (
	ordered "container/list" // this package has a type list
	"net"
	"net/netip"
	"sync"
	"time"
)

// connectionLimit limits the connections of the process in total, since an idle one takes 15 to 40 KiB, and per address, so
// that one client cannot take them all. A new connection beyond a limit replaces an idle one: the oldest that has sent no
// valid key, or else the one that has been idle longest. Many idle connections therefore keep no other client out.
type connectionLimit struct {
	max           int                   // 0 means no limit
	maxPerAddress int                   // 0 means no limit
	trusted       func(netip.Addr) bool // reports a trusted proxy, which has many clients and no limit

	mu              sync.Mutex
	open            map[*clientConn]struct{}
	byAddress       map[netip.Addr]int // address → connections
	unauthenticated unauthenticated
}

// unauthenticated are the connections that have not sent a valid key, the oldest first.
type unauthenticated struct {
	ordered.List
	elements map[*clientConn]*ordered.Element
}

func (s *unauthenticated) remove(c *clientConn) {
	if element := s.elements[c]; element != nil {
		s.List.Remove(element)
		delete(s.elements, c)
	}
}

func newConnectionLimit(total, perAddress int, trusted func(netip.Addr) bool) *connectionLimit {
	return &connectionLimit{
		max: total, maxPerAddress: perAddress, trusted: trusted,
		open: map[*clientConn]struct{}{}, byAddress: map[netip.Addr]int{},
		unauthenticated: unauthenticated{elements: map[*clientConn]*ordered.Element{}},
	}
}

// add adds a connection. It returns nil if there is no room and no idle connection to replace.
func (l *connectionLimit) add(tcp *net.TCPConn) *clientConn {
	c := &clientConn{TCPConn: tcp, limit: l}
	if peer, ok := tcp.RemoteAddr().(*net.TCPAddr); ok {
		if from := peer.AddrPort().Addr().Unmap(); !l.trusted(from) {
			c.address = addressGroup(from)
		}
	}
	c.idleSince.Store(time.Now().UnixNano())
	l.mu.Lock()
	defer l.mu.Unlock()
	sameAddress := func(other *clientConn) bool { return other.address == c.address }
	if l.maxPerAddress > 0 && c.address.IsValid() && l.byAddress[c.address] >= l.maxPerAddress && !l.makeRoomLocked(sameAddress) {
		return nil
	}
	if l.max > 0 && len(l.open) >= l.max && !l.makeRoomLocked(anyConn) {
		return nil
	}
	l.open[c] = struct{}{}
	l.byAddress[c.address]++
	l.unauthenticated.elements[c] = l.unauthenticated.PushBack(c)
	return c
}

func anyConn(*clientConn) bool { return true }

// makeRoom closes an idle connection if there is one.
func (l *connectionLimit) makeRoom() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.makeRoomLocked(anyConn)
}

func (l *connectionLimit) makeRoomLocked(among func(*clientConn) bool) bool {
	for element := l.unauthenticated.Front(); element != nil; element = element.Next() {
		if c := element.Value.(*clientConn); among(c) && l.evictLocked(c) {
			return true
		}
	}
	var longest *clientConn
	for c := range l.open {
		if c.state.Load() == connIdle && among(c) && (longest == nil || c.idleSince.Load() < longest.idleSince.Load()) {
			longest = c
		}
	}
	return longest != nil && l.evictLocked(longest)
}

// evictLocked closes a connection unless a request is running. The goroutine that reads from it then ends.
func (l *connectionLimit) evictLocked(c *clientConn) bool {
	if !c.state.CompareAndSwap(connIdle, connEvicted) {
		return false
	}
	l.removeLocked(c)
	_ = c.TCPConn.Close() // the connection is unusable even if this fails
	return true
}

// remove may be called more than once.
func (l *connectionLimit) remove(c *clientConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.removeLocked(c)
}

func (l *connectionLimit) removeLocked(c *clientConn) {
	if _, there := l.open[c]; !there {
		return
	}
	delete(l.open, c)
	l.unauthenticated.remove(c)
	if l.byAddress[c.address]--; l.byAddress[c.address] == 0 {
		delete(l.byAddress, c.address)
	}
}
