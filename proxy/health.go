package proxy

import (
	"context"
	"net/http"

	"github.com/kopeck/kopeck/proxy/docs"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas"
)

type health struct {
	Status string `json:"status"`
}

func (s *Server) healthCheck(context.Context, *request) (httpResponse, error) {
	return ok(health{"ok"})
}

// readinessCheck fails as soon as shutdown begins, so that load balancers stop sending requests.
func (s *Server) readinessCheck(ctx context.Context, _ *request) (httpResponse, error) {
	if s.stopping.Load() {
		return httpResponse{}, problem.NotReady(problem.ErrStopping)
	}
	if s.cfg.Ready != nil {
		if err := s.cfg.Ready(ctx); err != nil {
			return httpResponse{}, problem.NotReady(err)
		}
	}
	return ok(health{"ready"})
}

func (s *Server) metricsPage(ctx context.Context, r *request) (httpResponse, error) {
	if s.cfg.SeparateMetrics {
		return s.noSuchPath(ctx, r)
	}
	s.metrics.page(r.fast)
	return httpResponse{status: http.StatusOK}, nil
}

// docsPage serves the API's documentation for people.
func (s *Server) docsPage(context.Context, *request) (httpResponse, error) {
	return httpResponse{
		status: http.StatusOK,
		header: map[string]string{
			"Content-Type":            "text/html; charset=utf-8",
			"Cache-Control":           "max-age=300",
			"Content-Security-Policy": docs.Policy,
			"Referrer-Policy":         "no-referrer",
		},
		raw: docs.Page(),
	}, nil
}

func (s *Server) openAPIDocument(context.Context, *request) (httpResponse, error) {
	return httpResponse{
		status: http.StatusOK,
		header: map[string]string{"Content-Type": "application/json", "Cache-Control": "max-age=300"},
		raw:    schemas.OpenAPI(),
	}, nil
}
