package proxy

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpadaptor"
)

// metrics are what the server counts of itself.
type metrics struct {
	registry *prometheus.Registry
	seconds  *prometheus.HistogramVec
	page     fasthttp.RequestHandler
}

func newMetrics(registry *prometheus.Registry) *metrics {
	if registry == nil {
		registry = prometheus.NewRegistry()
	}
	m := &metrics{registry: registry}
	m.seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "kopeck_request_seconds",
		Help:    "Requests by route and status: how many, and how long until the last byte.",
		Buckets: []float64{.005, .02, .1, .5, 1, 2, 5, 10, 30, 60, 300},
	}, []string{"method", "route", "status"})
	registry.MustRegister(m.seconds)
	m.page = fasthttpadaptor.NewFastHTTPHandler(m.handler())
	return m
}

// count labels by the route's pattern, never by the path: a path has ids in it, without end.
func (m *metrics) count(method, route string, status int, took time.Duration) {
	if _, known := knownMethods[method]; !known {
		method = "other"
	}
	m.seconds.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

var knownMethods = map[string]struct{}{"GET": {}, "HEAD": {}, "POST": {}, "PUT": {}, "PATCH": {}, "DELETE": {}, "OPTIONS": {}}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
