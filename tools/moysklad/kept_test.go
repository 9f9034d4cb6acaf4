package moysklad

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"testing"
	"testing/synctest"
	"time"
)

// piped returns a transport that connects to peer through a pipe, so that a synctest bubble controls the time.
func piped(peer func(net.Conn)) (t *transport, opened *int) {
	opened = new(int)
	return newTransport(&url.URL{Scheme: "http", Host: "upstream"}, func(context.Context) (net.Conn, error) {
		ours, theirs := net.Pipe()
		*opened++
		go peer(theirs)
		return ours, nil
	}), opened
}

// anyTicket is a ticket for tests that call the transport without a pace.
var anyTicket = paceInMemory(6, 2, 4).tryEnter(class{})

func (t *transport) get(ctx context.Context) error {
	a, err := t.ask(ctx, &request{path: "entity/store"}, "token", anyTicket)
	if err != nil {
		return err
	}
	defer a.close()
	_, err = io.Copy(io.Discard, a)
	return err
}

func TestSilentUpstreamTimesOut(t *testing.T) {
	for name, said := range map[string]string{"before its answer": "", "within it": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				upstream, _ := piped(func(conn net.Conn) {
					go func() { _, _ = io.WriteString(conn, said) }()
					_, _ = io.Copy(io.Discard, conn)
				})
				began := time.Now()
				err := (&request{}).sendError(t.Context(), upstream.get(t.Context()))
				if took := time.Since(began); !errors.Is(err, ErrTimeout) || took != callTime {
					t.Errorf("%v after %v, want a timeout after %v", err, took, callTime)
				}
			})
		})
	}
}

// The upstream may take up to 300 seconds, for example for the report of a year.
func TestSlowAnswerIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		upstream, _ := piped(func(conn net.Conn) {
			_, _ = conn.Read(make([]byte, 4096))
			time.Sleep(299 * time.Second)
			_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
		})
		must(t, upstream.get(t.Context()))
		time.Sleep(time.Minute) // lets the connection close before the test ends
	})
}

// Source: md/_restrictions.md: a connection that was idle for 30 s must not be used again.
func TestIdleConnectionIsClosedBeforeItExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closed time.Time
		upstream, opened := piped(func(conn net.Conn) {
			buffer := make([]byte, 4096)
			for {
				if _, err := conn.Read(buffer); err != nil {
					closed = time.Now()
					return
				}
				_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
			}
		})
		for range 2 { // the second call uses the same connection
			must(t, upstream.get(t.Context()))
			time.Sleep(connectionIdle - time.Second)
		}
		last := time.Now().Add(time.Second - connectionIdle)
		time.Sleep(time.Minute)
		synctest.Wait()
		if idle := closed.Sub(last); *opened != 1 || idle < connectionIdle || idle > 30*time.Second {
			t.Errorf("%d connections; closed after %v, want one and %v", *opened, idle, connectionIdle)
		}
		if err := upstream.get(t.Context()); err != nil || *opened != 2 {
			t.Errorf("the call after that: %v, %d connections; want a new one", err, *opened)
		}
		time.Sleep(time.Minute) // lets the connection close before the test ends
	})
}

// If a caller cancels in the middle of an answer, the rest of the answer remains on the connection.
func TestConnectionOfACancelledCallIsNotReused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ends := make(chan struct{}, 2)
		upstream, opened := piped(func(conn net.Conn) {
			go func() { _, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{") }()
			_, _ = io.Copy(io.Discard, conn)
			ends <- struct{}{}
		})
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			began := time.Now()
			if err := upstream.get(ctx); err == nil || time.Since(began) != time.Second {
				t.Errorf("%v after %v, want an end with the context", err, time.Since(began))
			}
			cancel()
			<-ends
		}
		if *opened != 2 {
			t.Errorf("%d connections for two calls, want two", *opened)
		}
	})
}
