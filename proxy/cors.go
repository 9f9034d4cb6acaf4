package proxy

import (
	"slices"

	"github.com/valyala/fasthttp"
)

// exposedHeaders are the response headers that scripts in a browser may read.
const exposedHeaders = "X-Request-Id, X-Session-Id, Mcp-Session-Id, Retry-After, Retry-After-Ms, X-Should-Retry, " +
	"X-Ratelimit-Limit-Requests, X-Ratelimit-Remaining-Requests, X-Ratelimit-Reset-Requests, " +
	"X-Ratelimit-Limit-Tokens, X-Ratelimit-Remaining-Tokens, X-Ratelimit-Reset-Tokens, " +
	routeHeader + ", " + cacheHeader + ", " + expiryHeader

// allowOrigin lets scripts of the request's origin read the response. All origins can be allowed, because browsers never
// send the Authorization header by themselves.
func (s *Server) allowOrigin(fast *fasthttp.RequestCtx) bool {
	origin := string(fast.Request.Header.Peek(fasthttp.HeaderOrigin))
	if origin == "" || len(s.cfg.Origins) > 0 && !slices.Contains(s.cfg.Origins, origin) {
		return false
	}
	h := &fast.Response.Header
	h.Set(fasthttp.HeaderAccessControlAllowOrigin, origin)
	h.Set(fasthttp.HeaderAccessControlExposeHeaders, exposedHeaders)
	h.Add(fasthttp.HeaderVary, fasthttp.HeaderOrigin)
	return true
}

// preflight responds to OPTIONS for known paths. It allows any requested headers, because each version of OpenAI's clients
// sends different ones (x-stainless-…).
func (s *Server) preflight(fast *fasthttp.RequestCtx) {
	h := &fast.Response.Header
	h.Set("X-Request-Id", requestID(fast))
	h.Set("X-Content-Type-Options", "nosniff")
	if s.allowOrigin(fast) {
		h.Set(fasthttp.HeaderAccessControlAllowMethods, string(h.Peek(fasthttp.HeaderAllow)))
		if requested := fast.Request.Header.Peek(fasthttp.HeaderAccessControlRequestHeaders); len(requested) > 0 {
			h.SetBytesV(fasthttp.HeaderAccessControlAllowHeaders, requested)
		}
		h.Set(fasthttp.HeaderAccessControlMaxAge, "600")
	}
	fast.SetStatusCode(fasthttp.StatusNoContent)
}
