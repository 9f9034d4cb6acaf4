package proxy

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
)

// address returns the client's address: the connection's or, behind trusted proxies, the last one in X-Forwarded-For that
// is not a trusted proxy's. The client may have written the rest of the header itself.
func (c *Config) address(fast *fasthttp.RequestCtx) netip.Addr {
	near, _ := netip.AddrFromSlice(fast.RemoteIP())
	near = near.Unmap()
	if len(c.TrustedProxies) == 0 {
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
	return slices.ContainsFunc(c.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// addressGroup returns the part of an address that identifies its owner: an IPv6 customer has 64 bits of addresses.
func addressGroup(a netip.Addr) netip.Addr {
	if a.Is4() || !a.IsValid() {
		return a
	}
	p, err := a.Prefix(64)
	if err != nil {
		return a
	}
	return p.Addr()
}
