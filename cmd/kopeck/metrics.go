package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// metrics are the service's metrics except for those of HTTP requests. No label contains an id, so that the number of label
// values is limited.
type metrics struct {
	*prometheus.Registry
	upstream, tools, models *prometheus.HistogramVec
	pace, units             prometheus.Histogram
	references, causes      *prometheus.CounterVec
}

func newMetrics() *metrics {
	m := &metrics{
		Registry: prometheus.NewRegistry(),
		upstream: histograms("kopeck_upstream_call_seconds", "Calls to the upstream by endpoint and outcome: how many, and how long each took.",
			[]float64{.05, .1, .25, .5, 1, 2.5, 5, 15, 60}, "endpoint", "outcome"),
		tools: histograms("kopeck_tool_seconds", "Tools that ran, by outcome: ok or failed.",
			[]float64{.01, .1, .5, 1, 2.5, 5, 15, 60, 300}, "tool", "outcome"),
		models: histograms("kopeck_model_seconds", "Answers of models, each turn by itself: ok, unavailable, failed, or ended by whoever asked.",
			[]float64{.1, .5, 1, 2.5, 5, 10, 30, 60, 300}, "model", "outcome"),
		pace: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "kopeck_upstream_pace_wait_seconds",
			Help: "How long calls waited for their account's pace.", Buckets: []float64{.01, .1, .5, 1, 2.5, 5, 15, 60, 300}}),
		units: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "kopeck_upstream_units_left",
			Help: "What was left of an account's budget after each call, as the upstream said.", Buckets: []float64{0, 3, 6, 9, 15, 21, 30, 39, 45}}),
		references: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "kopeck_answer_references_total",
			Help: "References in answers: written, mended by the model, or marked as not in the reports."}, []string{"outcome"}),
		causes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "kopeck_answer_problems_total",
			Help: "Why references and numbers of models had to be mended or marked."}, []string{"cause"}),
	}
	m.MustRegister(m.upstream, m.tools, m.models, m.pace, m.units, m.references, m.causes,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}

func (m *metrics) upstreamCalled(o moysklad.Observation) {
	m.pace.Observe(o.Waited.Seconds())
	m.upstream.WithLabelValues(o.Endpoint, o.Outcome).Observe(o.Took.Seconds())
	if o.Units >= 0 {
		m.units.Observe(float64(o.Units))
	}
}

func (m *metrics) toolRan(tool string, took time.Duration, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	}
	m.tools.WithLabelValues(tool, outcome).Observe(took.Seconds())
}

func (m *metrics) modelAnswered(o provider.Observation) {
	m.models.WithLabelValues(o.Model, o.Outcome).Observe(o.Took.Seconds())
}

func (m *metrics) answerWritten(c answer.Counts) {
	m.references.WithLabelValues("written").Add(float64(c.References))
	m.references.WithLabelValues("mended").Add(float64(c.Mended))
	m.references.WithLabelValues("marked").Add(float64(c.Marked))
	for cause, n := range c.Causes {
		m.causes.WithLabelValues(cause).Add(float64(n))
	}
}

// databaseCollector reads metrics from the database each time they are collected. If the database is unavailable, only
// these metrics are missing.
type databaseCollector struct{ db *database.DB }

// collectTimeout limits the wait for the database.
const collectTimeout = 2 * time.Second

var (
	draftsBy = prometheus.NewDesc(
		"kopeck_drafts", "Drafts by state, those of all replicas; a draft past its time is expired.", []string{"state"}, nil,
	)
	connectionsUsed = prometheus.NewDesc("kopeck_database_connections", "Connections to the database in use by this replica.", nil, nil)
	connectionsMax  = prometheus.NewDesc("kopeck_database_connections_max", "Connections to the database that this replica may use.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (c *databaseCollector) Describe(to chan<- *prometheus.Desc) {
	to <- draftsBy
	to <- connectionsUsed
	to <- connectionsMax
}

// Collect implements [prometheus.Collector].
func (c *databaseCollector) Collect(to chan<- prometheus.Metric) {
	used, most := c.db.Connections()
	to <- prometheus.MustNewConstMetric(connectionsUsed, prometheus.GaugeValue, float64(used))
	to <- prometheus.MustNewConstMetric(connectionsMax, prometheus.GaugeValue, float64(most))
	ctx, cancel := context.WithTimeout(context.Background(), collectTimeout)
	defer cancel()
	type group struct {
		state string
		count float64
	}
	drafts, _ := database.Rows(ctx, c.db, func(row database.Row) (g group, err error) { return g, row.Scan(&g.state, &g.count) },
		`SELECT CASE WHEN state = 'draft' AND expires_at <= $1 THEN 'expired' ELSE state END, count(*) FROM drafts GROUP BY 1`,
		time.Now().UnixMicro())
	for _, g := range drafts {
		to <- prometheus.MustNewConstMetric(draftsBy, prometheus.GaugeValue, g.count, g.state)
	}
}
