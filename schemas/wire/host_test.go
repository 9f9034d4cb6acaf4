package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/schemas/wire"
)

// says returns a host whose connections send the given bytes in answer to any request, and then close.
func says(t *testing.T, answer string) *wire.Host {
	return wire.New(func(context.Context) (net.Conn, error) {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { ours.Close() })
		go func() {
			defer theirs.Close()
			_, _ = theirs.Read(make([]byte, 1<<10))
			_, _ = io.WriteString(theirs, answer)
		}()
		return ours, nil
	}, time.Minute, 0, 4<<10)
}

// fasthttp alone accepts the first three as complete.
func TestTruncatedBodyIsAnError(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for name, test := range map[string]struct {
		answer string
		whole  bool
	}{
		"cut before the first chunk": {head, false},
		"cut between two chunks":     {head + "3\r\nyes\r\n", false},
		"cut before the trailer":     {head + "3\r\nyes\r\n0\r\n", false},
		"cut within a chunk":         {head + "9\r\nyes", false},
		"shorter than its length":    {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nyes", false},
		"complete, chunked":          {head + "3\r\nyes\r\n0\r\n\r\n", true},
		"complete, with a length":    {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes", true},
	} {
		t.Run(name, func(t *testing.T) {
			host := says(t, test.answer)
			call, err := host.Call(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			head := &fasthttp.RequestHeader{}
			head.SetHost("host")
			if err := errors.Join(call.Send(head), call.ReadHeaders()); err != nil {
				t.Fatal(err)
			}
			_, err = io.ReadAll(call)
			call.Close()
			if whole := err == nil; whole != test.whole || host.Idle() == 1 != test.whole {
				t.Errorf("read with %v, %d idle connections; want complete: %v", err, host.Idle(), test.whole)
			}
		})
	}
}

// A server may accept connections without ever starting TLS. A caller whose context ends must not wait for it.
func TestDialingEndsWithTheContext(t *testing.T) {
	deaf, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	dial, err := wire.Dialer(&url.URL{Scheme: "https", Host: deaf.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		if _, err := deaf.Accept(); err == nil {
			leave()
		}
	}()
	host := wire.New(dial, time.Minute, 0, 4<<10)
	if _, err := host.Call(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
	if host.Open() != 0 {
		t.Errorf("%d connections are open", host.Open())
	}
}

// If an answer is abandoned in the middle, its connection is freed and the rest of the answer is discarded.
func TestAbandonedCallFreesItsConnection(t *testing.T) {
	host := wire.New(func(context.Context) (net.Conn, error) {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { theirs.Close() })
		go func() {
			_, _ = theirs.Read(make([]byte, 1<<10))
			_, _ = io.WriteString(theirs, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nyes")
		}()
		return ours, nil
	}, time.Minute, 0, 4<<10)
	ctx, leave := context.WithCancel(t.Context())
	call, err := host.Call(ctx)
	if err != nil {
		t.Fatal(err)
	}
	head := &fasthttp.RequestHeader{}
	head.SetHost("host")
	if err := errors.Join(call.Send(head), call.ReadHeaders()); err != nil {
		t.Fatal(err)
	}
	leave()
	if text, err := io.ReadAll(call); err == nil {
		t.Errorf("%q was accepted as complete", text)
	}
	call.Close()
	if host.Open() != 0 || host.Idle() != 0 {
		t.Errorf("%d connections are open, %d idle", host.Open(), host.Idle())
	}
}
