package proxy

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
)

// address returns the client's address. This is the connection's address, unless the connection comes from a trusted proxy.
// Then it is the last address in X-Forwarded-For that is not a trusted proxy's. Addresses before that cannot be trusted,
// because the client may have written them.
func (c *Config) address(fast *fasthttp.RequestCtx) netip.Addr {
	client, _ := netip.AddrFromSlice(fast.RemoteIP())
	client = client.Unmap()
	if len(c.TrustedProxies) == 0 {
		return client
	}
	var hops []string
	for _, line := range fast.Request.Header.PeekAll(fasthttp.HeaderXForwardedFor) {
		hops = append(hops, strings.Split(string(line), ",")...)
	}
	for _, hop := range slices.Backward(hops) {
		if !c.trusts(client) {
			break
		}
		previous, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		client = previous.Unmap().WithZone("")
	}
	return client
}

// trusts reports whether an address is a trusted proxy's.
func (c *Config) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(c.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(a) })
}
