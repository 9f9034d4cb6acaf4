package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
)

// tracing is the settings for exporting traces over OTLP/HTTP. OpenTelemetry's other variables (…_HEADERS,
// OTEL_TRACES_SAMPLER, OTEL_SERVICE_NAME) also work.
type tracing struct {
	OTLPEndpoint   string `env:"OTEL_EXPORTER_OTLP_ENDPOINT" name:"otel-exporter-otlp-endpoint" hidden:""`
	TracesEndpoint string `env:"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" name:"otel-exporter-otlp-traces-endpoint" hidden:""` // with the path
	TracesExporter string `env:"OTEL_TRACES_EXPORTER" name:"otel-traces-exporter" hidden:""`
	SDKDisabled    bool   `env:"OTEL_SDK_DISABLED" name:"otel-sdk-disabled" hidden:""`
}

func (t tracing) check() error {
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": t.OTLPEndpoint, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": t.TracesEndpoint,
	} {
		if where, err := url.Parse(value); value != "" &&
			(err != nil || where.Host == "" || where.Scheme != "http" && where.Scheme != "https") {
			return settingError(name, fmt.Sprintf("holds %q", value), "an http or https address, for instance http://127.0.0.1:4318")
		}
	}
	if e := t.TracesExporter; e != "" && e != "otlp" && e != "none" {
		return settingError("OTEL_TRACES_EXPORTER", fmt.Sprintf("holds %q", e), "otlp or none")
	}
	return nil
}

// url returns where to send traces, or "" if they are not exported.
func (t tracing) url() string {
	switch {
	case t.SDKDisabled || t.TracesExporter == "none":
		return ""
	case t.TracesEndpoint != "" || t.OTLPEndpoint == "":
		return t.TracesEndpoint
	}
	return strings.TrimRight(t.OTLPEndpoint, "/") + "/v1/traces"
}

// open starts the export of traces. It returns nil if traces are not exported.
func (t tracing) open(ctx context.Context, log *slog.Logger) (*trace.TracerProvider, error) {
	where := t.url()
	if where == "" {
		return nil, nil
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(where))
	if err != nil {
		return nil, fmt.Errorf("open the trace exporter: %w", err)
	}
	who, err := resource.New(
		ctx, resource.WithAttributes(attribute.String("service.name", "kopeck"), attribute.String("service.version", version)),
		resource.WithFromEnv(), resource.WithHost(),
	)
	if err != nil {
		return nil, fmt.Errorf("create the resource for OpenTelemetry: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces are not sent", "error", err) }))
	return trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(who)), nil
}
