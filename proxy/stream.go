package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/schemas/encoded"
)

var pingFrame = []byte(": ping\n\n") // a comment, which clients ignore; it shows proxies that the stream is alive

// doneFrame ends a stream.
var doneFrame = []byte("data: [DONE]\n\n")

// encodeFrame encodes an event of a stream. The event has no name.
func encodeFrame(v any) []byte {
	return slices.Concat([]byte("data: "), encoded.JSON(v), []byte("\n\n"))
}

// encodeNamedFrame encodes an event with a name. Events of chat completions must not have one.
func encodeNamedFrame(name string, v any) []byte {
	return append([]byte("event: "+name+"\n"), encodeFrame(v)...)
}

// errStreamEnd means that a stream is complete.
var errStreamEnd = errors.New("the stream has ended")

// sseStream is the body of a streamed response. fasthttp reads it in the connection's goroutine, after the route's function has
// returned, and writes what each read returns. It closes the stream at the end, or when a write fails.
type sseStream struct {
	conn   net.Conn
	next   func() (frames []byte, err error) // waits for frames; none mean silence, and errStreamEnd comes with or after the last
	failed func(error) (frame []byte)        // called if next fails or panics; the frame ends the stream
	end    func(finish func())               // called when the stream is closed; once no work is left, it must call finish

	rest    []byte // frames that have not been read yet
	over    bool   // nothing follows rest
	cancel  func() // ends the request's context
	finish  func() // writes the request's record
	closing sync.Once
}

// Read returns the next frames, or a ping if there are none for a while. Each write has its own deadline. A deadline for
// the whole response would cut off long answers; without any, a client that stops reading could keep the work running
// forever.
func (st *sseStream) Read(p []byte) (int, error) {
	for len(st.rest) == 0 {
		if st.over {
			return 0, io.EOF
		}
		st.read()
	}
	_ = st.conn.SetWriteDeadline(time.Now().Add(writeTimeout)) // fails only on a closed connection, where the write fails too
	n := copy(p, st.rest)
	st.rest = st.rest[n:]
	return n, nil
}

func (st *sseStream) read() {
	err := caught.Call(func() (err error) {
		st.rest, err = st.next()
		return err
	})
	st.over = err != nil
	switch {
	case st.over && !errors.Is(err, errStreamEnd):
		st.rest = append(st.rest, st.failed(err)...)
	case !st.over && len(st.rest) == 0:
		st.rest = pingFrame
	}
}

// Close ends the stream. Only the first call has an effect. The context ends last, because a provider's connection is closed with
// it instead of being reused.
func (st *sseStream) Close() error {
	st.closing.Do(func() {
		defer st.cancel()
		st.end(st.finish)
	})
	return nil
}

// writeUntilClose writes a stream to an HTTP/1.0 client, which does not support chunks: the response ends when the
// connection is closed.
func writeUntilClose(fast *fasthttp.RequestCtx, body io.ReadCloser) {
	fast.Response.Header.SetContentLength(-2) // no length: the connection will be closed
	fast.HijackSetNoResponse(true)
	fast.Hijack(func(c net.Conn) {
		var failed error // the client disconnected, or the stream has already reported the error
		defer caught.Into(&failed)
		defer body.Close()
		if _, failed = c.Write(fast.Response.Header.Header()); failed == nil {
			_, failed = io.Copy(c, body)
		}
	})
}

func setStreamHeaders(header map[string]string) {
	header["Content-Type"] = "text/event-stream"
	header["Cache-Control"] = "no-cache"
	header["X-Accel-Buffering"] = "no" // stops nginx from buffering
}

// streamResponse returns a response that streams the events of a run.
func (s *Server) streamResponse(
	ctx context.Context, r *request, run *follower, builder answerBuilder, header map[string]string,
) httpResponse {
	setStreamHeaders(header)
	t := &eventStream{request: r, run: run, builder: builder}
	return httpResponse{status: http.StatusOK, header: header, stream: &sseStream{
		conn:   r.fast.Conn(),
		next:   func() ([]byte, error) { return t.next(ctx, time.After(s.cfg.Ping)) },
		failed: func(err error) []byte { return t.failed(ctx, err) },
		end: func(finish func()) {
			run.leave()
			finish()
		},
	}}
}

// eventStream encodes the events of a run as they come. Events that are ready at the same time are sent together.
type eventStream struct {
	request *request // use only its record: the rest is no longer valid
	run     *follower
	builder answerBuilder
	opened  bool
}

// next waits for the next frames.
func (t *eventStream) next(ctx context.Context, silence <-chan time.Time) (frames []byte, err error) {
	if !t.opened {
		t.opened = true
		frames = t.builder.opening()
	}
	for len(frames) == 0 || t.run.ready() {
		event, err := t.run.next(ctx, silence)
		switch {
		case errors.Is(err, errSilence):
			return nil, nil
		case err != nil:
			return frames, err
		case event == nil:
			return append(frames, t.builder.closing()...), errStreamEnd
		}
		t.request.record.noteEvent(event)
		frames = append(frames, t.builder.add(ctx, event)...)
	}
	return frames, nil
}

func (t *eventStream) failed(ctx context.Context, err error) []byte {
	p := t.request.problemFor(ctx, err)
	t.request.noteProblem(p)
	return t.builder.failed(p)
}
