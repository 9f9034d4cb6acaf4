package otlp

import (
	"compress/gzip"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	spans "go.opentelemetry.io/otel/trace"
	wire "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
)

// collector takes what is sent to it and answers as it is told, the last answer again and again.
type collector struct {
	*httptest.Server
	answers []answer
	heads   []http.Header
	got     []*wire.TracesData
}

type answer struct {
	status int
	body   string
	after  string // Retry-After
}

func collect(t *testing.T, start func(http.Handler) *httptest.Server, answers ...answer) *collector {
	c := &collector{answers: answers}
	c.Server = start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			unpacked, err := gzip.NewReader(body)
			if err != nil {
				t.Error(err)
				return
			}
			body = unpacked
		}
		text, err := io.ReadAll(body)
		var sent wire.TracesData
		if err := errors.Join(err, proto.Unmarshal(text, &sent)); err != nil {
			t.Error(err)
		}
		c.heads, c.got = append(c.heads, r.Header), append(c.got, &sent)
		now := c.answers[min(len(c.got), len(c.answers))-1]
		w.Header().Set("Content-Type", "application/x-protobuf")
		w.Header().Set("Retry-After", now.after)
		w.WriteHeader(now.status)
		_, _ = io.WriteString(w, now.body)
	}))
	t.Cleanup(c.Close)
	return c
}

// exporter sends as the variables say, and does not pause.
func exporter(t *testing.T, to *collector, variables map[string]string) *Exporter {
	t.Helper()
	s, err := Read(func(name string) string { return variables[name] })
	if err != nil {
		t.Fatal(err)
	}
	s.URL = to.URL + "/v1/traces"
	e := New(s)
	e.pause = time.Nanosecond
	return e
}

var (
	trusted = spans.SpanContextConfig{TraceID: spans.TraceID{1, 2}, SpanID: spans.SpanID{3, 4}, TraceFlags: spans.FlagsSampled, Remote: true}
	linked  = spans.SpanContextConfig{TraceID: spans.TraceID{5, 6}, SpanID: spans.SpanID{7, 8}}
)

// ended sends one span, of which everything is known but its own id, to an exporter.
func ended(t *testing.T, to trace.SpanExporter) (id []byte) {
	t.Helper()
	provider := trace.NewTracerProvider(trace.WithSyncer(to), trace.WithResource(resource.NewSchemaless(attribute.String("service.name", "shop"))))
	ctx := spans.ContextWithRemoteSpanContext(t.Context(), spans.NewSpanContext(trusted))
	_, s := provider.Tracer("desk", spans.WithInstrumentationVersion("1.2")).Start(ctx, "sell", spans.WithSpanKind(spans.SpanKindServer),
		spans.WithTimestamp(time.Unix(0, 10)), spans.WithLinks(spans.Link{SpanContext: spans.NewSpanContext(linked)}))
	s.SetAttributes(attribute.String("text", "tea"), attribute.Int("whole", -1), attribute.Float64("part", 0.5), attribute.Bool("yes", true),
		attribute.StringSlice("texts", []string{"a", "b"}), attribute.Int64Slice("wholes", []int64{1}), attribute.BoolSlice("yeses", []bool{false}),
		attribute.Float64Slice("parts", []float64{2.5}))
	s.AddEvent("paid", spans.WithTimestamp(time.Unix(0, 15)), spans.WithAttributes(attribute.Int("kopecks", 100)))
	s.SetStatus(codes.Error, "no change")
	s.End(spans.WithTimestamp(time.Unix(0, 20)))
	own := s.SpanContext().SpanID()
	return own[:]
}

func TestACollectorGetsAllOfASpan(t *testing.T) {
	t.Parallel()
	for _, variables := range []map[string]string{nil, {"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}} {
		c := collect(t, httptest.NewServer, answer{status: http.StatusOK})
		id := ended(t, exporter(t, c, variables))
		var want wire.TracesData
		if err := prototext.Unmarshal([]byte(`resource_spans {
			resource { attributes { key: "service.name" value { string_value: "shop" } } }
			scope_spans {
				scope { name: "desk" version: "1.2" }
				spans {
					name: "sell" kind: SPAN_KIND_SERVER flags: 0x301 start_time_unix_nano: 10 end_time_unix_nano: 20
					trace_id: "\x01\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0" parent_span_id: "\x03\x04\0\0\0\0\0\0"
					attributes { key: "text" value { string_value: "tea" } }
					attributes { key: "whole" value { int_value: -1 } }
					attributes { key: "part" value { double_value: 0.5 } }
					attributes { key: "yes" value { bool_value: true } }
					attributes { key: "texts" value { array_value { values { string_value: "a" } values { string_value: "b" } } } }
					attributes { key: "wholes" value { array_value { values { int_value: 1 } } } }
					attributes { key: "yeses" value { array_value { values { bool_value: false } } } }
					attributes { key: "parts" value { array_value { values { double_value: 2.5 } } } }
					events { name: "paid" time_unix_nano: 15 attributes { key: "kopecks" value { int_value: 100 } } }
					links { trace_id: "\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0" span_id: "\x07\x08\0\0\0\0\0\0" flags: 0x100 }
					status { code: STATUS_CODE_ERROR message: "no change" }
				}
			}
		}`), &want); err != nil {
			t.Fatal(err)
		}
		want.ResourceSpans[0].ScopeSpans[0].Spans[0].SpanId = id
		if diff := cmp.Diff([]*wire.TracesData{&want}, c.got, protocmp.Transform()); diff != "" {
			t.Errorf("with %v, -wanted +sent:\n%s", variables, diff)
		}
	}
}

// What may go better is sent again, and nothing else; the error has what the collector said.
func TestWhatACollectorAnswers(t *testing.T) {
	t.Parallel()
	taken := answer{status: http.StatusOK}
	for name, c := range map[string]struct {
		answers  []answer
		attempts int
		says     string // part of the error; none when empty
	}{
		"all taken":              {[]answer{taken}, 1, ""},
		"too many, then taken":   {[]answer{{status: 429}, {status: 502}, {status: 503}, {status: 504}, taken}, 5, ""},
		"not understood":         {[]answer{{status: 400, body: "what is this?"}, taken}, 1, "what is this?"},
		"broken":                 {[]answer{{status: 500}, taken}, 1, "500"},
		"later than we wait":     {[]answer{{status: 503, body: "busy", after: "3600"}, taken}, 1, "busy"},
		"a part taken":           {[]answer{{status: 200, body: "\x0a\x07\x08\x02\x12\x03old"}}, 1, `2 spans: "old"`},
		"taken, with a warning":  {[]answer{{status: 200, body: "\x0a\x05\x12\x03old"}}, 1, `"old"`},
		"taken, nothing refused": {[]answer{{status: 200, body: "\x0a\x00"}}, 1, ""},
		"taken, said badly":      {[]answer{{status: 200, body: "\xff\xff"}}, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := collect(t, httptest.NewServer, c.answers...)
			err := exporter(t, to, nil).ExportSpans(t.Context(), nil)
			if len(to.got) != c.attempts || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%d attempts, %v; want %d, %q", len(to.got), err, c.attempts, c.says)
			}
		})
	}
}

func TestACollectorSaysHowLongToWait(t *testing.T) {
	t.Parallel()
	c := collect(t, httptest.NewServer, answer{status: 429, after: "7"})
	_, err := exporter(t, c, nil).send(t.Context(), nil)
	var told *backoff.RetryAfterError
	if !errors.As(err, &told) || told.Duration != 7*time.Second {
		t.Error(err)
	}
}

// A collector that is away does not hold up the end of the program.
func TestACollectorThatIsAwayIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	c := collect(t, httptest.NewServer, answer{status: http.StatusOK})
	c.Close()
	var permanent *backoff.PermanentError
	if _, err := exporter(t, c, nil).send(t.Context(), nil); !errors.As(err, &permanent) {
		t.Error(err)
	}
}

func TestACollectorIsTrustedByItsCertificate(t *testing.T) {
	t.Parallel()
	c := collect(t, httptest.NewTLSServer, answer{status: http.StatusOK})
	authority := filepath.Join(t.TempDir(), "authority.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate().Raw})
	if err := os.WriteFile(authority, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := exporter(t, c, nil).ExportSpans(t.Context(), nil); err == nil {
		t.Error("spans were sent to a stranger")
	}
	e := exporter(t, c, map[string]string{
		"OTEL_EXPORTER_OTLP_CERTIFICATE":    authority,
		"OTEL_EXPORTER_OTLP_HEADERS":        "a=1, B = two%20words%3D",
		"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "2000",
	})
	if err := e.ExportSpans(t.Context(), nil); err != nil || len(c.heads) != 1 {
		t.Fatal(err)
	}
	if head := c.heads[0]; head.Get("A") != "1" || head.Get("B") != "two words=" || e.client.Timeout != 2*time.Second {
		t.Errorf("%v in %v", head, e.client.Timeout)
	}
	if err := e.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAWrongVariableIsNamedAndAHeaderNotTold(t *testing.T) {
	t.Parallel()
	for name, held := range map[string]string{
		"OTEL_EXPORTER_OTLP_PROTOCOL":           "grpc",
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL":    "http/json",
		"OTEL_EXPORTER_OTLP_COMPRESSION":        "brotli",
		"OTEL_EXPORTER_OTLP_TIMEOUT":            "10s",
		"OTEL_EXPORTER_OTLP_HEADERS":            "secret",
		"OTEL_EXPORTER_OTLP_TRACES_HEADERS":     "authorization=secret%",
		"OTEL_EXPORTER_OTLP_CERTIFICATE":        "none.pem",
		"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": "exporter_test.go",
	} {
		_, err := Read(func(asked string) string {
			if asked == name {
				return held
			}
			return ""
		})
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s=%s: %v", name, held, err)
		}
	}
}
