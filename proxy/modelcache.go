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

// cacheHeader says whether the response came from the cache ("hit") or the model ("miss"). It is absent if the request
// cannot be cached.
const cacheHeader = "X-Kopeck-Cache"

// cacheKey contains everything that a response can depend on. It includes the organization, because no organization may get
// a response that another has paid for.
type cacheKey struct {
	organization string
	model        *models.Model // from the current models file; reloading it makes old entries unreachable
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

// modelCache caches the responses of models that requests are passed through to.
type modelCache = cache.Cache[cacheKey, cachedResponse]

func newModelCache() *modelCache {
	return cache.New[cacheKey](maxCacheBytes, func(c cachedResponse) int { return len(c.text) + cacheEntryOverhead })
}

// repeatable reports whether the same request gets the same response: embeddings and answers at temperature 0, if not
// streamed.
func (c *modelRequest) repeatable() bool {
	return !c.stream && !c.api.isForm && (c.zeroTemperature || c.api.path == provider.Embeddings)
}

// findCached returns the cached response of a request, if any, and the key to store one. Both are nil if the request cannot
// be cached.
func (s *Server) findCached(r *request, headers map[string]string) (*httpResponse, *cacheKey) {
	if s.cfg.CacheLifetime <= 0 || !r.modelRequest.repeatable() {
		return nil, nil
	}
	m := r.modelRequest
	key := &cacheKey{r.caller.OrganizationID, m.model, m.api.path, fmt.Sprint(headers), sha256.Sum256(m.text)}
	cached, found := s.responseCache.Get(*key)
	if !found || !s.cfg.Now().Before(cached.expires) {
		return nil, key
	}
	r.record.modelRoute = cached.route
	r.record.addUsage(&openai.Usage{}) // a cached response uses no tokens
	header := map[string]string{routeHeader: cached.route, cacheHeader: "hit"}
	return &httpResponse{status: http.StatusOK, contentType: cached.contentType, header: header, raw: cached.text}, key
}

// storeCached stores a copy, since the text's buffer is reused. Error responses are not cached.
func (s *Server) storeCached(key *cacheKey, contentType string, route *routing.Route, text []byte) {
	if len(text) <= maxCachedResponse && route.Refused(text) == nil {
		s.responseCache.Set(*key, cachedResponse{contentType, route.Name, bytes.Clone(text), s.cfg.Now().Add(s.cfg.CacheLifetime)})
	}
}
