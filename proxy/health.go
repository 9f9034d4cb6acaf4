package proxy

import (
	"context"
	"net/http"

	"github.com/kopeck/kopeck/proxy/docs"
	"github.com/kopeck/kopeck/schemas"
)

type health struct {
	Status string `json:"status"`
}

func (s *Server) healthy(context.Context, *request) (answer, error) { return ok(health{"ok"}) }

// ready is false from the moment that the server begins to stop, so that no new request is sent to it.
func (s *Server) ready(ctx context.Context, _ *request) (answer, error) {
	if s.stopping.Load() {
		return answer{}, notReady(errStopping)
	}
	if s.cfg.Ready != nil {
		if err := s.cfg.Ready(ctx); err != nil {
			return answer{}, notReady(err)
		}
	}
	return ok(health{"ready"})
}

func (s *Server) measured(_ context.Context, r *request) (answer, error) {
	if s.cfg.Apart {
		return answer{}, notFound("There is no address " + r.path())
	}
	s.metrics.page(r.fast)
	return answer{status: http.StatusOK}, nil
}

// explained is the same document for people.
func (s *Server) explained(context.Context, *request) (answer, error) {
	return answer{
		status: http.StatusOK,
		header: map[string]string{
			"Content-Type":            "text/html; charset=utf-8",
			"Cache-Control":           "max-age=300",
			"Content-Security-Policy": docs.Policy,
			"Referrer-Policy":         "no-referrer",
			"X-Content-Type-Options":  "nosniff",
		},
		raw: docs.Page(),
	}, nil
}

func (s *Server) described(context.Context, *request) (answer, error) {
	return answer{
		status: http.StatusOK,
		header: map[string]string{"Content-Type": "application/json", "Cache-Control": "max-age=300"},
		raw:    schemas.OpenAPI(),
	}, nil
}
