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

// piped is a transport whose connections end at peer, within the bubble's time.
func piped(peer func(net.Conn)) (t *transport, opened *int) {
	opened = new(int)
	return newTransport(&url.URL{Scheme: "http", Host: "upstream"}, func(context.Context) (net.Conn, error) {
		ours, theirs := net.Pipe()
		*opened++
		go peer(theirs)
		return ours, nil
	}), opened
}

// anyTicket is for calls whose pace does not matter.
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

// Source: md/_restrictions.md: a connection that was idle for 30 s must not be used.
func TestAnIdleConnectionIsClosedInTime(t *testing.T) {
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
		for range 2 { // the second call comes soon enough to use the connection of the first
			if err := upstream.get(t.Context()); err != nil {
				t.Fatal(err)
			}
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
		time.Sleep(time.Minute) // no connection outlives the test
	})
}

// A caller that leaves in the middle of an answer leaves the rest of it on the connection.
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
