package proxy

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
)

// address is the client's: that of the connection or, behind a trusted proxy, the last one in X-Forwarded-For that is not a
// trusted proxy's. The client may have written the rest of the header itself.
func (c *Config) address(fast *fasthttp.RequestCtx) netip.Addr {
	near, _ := netip.AddrFromSlice(fast.RemoteIP())
	near = near.Unmap()
	if len(c.Proxies) == 0 {
		return near
	}
	var hops []string
	for _, line := range fast.Request.Header.PeekAll(fasthttp.HeaderXForwardedFor) {
		hops = append(hops, strings.Split(string(line), ",")...)
	}
	for _, hop := range slices.Backward(hops) {
		if !c.trusts(near) {
			break
		}
		far, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		near = far.Unmap().WithZone("")
	}
	return near
}

func (c *Config) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(c.Proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// household is whose an address is: IPv6 gives each customer 64 bits of them.
func household(a netip.Addr) netip.Addr {
	if a.Is4() || !a.IsValid() {
		return a
	}
	p, err := a.Prefix(64)
	if err != nil {
		return a
	}
	return p.Addr()
}
