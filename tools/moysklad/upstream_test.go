package moysklad_test

import (
	"compress/gzip"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

const token = moysklad.Token("5f0c2a7be1d94a6f8b3c7d1e9a2b4c6d8e0f1a2b")

const secret = "5f0c2a7be1d94a6f8b3c7d1e9a2b4c6d8e0f1a2b"

// upstream is a server that answers with samples from the documentation and records the requests.
type upstream struct {
	*httptest.Server
	mu    sync.Mutex
	asked []*http.Request
}

// serve starts an upstream that passes requests for /api/remap/1.2 to handler, without this prefix. Like the real one,
// it requires gzip.
func serve(t testing.TB, handler http.HandlerFunc) (*upstream, *moysklad.Client) {
	t.Helper()
	u := &upstream{}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.mu.Lock()
		u.asked = append(u.asked, r)
		u.mu.Unlock()
		if r.Header.Get("Accept-Encoding") != "gzip" {
			w.WriteHeader(http.StatusUnsupportedMediaType)
			return
		}
		r.URL.Path = strings.TrimPrefix(r.URL.Path, "/api/remap/1.2")
		w.Header().Set("Content-Type", "application/json;charset=utf-8")
		handler(w, r)
	}))
	t.Cleanup(u.Close)
	return u, u.pool(t, moysklad.Config{}).Client("account", token)
}

// serveAtOnce is like serve, but no call waits for an earlier one. It is for tests that do not concern the pace.
func serveAtOnce(t testing.TB, handler http.HandlerFunc) (*upstream, *moysklad.Client) {
	t.Helper()
	u, _ := serve(t, handler)
	return u, u.pool(t, moysklad.Config{Ledgers: sandbox.Unpaced{}}).Client("account", token)
}

func (u *upstream) pool(t testing.TB, cfg moysklad.Config) *moysklad.Pool {
	t.Helper()
	cfg.URL = u.URL + "/api/remap/1.2"
	p, err := moysklad.NewPool(cfg)
	must(t, err)
	return p
}

func (u *upstream) requests() []*http.Request {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]*http.Request(nil), u.asked...)
}

// says returns a handler that answers with one status and body.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// first returns a handler that gives the answers in order, and then repeats the last one.
func first(answers ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	next := 0
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		answer := answers[min(next, len(answers)-1)]
		next++
		mu.Unlock()
		answer(w, r)
	}
}

func packed(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, body)
		_ = z.Close()
	}
}

// list returns a page of a list in the upstream's format.
func list(size, limit, offset int, rows ...string) string {
	return fmt.Sprintf(`{"context":{"employee":{"meta":{"href":"https://api.moysklad.ru/api/remap/1.2/context/employee","type":"employee"}}},
		"meta":{"href":"https://api.moysklad.ru/api/remap/1.2/entity/product","type":"product","mediaType":"application/json","size":%d,"limit":%d,"offset":%d},
		"rows":[%s]}`, size, limit, offset, strings.Join(rows, ","))
}

func collect[T any](seq func(func(T, error) bool)) (rows []T, err error) {
	for row, e := range seq {
		if e != nil {
			return rows, e
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func logTo(b *strings.Builder) *slog.Logger {
	return slog.New(slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
