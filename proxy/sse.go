package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"
)

var pingFrame = []byte(": ping\n\n") // a comment: clients pass over it, proxies and watchdogs see life

// stream is the body of a streamed answer. One goroutine makes frames; fasthttp reads them from the connection's own
// goroutine, one read a frame and one frame a write, and closes the stream at the end or at the first failed write.
type stream struct {
	conn   net.Conn
	ping   time.Duration
	frames chan []byte
	rest   []byte        // of the frame that is being read
	closed chan struct{} // nothing is read any more
	once   sync.Once
	leave  func()
	finish func()
	make   func(send func([]byte))
}

// start begins to make frames.
func (st *stream) start(leave, finish func()) {
	st.leave, st.finish = leave, finish
	go func() {
		st.make(func(f []byte) {
			select {
			case st.frames <- f:
			case <-st.closed:
			}
		})
		close(st.frames)
		<-st.closed
		st.finish()
	}()
}

// Read gives the next frame, or a comment when there is none for a while. The write that follows has its own deadline:
// one for the whole answer would cut long ones, none would let a stalled reader hold the work.
func (st *stream) Read(p []byte) (int, error) {
	if len(st.rest) == 0 {
		silence := time.NewTimer(st.ping)
		defer silence.Stop()
		select {
		case f, more := <-st.frames:
			if !more {
				return 0, io.EOF
			}
			st.rest = f
		case <-silence.C:
			st.rest = pingFrame
		}
	}
	_ = st.conn.SetWriteDeadline(time.Now().Add(writeTimeout)) // fails only on a closed connection, as the write will
	n := copy(p, st.rest)
	st.rest = st.rest[n:]
	return n, nil
}

// Close ends the work.
func (st *stream) Close() error {
	st.once.Do(func() {
		close(st.closed)
		st.leave()
	})
	return nil
}

// streamed is the answer that tells a run as it goes on.
func (s *Server) streamed(ctx context.Context, r *request, run *follower, made telling, header map[string]string) answer {
	header["Content-Type"] = "text/event-stream"
	header["Cache-Control"] = "no-cache"
	header["X-Accel-Buffering"] = "no" // nginx would hold the events back
	return answer{status: http.StatusOK, header: header, stream: &stream{
		conn:   r.fast.Conn(),
		ping:   s.cfg.Ping,
		frames: make(chan []byte),
		closed: make(chan struct{}),
		make: func(send func([]byte)) {
			defer run.leave()
			if err := r.tell(ctx, run, made, send); err != nil {
				p := problemOf(ctx, err)
				r.refused(p)
				send(made.failed(p))
			}
		},
	}}
}

// tell sends a run's events, those that have come together in one piece. It is another goroutine than the request's, so a
// panic is caught here; r.fast must not be touched.
func (r *request) tell(ctx context.Context, run *follower, made telling, send func([]byte)) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &crash{v, debug.Stack()}
		}
	}()
	frames := made.opening()
	flush := func() {
		if len(frames) > 0 {
			send(frames)
			frames = nil
		}
	}
	for {
		if !run.ready() {
			flush()
		}
		event, err := run.next(ctx)
		if err != nil {
			flush()
			return err
		}
		if event == nil {
			break
		}
		r.record.event(event)
		frames = append(frames, made.add(ctx, event)...)
	}
	send(append(frames, made.closing(ctx)...))
	return nil
}
