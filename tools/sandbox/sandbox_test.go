package sandbox_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// noon is the time for which the books of the tests are generated.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, moysklad.Moscow)

func fixed() time.Time { return noon }

// account is a sandbox behind a server.
type account struct {
	*sandbox.Sandbox
	t   *testing.T
	url string
}

func open(t *testing.T, config sandbox.Config) *account {
	t.Helper()
	if config.Now == nil {
		config.Now = fixed
	}
	s := sandbox.New(config)
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	return &account{s, t, server.URL + "/api/remap/1.2"}
}

// reply is an answer with its body uncompressed.
type reply struct {
	*http.Response
	text string
}

func (a *account) send(method, path, body string, header http.Header) reply {
	a.t.Helper()
	request, err := http.NewRequestWithContext(a.t.Context(), method, a.url+path, strings.NewReader(body))
	must(a.t, err)
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("Accept", "application/json;charset=utf-8")
	request.Header.Set("Authorization", "Bearer "+a.Token())
	maps.Copy(request.Header, header)
	response, err := http.DefaultTransport.RoundTrip(request)
	must(a.t, err)
	defer response.Body.Close()
	var reader io.Reader = response.Body
	if response.Header.Get("Content-Encoding") == "gzip" {
		if reader, err = gzip.NewReader(response.Body); err != nil {
			a.t.Fatal(err)
		}
	}
	text, err := io.ReadAll(reader)
	must(a.t, err)
	return reply{response, string(text)}
}

// get decodes the answer to a GET, which must succeed.
func get[T any](a *account, path string) T {
	a.t.Helper()
	answer := a.send(http.MethodGet, path, "", nil)
	if answer.StatusCode != http.StatusOK {
		a.t.Fatalf("GET %s: %d %s", path, answer.StatusCode, answer.text)
	}
	var decoded T
	if err := json.Unmarshal([]byte(answer.text), &decoded); err != nil {
		a.t.Fatalf("GET %s: %v in %s", path, err, answer.text)
	}
	return decoded
}

// href returns the canonical link of an item.
func href(item *sandbox.Item) string { return moysklad.Href(string(item.Kind), item.ID) }

// stockedItem returns an item that is in stock and has a known cost.
func (a *account) stockedItem() *sandbox.Item {
	a.t.Helper()
	for _, item := range a.Books().Assortment {
		for _, holding := range a.Books().Holdings(item) {
			if holding.Stock > 0 && holding.Cost() > 0 && !item.Archived {
				return item
			}
		}
	}
	a.t.Fatal("nothing is in stock")
	return nil
}

// list is a page of a list.
type list[T any] struct {
	Meta struct {
		Href     string `json:"href"`
		Type     string `json:"type"`
		Size     int    `json:"size"`
		Limit    int    `json:"limit"`
		Offset   int    `json:"offset"`
		Next     string `json:"nextHref"`
		Previous string `json:"previousHref"`
	} `json:"meta"`
	Rows []T `json:"rows"`
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
