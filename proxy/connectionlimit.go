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
// valid key, or else the one that has been idle longest. So nobody is kept out by a client that opens many idle
// connections.
type connectionLimit struct {
	max           int                   // 0 means no limit
	maxPerAddress int                   // 0 means no limit
	trusted       func(netip.Addr) bool // reports a trusted proxy, which has many clients and no limit

	mu              sync.Mutex
	open            map[*clientConn]struct{}
	byAddress       map[netip.Addr]int // :: address → connections
	unauthenticated unauthenticated
}

// unauthenticated are the connections that have not sent a valid key, the oldest first.
type unauthenticated struct {
	ordered.List
	elements map[*clientConn]*ordered.Element
}

func (s *unauthenticated) remove(c *clientConn) {
	if place := s.elements[c]; place != nil {
		s.List.Remove(place)
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
func (h *connectionLimit) add(tcp *net.TCPConn) *clientConn {
	c := &clientConn{TCPConn: tcp, limit: h}
	if peer, ok := tcp.RemoteAddr().(*net.TCPAddr); ok {
		if from := peer.AddrPort().Addr().Unmap(); !h.trusted(from) {
			c.address = addressGroup(from)
		}
	}
	c.idleSince.Store(time.Now().UnixNano())
	h.mu.Lock()
	defer h.mu.Unlock()
	same := func(other *clientConn) bool { return other.address == c.address }
	if h.maxPerAddress > 0 && c.address.IsValid() && h.byAddress[c.address] >= h.maxPerAddress && !h.makeRoomLocked(same) {
		return nil
	}
	if h.max > 0 && len(h.open) >= h.max && !h.makeRoomLocked(anyone) {
		return nil
	}
	h.open[c] = struct{}{}
	h.byAddress[c.address]++
	h.unauthenticated.elements[c] = h.unauthenticated.PushBack(c)
	return c
}

func anyone(*clientConn) bool { return true }

// makeRoom closes an idle connection if there is one.
func (h *connectionLimit) makeRoom() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.makeRoomLocked(anyone)
}

func (h *connectionLimit) makeRoomLocked(among func(*clientConn) bool) bool {
	for place := h.unauthenticated.Front(); place != nil; place = place.Next() {
		if c := place.Value.(*clientConn); among(c) && h.evictLocked(c) {
			return true
		}
	}
	var longest *clientConn
	for c := range h.open {
		if c.state.Load() == connIdle && among(c) && (longest == nil || c.idleSince.Load() < longest.idleSince.Load()) {
			longest = c
		}
	}
	return longest != nil && h.evictLocked(longest)
}

// evictLocked closes a connection unless a request is underway. The goroutine that reads from it then ends.
func (h *connectionLimit) evictLocked(c *clientConn) bool {
	if !c.state.CompareAndSwap(connIdle, connEvicted) {
		return false
	}
	h.removeLocked(c)
	_ = c.TCPConn.Close() // the client is gone either way
	return true
}

// remove may be called more than once.
func (h *connectionLimit) remove(c *clientConn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.removeLocked(c)
}

func (h *connectionLimit) removeLocked(c *clientConn) {
	if _, there := h.open[c]; !there {
		return
	}
	delete(h.open, c)
	h.unauthenticated.remove(c)
	if h.byAddress[c.address]--; h.byAddress[c.address] == 0 {
		delete(h.byAddress, c.address)
	}
}
