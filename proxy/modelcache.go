package proxy

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/proxy/routing"
	"github.com/kopeck/kopeck/schemas/openai"
)

// Bounds of the answers that are kept in memory.
const (
	mostCached    = 64 << 20 // bytes of all of them
	longestCached = 1 << 20  // bytes of one that is kept
	cachedHead    = 512      // bytes that each takes besides its text
)

// cacheHeader tells whether an answer was kept ("hit") or is the model's own ("miss"). It is absent where none is kept.
const cacheHeader = "X-Kopeck-Cache"

// cacheKey names a request: everything of it that the answer can depend on, and whose it is. One organization never gets an
// answer that another has paid for.
type cacheKey struct {
	organization string
	of           *models.Model // as the models file describes it now: an answer is not kept beyond the file
	path         provider.Path
	head         string
	body         [sha256.Size]byte
}

// cached is a model's answer to a request whose repetition has the same one.
type cached struct {
	kind  string
	route string
	text  []byte
	until time.Time
}

// modelCache are answers of models that are passed through.
type modelCache = otter.Cache[cacheKey, cached]

func newModelCache() *modelCache {
	return otter.Must(&otter.Options[cacheKey, cached]{
		MaximumWeight: mostCached,
		Weigher:       func(_ cacheKey, c cached) uint32 { return uint32(len(c.text) + cachedHead) },
	})
}

// repeatable reports whether the same request gets the same answer: whole embeddings, and whole answers at temperature 0.
func (c *plainChat) repeatable() bool {
	return !c.stream && !c.api.form && (c.exact || c.api.path == provider.Embeddings)
}

// cachedAnswer is the kept answer to a request, and the key to keep one with; neither where none is kept.
func (s *Server) cachedAnswer(r *request, headers map[string]string) (*answer, *cacheKey) {
	if s.cfg.CacheFor <= 0 || !r.plain.repeatable() {
		return nil, nil
	}
	key := &cacheKey{r.caller.OrganizationID, r.plain.to, r.plain.api.path, fmt.Sprint(headers), sha256.Sum256(r.plain.text)}
	found, is := s.cached.GetIfPresent(*key)
	if !is || !s.cfg.Now().Before(found.until) {
		return nil, key
	}
	r.record.modelRoute = found.route
	r.record.use(&openai.Usage{}) // the model was not asked
	header := map[string]string{routeHeader: found.route, cacheHeader: "hit"}
	return &answer{status: http.StatusOK, kind: found.kind, header: header, raw: found.text}, key
}

// cacheAnswer keeps a copy: the text's buffer is used again. What tells of an error is not kept.
func (s *Server) cacheAnswer(key *cacheKey, kind string, route *routing.Route, text []byte) {
	if len(text) <= longestCached && route.Refused(text) == nil {
		s.cached.Set(*key, cached{kind, route.Name, bytes.Clone(text), s.cfg.Now().Add(s.cfg.CacheFor)})
	}
}
