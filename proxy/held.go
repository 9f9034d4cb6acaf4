package proxy

import (
	ordered "container/list" // list is a type of this package
	"net"
	"net/netip"
	"sync"
	"time"
)

// held are the connections of the process, within two bounds: in all, since an idle one holds 15 to 40 KiB, and per address,
// so that one client cannot take all places. A new connection without room replaces an idle one: the oldest that has shown no
// valid key, else the one that has been idle longest. A client that opens many idle connections therefore keeps nobody out.
type held struct {
	most      int                   // 0 is no bound
	ofAddress int                   // 0 is no bound
	trusts    func(netip.Addr) bool // a proxy's address, which has many clients and no bound

	mu        sync.Mutex
	all       map[*gentleConn]struct{}
	addresses map[netip.Addr]int // :: address → connections
	strangers strangers
}

// strangers are connections that have shown no valid key yet, the oldest first.
type strangers struct {
	ordered.List
	places map[*gentleConn]*ordered.Element
}

func (s *strangers) remove(c *gentleConn) {
	if place := s.places[c]; place != nil {
		s.List.Remove(place)
		delete(s.places, c)
	}
}

func newHeld(most, ofAddress int, trusts func(netip.Addr) bool) *held {
	return &held{most: most, ofAddress: ofAddress, trusts: trusts, all: map[*gentleConn]struct{}{}, addresses: map[netip.Addr]int{},
		strangers: strangers{places: map[*gentleConn]*ordered.Element{}}}
}

// enter takes a connection in; nil when all others that would have to go are busy.
func (h *held) enter(tcp *net.TCPConn) *gentleConn {
	c := &gentleConn{TCPConn: tcp, held: h}
	if peer, ok := tcp.RemoteAddr().(*net.TCPAddr); ok {
		if from := peer.AddrPort().Addr().Unmap(); !h.trusts(from) {
			c.from = household(from)
		}
	}
	c.rested.Store(time.Now().UnixNano())
	h.mu.Lock()
	defer h.mu.Unlock()
	same := func(other *gentleConn) bool { return other.from == c.from }
	if h.ofAddress > 0 && c.from.IsValid() && h.addresses[c.from] >= h.ofAddress && !h.makeRoomLocked(same) {
		return nil
	}
	if h.most > 0 && len(h.all) >= h.most && !h.makeRoomLocked(anyone) {
		return nil
	}
	h.all[c] = struct{}{}
	h.addresses[c.from]++
	h.strangers.places[c] = h.strangers.PushBack(c)
	return c
}

func anyone(*gentleConn) bool { return true }

// makeRoom closes an idle connection if there is one.
func (h *held) makeRoom() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.makeRoomLocked(anyone)
}

func (h *held) makeRoomLocked(among func(*gentleConn) bool) bool {
	for place := h.strangers.Front(); place != nil; place = place.Next() {
		if c := place.Value.(*gentleConn); among(c) && h.evictLocked(c) {
			return true
		}
	}
	var longest *gentleConn
	for c := range h.all {
		if c.state.Load() == resting && among(c) && (longest == nil || c.rested.Load() < longest.rested.Load()) {
			longest = c
		}
	}
	return longest != nil && h.evictLocked(longest)
}

// evictLocked closes a connection unless a request is under way. The goroutine that reads from it finds out and ends.
func (h *held) evictLocked(c *gentleConn) bool {
	if !c.state.CompareAndSwap(resting, evicted) {
		return false
	}
	h.leaveLocked(c)
	_ = c.TCPConn.Close() // nobody can be told
	return true
}

// leave may be called again.
func (h *held) leave(c *gentleConn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leaveLocked(c)
}

func (h *held) leaveLocked(c *gentleConn) {
	if _, there := h.all[c]; !there {
		return
	}
	delete(h.all, c)
	h.strangers.remove(c)
	if h.addresses[c.from]--; h.addresses[c.from] == 0 {
		delete(h.addresses, c.from)
	}
}
