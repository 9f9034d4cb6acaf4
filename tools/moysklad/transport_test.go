package moysklad_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// wire is an upstream that answers with raw bytes. say returns the bytes of the answer to request number n, counted
// over all connections, and whether to close the connection after it.
type wire struct {
	net.Listener
	say func(n int) (answer string, closes bool)

	mu       sync.Mutex
	requests []string      // method and path of each request
	opened   int           // number of connections
	closed   chan struct{} // receives a value for each connection that the client has closed
}

func listenTo(t *testing.T, say func(n int) (string, bool)) (*wire, *moysklad.Client) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	w := &wire{Listener: listener, say: say, closed: make(chan struct{}, 100)}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			w.mu.Lock()
			w.opened++
			w.mu.Unlock()
			go w.serve(conn)
		}
	}()
	pool, err := moysklad.NewPool(moysklad.Config{URL: "http://" + listener.Addr().String() + "/api/remap/1.2"})
	must(t, err)
	return w, pool.Client("account", token)
}

func (w *wire) serve(conn net.Conn) {
	defer func() {
		conn.Close()
		w.closed <- struct{}{}
	}()
	reader := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		w.mu.Lock()
		w.requests = append(w.requests, req.Method+" "+req.URL.Path)
		n := len(w.requests)
		w.mu.Unlock()
		answer, closes := w.say(n)
		if _, err := io.WriteString(conn, answer); err != nil || closes {
			return
		}
	}
}

func (w *wire) seen() (requests, connections int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.requests), w.opened
}

func whole(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// A connection may be reused only if no bytes are left on it that the next call would read as its answer.
func TestConnectionIsReusedOnlyAfterACompleteAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		first string
		kept  bool
	}{
		"complete":                       {whole(`{"n":1}`), true},
		"chunked":                        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{\"n\":1}\r\n0\r\n\r\n", true},
		"empty":                          {"HTTP/1.1 204 No Content\r\n\r\n", true},
		"Connection: close":              {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 7\r\n\r\n{\"n\":1}", false},
		"HTTP/1.0":                       {"HTTP/1.0 200 OK\r\nContent-Length: 7\r\n\r\n{\"n\":1}", false},
		"more bytes than Content-Length": {whole(`{"n":1}`) + whole(`{"n":"not asked for"}`), false},
		"after a 1xx answer":             {"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + whole(`{"n":1}`), true},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := listenTo(t, func(n int) (string, bool) {
				if n == 1 {
					return test.first, false
				}
				return whole(`{"n":2}`), false
			})
			if _, err := c.Get(t.Context(), "entity/store", nil); err != nil {
				t.Fatal(err)
			}
			second, err := c.Get(t.Context(), "entity/store", nil)
			if err != nil || string(second.Body) != `{"n":2}` {
				t.Errorf("the second call got %q, %v", second.Body, err)
			}
			if _, connections := w.seen(); (connections == 1) != test.kept {
				t.Errorf("%d connections for two calls; kept should be %v", connections, test.kept)
			}
		})
	}
}

// If a write were sent on a closed connection, it would be unknown whether it arrived.
func TestWriteDoesNotUseAClosedConnection(t *testing.T) {
	w, c := listenTo(t, func(n int) (string, bool) { return whole(`{"id":"d1"}`), n == 1 })
	if _, err := c.Get(t.Context(), "entity/store", nil); err != nil {
		t.Fatal(err)
	}
	<-w.closed
	body := json.RawMessage(`{"syncId":"b6a1f8e0-5a39-4f0c-9c56-4d0c0a7f1d22"}`)
	if d, err := (&moysklad.Writer{Client: c}).Create(t.Context(), "move", body); err != nil || d.ID != "d1" {
		t.Errorf("%+v, %v", d, err)
	}
	if requests, connections := w.seen(); requests != 2 || connections != 2 {
		t.Errorf("%d requests on %d connections, want two on two", requests, connections)
	}
}

// The upstream begins no answer before it has received the third report request. A report that it is still working on
// must not delay the next one for longer than lateArrival and the limits per second require.
func TestSlowReportDoesNotDelayTheNextOne(t *testing.T) {
	third := make(chan struct{})
	_, c := listenTo(t, func(n int) (string, bool) {
		if n == 3 {
			close(third)
		}
		<-third
		return whole("{}"), false
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // the test takes a second and a half
	defer cancel()
	var asking sync.WaitGroup
	for range 3 {
		asking.Go(func() {
			if _, err := c.Get(ctx, "report/stock/bystore/current", nil); err != nil {
				t.Error(err)
			}
		})
	}
	asking.Wait()
}

func TestEndlessHeadersAreRefused(t *testing.T) {
	_, c := listenTo(t, func(int) (string, bool) {
		return "HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", true
	})
	if _, err := c.Get(t.Context(), "entity/store", nil); !errors.Is(err, moysklad.ErrUnavailable) {
		t.Errorf("%v, want ErrUnavailable", err)
	}
}

// A compressed answer that was cut short must not be read as complete.
func TestTruncatedGzipAnswerIsAnError(t *testing.T) {
	var once sync.Once
	_, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		cut := false
		once.Do(func() { cut = true })
		if !cut {
			packed(employee)(w, r)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xaaV\xca"))
	})
	if raw, err := c.Get(t.Context(), "entity/store", nil); err != nil || string(raw.Body) != employee || c.Calls() != 2 {
		t.Errorf("%q, %v after %d calls, want the second one's answer", raw.Body, err, c.Calls())
	}
}
