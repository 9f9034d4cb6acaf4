package proxy

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpadaptor"

	"github.com/kopeck/kopeck/schemas/openai"
)

// metrics are the server's Prometheus metrics.
type metrics struct {
	registry       *prometheus.Registry
	requestSeconds *prometheus.HistogramVec
	tokens         *prometheus.CounterVec
	page           fasthttp.RequestHandler
}

func newMetrics(registry *prometheus.Registry) *metrics {
	if registry == nil {
		registry = prometheus.NewRegistry()
	}
	m := &metrics{registry: registry}
	m.requestSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "kopeck_request_seconds",
		Help:    "Time until the last byte of the response, by method, route and status.",
		Buckets: []float64{.005, .02, .1, .5, 1, 2, 5, 10, 30, 60, 300},
	}, []string{"method", "route", "status"})
	m.tokens = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "kopeck_tokens_total",
		Help: "Prompt and completion tokens by requested model; estimated if the provider reported none.",
	}, []string{"model", "of"})
	registry.MustRegister(m.requestSeconds, m.tokens)
	m.page = fasthttpadaptor.NewFastHTTPHandler(m.handler())
	return m
}

// countRequest labels requests with the route's pattern and not with the path, because paths contain ids and would create
// too many labels.
func (m *metrics) countRequest(method, route string, status int, took time.Duration) {
	if !slices.Contains(knownMethods, method) {
		method = "other"
	}
	m.requestSeconds.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

// countTokens adds an answer's usage. model must be a known one, so that the number of labels is limited; if it is empty,
// nothing is counted.
func (m *metrics) countTokens(model string, u *openai.Usage) {
	if u == nil || model == "" {
		return
	}
	m.tokens.WithLabelValues(model, "prompt").Add(float64(u.PromptTokens))
	m.tokens.WithLabelValues(model, "completion").Add(float64(u.CompletionTokens))
}

var knownMethods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
