package provider

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/keys/redact"
)

// Limits of a provider's answer.
const (
	maxAnswerBytes = 16 << 20
	maxErrorBytes  = 64 << 10
	afterEnd       = 100 * time.Millisecond // how long to wait for the end of a stream after the answer is complete
)

// requestBuffers has buffers (*[]byte) for bodies of requests.
var requestBuffers = sync.Pool{New: func() any { return new([]byte) }}

// Generate sends a request of the agent to the model once. If a streaming function is set, it receives the text as it
// arrives, but no tool calls; said reports whether it has received any. The error is the context's cause or the
// streaming function's error, or it wraps [ErrUnavailable] or [ErrRefused].
func (p *Client) Generate(
	ctx context.Context, messages []llms.MessageContent, asked llms.CallOptions,
) (response *llms.ContentResponse, said bool, err error) {
	buffer := requestBuffers.Get().(*[]byte)
	defer requestBuffers.Put(buffer)
	body, err := p.request((*buffer)[:0], messages, asked)
	if err != nil {
		return nil, false, err
	}
	*buffer = body
	say := func(text string) error {
		if asked.StreamingFunc == nil || text == "" {
			return nil
		}
		said = true
		if err := asked.StreamingFunc(ctx, []byte(text)); err != nil {
			return &sinkError{err}
		}
		return nil
	}
	answer, err := p.answer(ctx, body, asked.StreamingFunc != nil, say)
	if err != nil {
		return nil, said, p.failure(ctx, err)
	}
	return answer.response(), said, nil
}

// answer sends a request and reads its answer. Some servers do not stream although that was requested.
func (p *Client) answer(ctx context.Context, body []byte, streamed bool, say func(string) error) (*completion, error) {
	reply, err := p.Ask(ctx, Call{Body: [][]byte{redact.Bytes(body)}, Streamed: streamed, HeaderWait: p.target.Silence})
	if err != nil {
		return nil, err
	}
	defer reply.Close() //nolint:errcheck // Close never fails
	if !reply.Streamed() && !isStream(reply.ContentType()) {
		return readWhole(reply.Body(), say)
	}
	var events io.Reader = reply
	if !reply.Streamed() {
		events = bytes.NewReader(reply.Body())
	}
	answer, err := readStream(io.LimitReader(events, maxAnswerBytes), say)
	if err == nil {
		reply.finish()
	}
	return answer, err
}

// sinkError is an error of the caller's sink. It is returned to the caller unchanged.
type sinkError struct{ err error }

func (s *sinkError) Error() string { return s.err.Error() }

// statusError returns the error for an answer whose status is not 200.
func statusError(status int, header http.Header, body []byte) *Error {
	failure := parseError(body)
	if failure == nil {
		failure = &Error{Message: cmp.Or(shortened(strings.TrimSpace(string(body))), http.StatusText(status))}
	}
	failure.Status = status
	failure.RetryAfter = retryAfter(header, time.Now())
	return failure
}

// retryAfter reads both forms of Retry-After, and OpenAI's own header in milliseconds.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

func shortened(text string) string {
	const most = 300
	count := 0
	for at := range text {
		if count++; count > most {
			return text[:at] + "…"
		}
	}
	return text
}
