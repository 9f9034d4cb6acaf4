package clients

import (
	"container/list"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Limit limits the open connections, because even an idle one takes 15 to 40 KiB. There is a limit for the
// process, and one for each address, so that one client cannot take all connections.
//
// If a limit is reached, a new connection replaces an idle one: the oldest on which no valid key was sent, or else the one
// that has been idle longest. So clients with many idle connections cannot keep others out.
type Limit struct {
	max           int                   // 0 means no limit
	maxPerAddress int                   // 0 means no limit
	trusted       func(netip.Addr) bool // reports whether an address is a trusted proxy's; these serve many clients and have no limit

	mu              sync.Mutex
	open            map[*Conn]struct{}
	byAddress       map[netip.Addr]int // address → connections
	unauthenticated unauthenticated
}

// unauthenticated are the connections on which no valid key was sent, the oldest first.
type unauthenticated struct {
	list.List
	elements map[*Conn]*list.Element
}

func (s *unauthenticated) remove(c *Conn) {
	if element := s.elements[c]; element != nil {
		s.List.Remove(element)
		delete(s.elements, c)
	}
}

func NewLimit(total, perAddress int, trusted func(netip.Addr) bool) *Limit {
	return &Limit{
		max: total, maxPerAddress: perAddress, trusted: trusted,
		open: map[*Conn]struct{}{}, byAddress: map[netip.Addr]int{},
		unauthenticated: unauthenticated{elements: map[*Conn]*list.Element{}},
	}
}

// add adds a connection. It returns nil if the limit is reached and no connection is idle.
func (l *Limit) add(tcp *net.TCPConn) *Conn {
	c := &Conn{TCPConn: tcp, limit: l}
	if peer, ok := tcp.RemoteAddr().(*net.TCPAddr); ok {
		if from := peer.AddrPort().Addr().Unmap(); !l.trusted(from) {
			c.address = Group(from)
		}
	}
	c.idleSince.Store(time.Now().UnixNano())
	l.mu.Lock()
	defer l.mu.Unlock()
	sameAddress := func(other *Conn) bool { return other.address == c.address }
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

func anyConn(*Conn) bool { return true }

// makeRoom closes an idle connection if there is one.
func (l *Limit) makeRoom() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.makeRoomLocked(anyConn)
}

func (l *Limit) makeRoomLocked(among func(*Conn) bool) bool {
	for element := l.unauthenticated.Front(); element != nil; element = element.Next() {
		if c := element.Value.(*Conn); among(c) && l.evictLocked(c) {
			return true
		}
	}
	var longest *Conn
	for c := range l.open {
		if c.state.Load() == connIdle && among(c) && (longest == nil || c.idleSince.Load() < longest.idleSince.Load()) {
			longest = c
		}
	}
	return longest != nil && l.evictLocked(longest)
}

// evictLocked closes a connection unless a request is running on it. The goroutine that reads from it then ends.
func (l *Limit) evictLocked(c *Conn) bool {
	if !c.state.CompareAndSwap(connIdle, connEvicted) {
		return false
	}
	l.removeLocked(c)
	_ = c.TCPConn.Close() // the connection is unusable even if this fails
	return true
}

// remove may be called more than once.
func (l *Limit) remove(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.removeLocked(c)
}

func (l *Limit) removeLocked(c *Conn) {
	if _, there := l.open[c]; !there {
		return
	}
	delete(l.open, c)
	l.unauthenticated.remove(c)
	if l.byAddress[c.address]--; l.byAddress[c.address] == 0 {
		delete(l.byAddress, c.address)
	}
}

// Group returns the part of an address that belongs to one client: the whole of an IPv4 address, but only the first
// 64 bits of an IPv6 address.
func Group(a netip.Addr) netip.Addr {
	if a.Is4() || !a.IsValid() {
		return a
	}
	p, err := a.Prefix(64)
	if err != nil {
		return a
	}
	return p.Addr()
}
