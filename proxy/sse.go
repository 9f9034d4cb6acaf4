package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/schemas/caught"
)

var pingFrame = []byte(": ping\n\n") // a comment: clients pass over it, proxies and watchdogs see life

// stream is the body of a streamed answer. fasthttp reads it from the connection's own goroutine, one read a write, and
// closes it at the end or at the first failed write.
type stream struct {
	conn net.Conn
	ping time.Duration
	next func(silence <-chan time.Time) (frames []byte, more bool) // waits; none and more when silence comes first
	end  func(finish func())                                       // is called when nothing is read any more

	silence *time.Timer
	rest    []byte // of the frames that are being read
	over    bool   // nothing follows the rest
	leave   func()
	finish  func()
	closing sync.Once
}

func (st *stream) start(leave, finish func()) { st.leave, st.finish = leave, finish }

// Read gives the next frames, or a comment when there are none for a while. The write that follows has its own deadline:
// one for the whole answer would cut long ones, none would let a stalled reader hold the work.
func (st *stream) Read(p []byte) (int, error) {
	for len(st.rest) == 0 {
		if st.over {
			return 0, io.EOF
		}
		st.read()
	}
	_ = st.conn.SetWriteDeadline(time.Now().Add(writeTimeout)) // fails only on a closed connection, as the write will
	n := copy(p, st.rest)
	st.rest = st.rest[n:]
	return n, nil
}

func (st *stream) read() {
	if st.silence == nil {
		st.silence = time.NewTimer(st.ping)
	} else {
		st.silence.Reset(st.ping)
	}
	frames, more := st.next(st.silence.C)
	st.silence.Stop()
	if len(frames) == 0 && more {
		frames = pingFrame
	}
	st.rest, st.over = frames, !more
}

// Close ends the work.
func (st *stream) Close() error {
	st.closing.Do(func() {
		st.leave()
		st.end(st.finish)
	})
	return nil
}

// untilClosed writes an answer's stream to a client of HTTP/1.0, which knows no chunks: it ends with the connection.
func untilClosed(fast *fasthttp.RequestCtx, body io.ReadCloser) {
	fast.Response.Header.SetContentLength(-2) // there is none, and the connection will be closed
	fast.HijackSetNoResponse(true)
	fast.Hijack(func(c net.Conn) {
		var failed error // of a client that has left, or a defect that the stream has told of
		defer recovered(&failed)
		defer body.Close()
		if _, failed = c.Write(fast.Response.Header.Header()); failed == nil {
			_, failed = io.Copy(c, body)
		}
	})
}

// streamed is the answer that tells a run as it goes on.
func (s *Server) streamed(ctx context.Context, r *request, run *follower, made telling, header map[string]string) answer {
	header["Content-Type"] = "text/event-stream"
	header["Cache-Control"] = "no-cache"
	header["X-Accel-Buffering"] = "no" // nginx would hold the events back
	t := &tale{request: r, run: run, telling: made}
	return answer{status: http.StatusOK, header: header, stream: &stream{
		conn: r.fast.Conn(),
		ping: s.cfg.Ping,
		next: func(silence <-chan time.Time) ([]byte, bool) { return t.next(ctx, silence) },
		end: func(finish func()) {
			run.leave()
			finish()
		},
	}}
}

// tale tells a run's events as they come, those that have come together in one piece.
type tale struct {
	request *request // its record; the rest of it is gone when the stream is read
	run     *follower
	telling telling
	begun   bool
}

// next waits for the next frames. Nothing above recovers, so a panic is caught here.
func (t *tale) next(ctx context.Context, silence <-chan time.Time) (frames []byte, more bool) {
	defer func() {
		if v := recover(); v != nil {
			frames, more = t.failed(ctx, &caught.Defect{Panic: v, Stack: debug.Stack()}), false
		}
	}()
	if !t.begun {
		t.begun = true
		frames = t.telling.opening()
	}
	for len(frames) == 0 || t.run.ready() {
		event, err := t.run.next(ctx, silence)
		switch {
		case errors.Is(err, errSilence):
			return nil, true
		case err != nil:
			return append(frames, t.failed(ctx, err)...), false
		case event == nil:
			return append(frames, t.telling.closing(ctx)...), false
		}
		t.request.record.event(event)
		frames = append(frames, t.telling.add(ctx, event)...)
	}
	return frames, true
}

func (t *tale) failed(ctx context.Context, err error) []byte {
	p := t.request.told(ctx, err)
	t.request.refused(p)
	return t.telling.failed(p)
}
