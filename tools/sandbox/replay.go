package sandbox

import "net/http"

// replayed stores compressed answers to reads, and repeats them until something is written. It does so only if
// Config.Replay is set.
func (s *Sandbox) replayed(next http.Handler) http.Handler {
	if !s.config.Replay {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Method + r.URL.String() + r.Header.Get(betaFeature)
		s.memo.mu.Lock()
		packed := s.memo.answers[key]
		s.memo.mu.Unlock()
		if packed != nil {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed)
			return
		}
		copied := &copier{ResponseWriter: w}
		next.ServeHTTP(copied, r)
		if r.Method != http.MethodGet || copied.refused {
			return
		}
		s.memo.mu.Lock()
		defer s.memo.mu.Unlock()
		if s.memo.answers == nil {
			s.memo.answers = map[string][]byte{}
		}
		s.memo.answers[key] = copied.text
	})
}

// copier is a ResponseWriter that passes the answer on and keeps a copy.
type copier struct {
	http.ResponseWriter
	text    []byte
	refused bool
}

func (c *copier) WriteHeader(status int) {
	c.refused = status != http.StatusOK
	c.ResponseWriter.WriteHeader(status)
}

func (c *copier) Write(text []byte) (int, error) {
	c.text = append(c.text, text...)
	return c.ResponseWriter.Write(text)
}
