package moysklad_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// forgetful gives every call an empty ledger, so that no call of a benchmark has to wait.
type forgetful struct{}

func (forgetful) Shared() bool { return false }

func (f forgetful) Of(string) moysklad.Changer { return f }

func (forgetful) Change(_ context.Context, f func(time.Time, *moysklad.Ledger) bool) error {
	f(time.Now(), &moysklad.Ledger{})
	return nil
}

var answerOfStores = strings.ReplaceAll(`HTTP/1.1 200 OK
Content-Type: application/json;charset=utf-8
Content-Length: 1000
X-RateLimit-Limit: 45
X-RateLimit-Remaining: 41
X-Lognex-Retry-TimeInterval: 3000
X-Lognex-Reset: 0

`, "\n", "\r\n") + strings.Repeat("x", 1000)

// quick starts a server that answers every request with the same bytes. It returns the base URL.
func quick(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go answerAll(conn)
		}
	}()
	return "http://" + listener.Addr().String() + "/api/remap/1.2"
}

func answerAll(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewReader(conn)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return
		}
		if len(line) == 2 { // the end of the headers
			if _, err := io.WriteString(conn, answerOfStores); err != nil {
				return
			}
		}
	}
}

// atOnce is a connection that answers without a network.
type atOnce struct {
	net.Conn
	answer strings.Reader
}

func dialAtOnce(context.Context) (net.Conn, error) { return &atOnce{}, nil }

func (c *atOnce) Write(p []byte) (int, error) {
	c.answer.Reset(answerOfStores)
	return len(p), nil
}

func (c *atOnce) Read(p []byte) (int, error) { return c.answer.Read(p) }

func (c *atOnce) SetDeadline(time.Time) error { return nil }

func (c *atOnce) Close() error { return nil }

// BenchmarkGet measures [Client.Get] in two ways: the client alone, and with connections to a server on this machine.
func BenchmarkGet(b *testing.B) {
	for name, cfg := range map[string]moysklad.Config{"client": {Dial: dialAtOnce}, "connection": {URL: quick(b)}} {
		b.Run(name, func(b *testing.B) {
			get := getter(b, cfg)
			b.ReportAllocs()
			for b.Loop() {
				get()
			}
		})
	}
}

func getter(t testing.TB, cfg moysklad.Config) func() {
	t.Helper()
	cfg.Ledgers = forgetful{}
	cfg.Observe = func(moysklad.Observation) {}
	pool, err := moysklad.NewPool(cfg)
	must(t, err)
	client := pool.Client("account", token)
	query := url.Values{"limit": {"100"}}
	return func() {
		if raw, err := client.Get(t.Context(), "entity/store", query); err != nil || len(raw.Body) != 1000 {
			t.Fatal(fmt.Errorf("%d bytes: %w", len(raw.Body), err))
		}
	}
}
