package proxy

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"time"

	"github.com/kopeck/kopeck/schemas/cache"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/proxy/routing"
	"github.com/kopeck/kopeck/schemas/openai"
)

// The limits of the cache.
const (
	maxCacheBytes      = 64 << 20 // bytes in total
	maxCachedResponse  = 1 << 20  // bytes per response
	cacheEntryOverhead = 512      // bytes per entry in addition to the text
)

// cacheHeader is "hit" if the response comes from the cache and "miss" if it comes from the model. It is absent if the
// request cannot be cached.
const cacheHeader = "X-Kopeck-Cache"

// cacheKey contains everything that a response can depend on, and the organization, because no organization may get a
// response that another has paid for.
type cacheKey struct {
	organization string
	model        *models.Model // from the current models file: after a reload, old entries are no longer found
	path         provider.Path
	headers      string
	body         [sha256.Size]byte
}

// cachedResponse is a model's response to a repeatable request.
type cachedResponse struct {
	contentType string
	route       string
	text        []byte
	expires     time.Time
}

// modelCache caches responses of pass-through models.
type modelCache = cache.Cache[cacheKey, cachedResponse]

func newModelCache() *modelCache {
	return cache.New[cacheKey](maxCacheBytes, func(c cachedResponse) int { return len(c.text) + cacheEntryOverhead })
}

// repeatable reports whether the same request always gets the same response. This is assumed for embeddings and for answers
// at temperature 0, unless they are streamed.
func (m *modelRequest) repeatable() bool {
	return !m.Stream && !m.api.isForm && (m.ZeroTemperature || m.api.path == provider.Embeddings)
}

// findCached returns the cached response to a request, if any, and the key under which to store a new one. Both are nil if
// the request cannot be cached.
func (s *Server) findCached(r *request, headers map[string]string) (*httpResponse, *cacheKey) {
	if s.cfg.CacheLifetime <= 0 || !r.modelRequest.repeatable() {
		return nil, nil
	}
	m := r.modelRequest
	key := &cacheKey{r.caller.OrganizationID, m.model, m.api.path, fmt.Sprint(headers), sha256.Sum256(m.Text)}
	cached, found := s.responseCache.Get(*key)
	if !found || !s.cfg.Now().Before(cached.expires) {
		return nil, key
	}
	r.record.modelRoute = cached.route
	r.record.addUsage(&openai.Usage{}) // a cached response uses no tokens
	header := map[string]string{routeHeader: cached.route, cacheHeader: "hit"}
	return &httpResponse{status: http.StatusOK, contentType: cached.contentType, header: header, raw: cached.text}, key
}

// storeCached stores a copy of the text, because its buffer is reused. It does not store errors.
func (s *Server) storeCached(key *cacheKey, contentType string, route *routing.Route, text []byte) {
	if len(text) <= maxCachedResponse && route.Refused(text) == nil {
		s.responseCache.Set(*key, cachedResponse{contentType, route.Name, bytes.Clone(text), s.cfg.Now().Add(s.cfg.CacheLifetime)})
	}
}
