// Package otlp sends spans to a collector over HTTP, in OpenTelemetry's protocol. OpenTelemetry's own exporter links gRPC
// with it, which nothing here speaks: 2.3 MB of a program.
package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

const (
	firstPause = 5 * time.Second
	maxElapsed = time.Minute // for all attempts to send one batch; the batcher itself gives up after 30 s unless it is told otherwise
	maxAnswer  = 64 << 10
)

// Exporter is a [trace.SpanExporter]. Make it with [New].
type Exporter struct {
	to     Settings
	client *http.Client
	pause  time.Duration // before the second attempt
}

// New is an exporter to where the settings say.
func New(to Settings) *Exporter {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = to.TLS
	return &Exporter{to: to, client: &http.Client{Transport: transport, Timeout: to.Timeout}, pause: firstPause}
}

// ExportSpans sends spans. What a collector has no time for at the moment is sent again, later and later or when the
// collector says. The error is of all spans, or tells how many of them the collector did not take.
func (e *Exporter) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	body, err := proto.Marshal(encode(spans))
	if err == nil && e.to.Gzip {
		body, err = zipped(body)
	}
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval = e.pause
	var last error
	answer, err := backoff.Retry(ctx, func() (answer []byte, err error) {
		answer, err = e.send(ctx, body)
		last = err
		return answer, err
	}, backoff.WithBackOff(pause), backoff.WithMaxElapsedTime(maxElapsed))
	if err != nil {
		return fmt.Errorf("send %d spans: %w", len(spans), last)
	}
	return refused(answer)
}

// Shutdown lets connections go. The batcher calls it when nothing is being sent any more.
func (e *Exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

// send sends one time. An error that sending again does not mend is permanent.
func (e *Exporter) send(ctx context.Context, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.to.URL, bytes.NewReader(body))
	if err != nil {
		return nil, backoff.Permanent(err)
	}
	for name, value := range e.to.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	if e.to.Gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	res, err := e.client.Do(req)
	if err != nil {
		return nil, backoff.Permanent(err) // who stops the program should not have to wait for a collector that is away
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if res.StatusCode/100 == 2 {
		if err != nil || res.Header.Get("Content-Type") != "application/x-protobuf" {
			return nil, nil // the spans are there, whatever is said of them
		}
		return answer, nil
	}
	failure := fmt.Errorf("%s answers %s: %s", req.URL.Redacted(), res.Status, strings.TrimSpace(string(answer)))
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if wait, err := time.ParseDuration(res.Header.Get("Retry-After") + "s"); err == nil && wait > 0 {
			return nil, fmt.Errorf("%w (%w)", failure, &backoff.RetryAfterError{Duration: wait})
		}
		return nil, failure
	}
	return nil, backoff.Permanent(failure)
}

func zipped(body []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(body)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// refused reads a collector's answer (ExportTraceServiceResponse): nil when it took all and had nothing to say.
func refused(answer []byte) error {
	partial, _ := protowire.ConsumeBytes(field(answer, 1))
	spans, _ := protowire.ConsumeVarint(field(partial, 1))
	why, _ := protowire.ConsumeBytes(field(partial, 2))
	if spans == 0 && len(why) == 0 {
		return nil
	}
	return fmt.Errorf("the collector did not take %d spans: %q", int64(spans), why)
}

// field is from where the value of a message's field is; nil when it has none.
func field(message []byte, wanted protowire.Number) []byte {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil
		}
		if message = message[n:]; number == wanted {
			return message
		}
		if n = protowire.ConsumeFieldValue(number, kind, message); n < 0 {
			return nil
		}
		message = message[n:]
	}
	return nil
}
