package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Bounds of what is read from a provider.
const (
	maxAnswerBytes = 16 << 20
	maxErrorBytes  = 64 << 10
	afterEnd       = 100 * time.Millisecond // for a stream to end once the answer has
)

// exchange is one request to a provider and what came of it, whatever shape the provider sent it in.
type exchange struct {
	endpoint endpoint
	settings Settings
	sink     func(ctx context.Context, text []byte) error // nil: nobody listens, the answer is asked for whole

	said bool // text has been handed to sink
}

func (e *exchange) send(ctx context.Context, body body) (*answer, error) {
	asked := ctx
	ctx, patience := newPatience(ctx, e.settings.Silence)
	defer patience.end()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.endpoint.base+"/chat/completions", body.reader())
	if err != nil {
		return nil, fmt.Errorf("make the model request: %w", err)
	}
	request.ContentLength = body.size()
	request.GetBody = func() (io.ReadCloser, error) { return body.reader(), nil }
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+e.endpoint.key)

	response, err := e.settings.HTTP.Do(request)
	if err != nil {
		return nil, e.failure(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, e.refusal(response)
	}
	reader := io.LimitReader(patience.watch(response.Body), maxAnswerBytes)
	var answer *answer
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind == "text/event-stream" {
		answer, err = readStream(reader, func(text string) error { return e.say(asked, text) })
	} else {
		answer, err = e.readWhole(asked, reader)
	}
	if err != nil {
		return nil, e.failure(ctx, err)
	}
	// Only when nothing is left to read does the connection serve another request. Mostly it is nothing that is left.
	patience.timer.Reset(afterEnd)
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxErrorBytes))
	return answer, nil
}

func (e *exchange) say(ctx context.Context, text string) error {
	if e.sink == nil || text == "" {
		return nil
	}
	e.said = true
	if err := e.sink(ctx, []byte(text)); err != nil {
		return &sinkError{err}
	}
	return nil
}

// readWhole reads an answer in one piece, which some servers send even when a stream was asked for.
func (e *exchange) readWhole(ctx context.Context, r io.Reader) (*answer, error) {
	body, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	a, err := parseWhole(body)
	if err != nil {
		return nil, err
	}
	return a, e.say(ctx, a.text.String())
}

// sinkError is the listener's own error, passed through as it is.
type sinkError struct{ err error }

func (s *sinkError) Error() string { return s.err.Error() }

// failure is the error of a request that got no proper answer: the caller's cancellation, the listener's own error, or
// an [*Error].
func (e *exchange) failure(ctx context.Context, err error) error {
	var sink *sinkError
	if errors.As(err, &sink) {
		return sink.err
	}
	var typed *Error
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errSilence):
		return &Error{Message: fmt.Sprintf("the provider sent nothing for %s", e.settings.Silence)}
	case cause != nil:
		return cause
	case errors.As(err, &typed):
		typed.Message = e.redacted(typed.Message)
		return typed
	default:
		return &Error{Message: e.redacted(err.Error())}
	}
}

// refusal reads an answer whose status is not 200.
func (e *exchange) refusal(response *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBytes)) // what can be had of it
	failure := parseError(body)
	if failure == nil {
		failure = &Error{Message: cmp.Or(shortened(strings.TrimSpace(string(body))), http.StatusText(response.StatusCode))}
	}
	failure.Status = response.StatusCode
	failure.Message = e.redacted(failure.Message)
	failure.RetryAfter = retryAfter(response.Header, time.Now())
	return failure
}

// redacted takes the key out of a provider's text, some of which quote it.
func (e *exchange) redacted(text string) string {
	if e.endpoint.key == keyless || e.endpoint.key == "" {
		return text
	}
	return strings.ReplaceAll(text, e.endpoint.key, "***")
}

// retryAfter reads both forms of Retry-After, and OpenAI's own in milliseconds.
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
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
