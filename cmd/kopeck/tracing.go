package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/kopeck/kopeck/cmd/kopeck/otlp"
)

// tracing is where traces are sent, over OTLP/HTTP. OpenTelemetry's other variables (…_HEADERS, OTEL_TRACES_SAMPLER,
// OTEL_SERVICE_NAME) count as they do everywhere.
type tracing struct {
	OTLPEndpoint string `env:"OTEL_EXPORTER_OTLP_ENDPOINT" name:"otel-exporter-otlp-endpoint" hidden:""`
}

func (t tracing) check() error {
	if where, err := url.Parse(t.OTLPEndpoint); t.OTLPEndpoint != "" && (err != nil || where.Host == "" || !strings.HasPrefix(where.Scheme, "http")) {
		return setting("OTEL_EXPORTER_OTLP_ENDPOINT", fmt.Sprintf("holds %q", t.OTLPEndpoint), "an http or https address, for instance http://127.0.0.1:4318")
	}
	return nil
}

// open begins to send traces; nil when none are wanted.
func (t tracing) open(ctx context.Context, log *slog.Logger) (*trace.TracerProvider, error) {
	if t.OTLPEndpoint == "" {
		return nil, nil
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	to, err := otlp.Read(os.Getenv)
	if err != nil {
		return nil, err
	}
	to.URL = strings.TrimRight(t.OTLPEndpoint, "/") + "/v1/traces"
	who, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "kopeck"), attribute.String("service.version", version)),
		resource.WithFromEnv(), resource.WithHost())
	if err != nil {
		return nil, fmt.Errorf("describe this process to OpenTelemetry: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces are not sent", "error", err) }))
	return trace.NewTracerProvider(trace.WithBatcher(otlp.New(to)), trace.WithResource(who)), nil
}
