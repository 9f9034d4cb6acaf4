package proxy

import (
	"slices"

	"github.com/valyala/fasthttp"
)

// exposed are the headers of answers that a browser's script may read.
const exposed = "X-Request-Id, X-Session-Id, Mcp-Session-Id, Retry-After, Retry-After-Ms, X-Should-Retry, " + routeHeader + ", " + expiryHeader

// allowOrigin lets a browser's script read the answer. Keys travel in a header that no browser sends by itself, so any
// origin may be let in.
func (s *Server) allowOrigin(fast *fasthttp.RequestCtx) bool {
	origin := string(fast.Request.Header.Peek(fasthttp.HeaderOrigin))
	if origin == "" || len(s.cfg.Origins) > 0 && !slices.Contains(s.cfg.Origins, origin) {
		return false
	}
	h := &fast.Response.Header
	h.Set(fasthttp.HeaderAccessControlAllowOrigin, origin)
	h.Set(fasthttp.HeaderAccessControlExposeHeaders, exposed)
	h.Add(fasthttp.HeaderVary, fasthttp.HeaderOrigin)
	return true
}

// preflight answers OPTIONS of a known address. It grants the headers that are asked for: OpenAI's clients add their own
// (x-stainless-…), a different set in each version.
func (s *Server) preflight(fast *fasthttp.RequestCtx) {
	h := &fast.Response.Header
	h.Set("X-Request-Id", requestID(fast))
	h.Set("X-Content-Type-Options", "nosniff")
	if s.allowOrigin(fast) {
		h.Set(fasthttp.HeaderAccessControlAllowMethods, string(h.Peek(fasthttp.HeaderAllow)))
		if asked := fast.Request.Header.Peek(fasthttp.HeaderAccessControlRequestHeaders); len(asked) > 0 {
			h.SetBytesV(fasthttp.HeaderAccessControlAllowHeaders, asked)
		}
		h.Set(fasthttp.HeaderAccessControlMaxAge, "600")
	}
	fast.SetStatusCode(fasthttp.StatusNoContent)
}
