package moysklad_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

const employee = `{"meta":{"href":"https://api.moysklad.ru/api/remap/1.2/context/employee","type":"employee"},"id":"e1","accountId":"0b7c9a3e","uid":"bot@shop","name":"Бот",
	"permissions":{"product":{"view":"ALL","update":"ALL"},"purchaseorder":{"view":"ALL","create":"ALL"},"stock":{"view":"ALL"}}}`

func TestRequestHasTheRequiredHeaders(t *testing.T) {
	u, c := serve(t, packed(employee))
	e, err := c.Employee(t.Context())
	if err != nil || e.AccountID != "0b7c9a3e" {
		t.Fatalf("%+v, %v", e, err)
	}
	r := u.requests()[0]
	for name, want := range map[string]string{
		"Accept": "application/json;charset=utf-8", "Accept-Encoding": "gzip", "Authorization": "Bearer " + secret,
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if r.Header.Get("Transfer-Encoding") != "" || r.ContentLength != 0 {
		t.Errorf("a read has a body of %v bytes", r.ContentLength)
	}
}

const (
	refusedRate     = `{"errors":[{"error":"Превышено ограничение на количество запросов в единицу времени","code":1049,"moreInfo":"https://dev.moysklad.ru/doc/api/remap/1.2/#error_1049"}]}`
	refusedParallel = `{"errors":[{"error":"Превышено ограничение на одновременное количество запросов","code":1073}]}`
	nginxPage       = "<html><head><title>502 Bad Gateway</title></head></html>"
)

func page(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		fmt.Fprint(w, nginxPage)
	}
}

func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func half(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "1000")
	fmt.Fprint(w, employee[:80])
	panic(http.ErrAbortHandler)
}

// direct connects the client to a handler without a network, so that the test can simulate time.
func direct(t testing.TB, handler http.HandlerFunc) func(context.Context) (net.Conn, error) {
	return func(context.Context) (net.Conn, error) {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { theirs.Close() })
		go func() {
			for requests := bufio.NewReader(theirs); ; {
				r, err := http.ReadRequest(requests)
				if err != nil {
					return
				}
				w := httptest.NewRecorder()
				w.Header().Set("Content-Type", "application/json;charset=utf-8")
				time.Sleep(20 * time.Millisecond)
				handler(w, r)
				answer := w.Result()
				answer.ContentLength = int64(w.Body.Len())
				if err := answer.Write(theirs); err != nil {
					return
				}
			}
		}()
		return ours, nil
	}
}

func without(t testing.TB, handler http.HandlerFunc) *moysklad.Client {
	t.Helper()
	p, err := moysklad.NewPool(moysklad.Config{Dial: direct(t, handler)})
	must(t, err)
	return p.Client("account", token)
}

func TestReadsAreRepeatedAtMostTwiceAndOnlyWhereItHelps(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc
		calls  int
		want   error
	}{
		{"connection reset", cut, 3, moysklad.ErrUnavailable},
		{"body cut short", half, 3, moysklad.ErrUnavailable},
		{"502 page", page(502), 3, moysklad.ErrUnavailable},
		{"503", says(503, ""), 3, moysklad.ErrUnavailable},
		{"504", says(504, ""), 3, moysklad.ErrUnavailable},
		{"500", says(500, ""), 1, moysklad.ErrUnavailable},
		{"400", says(400, `{"errors":[{"error":"x","code":1062}]}`), 1, moysklad.ErrRejected},
		{"401", says(401, `{"errors":[{"error":"x","code":1056}]}`), 1, moysklad.ErrTokenRefused},
		{"403", says(403, `{"errors":[{"error":"x","code":1016}]}`), 1, moysklad.ErrPermission},
		{"404 empty", says(404, ""), 1, moysklad.ErrRejected},
		{"412", says(412, `{"errors":[{"error":"x","code":3000}]}`), 1, moysklad.ErrRejected},
		{"415 empty", says(415, ""), 1, moysklad.ErrRejected},
		{"200 that is a page", page(200), 1, moysklad.ErrUnavailable},
		{"200 that is nothing", says(200, ""), 1, moysklad.ErrUnavailable},
		{"200 that is broken JSON", says(200, `{"id":`), 1, moysklad.ErrUnavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, c := serveAtOnce(t, test.answer)
			_, err := c.Employee(t.Context())
			if !errors.Is(err, test.want) || len(u.requests()) != test.calls || c.Calls() != test.calls {
				t.Errorf("%d calls seen, %d counted, error %v; want %d calls and %v", len(u.requests()), c.Calls(), err, test.calls, test.want)
			}
		})
	}
}

func TestWritesAreNeverRepeated(t *testing.T) {
	body := json.RawMessage(`{"syncId":"b6a1f8e0-5a39-4f0c-9c56-4d0c0a7f1d22","applicable":false}`)
	for name, answer := range map[string]http.HandlerFunc{"reset": cut, "502": page(502), "429": says(429, refusedRate)} {
		t.Run(name, func(t *testing.T) {
			u, reader := serveAtOnce(t, answer)
			c := moysklad.Writer{Client: reader}
			if _, err := c.Create(t.Context(), "purchaseorder", body); !errors.Is(err, moysklad.ErrUnavailable) || len(u.requests()) != 1 {
				t.Errorf("create: %d calls, %v", len(u.requests()), err)
			}
			if _, err := c.Update(t.Context(), "product", "1c0a", body); !errors.Is(err, moysklad.ErrUnavailable) || len(u.requests()) != 2 {
				t.Errorf("update: %d calls, %v", len(u.requests()), err)
			}
		})
	}
}

// A write that was not sent has had no effect. The effect of any other failed write is unknown.
func TestUnsentWriteDiffersFromOneOfUnknownOutcome(t *testing.T) {
	body := json.RawMessage(`{"syncId":"b6a1f8e0-5a39-4f0c-9c56-4d0c0a7f1d22"}`)
	_, cutOff := serve(t, cut)
	if _, err := (&moysklad.Writer{Client: cutOff}).Create(t.Context(), "move", body); errors.Is(err, moysklad.ErrNotSent) {
		t.Errorf("cut after it was sent: %v", err)
	}
	nobody, err := moysklad.NewPool(moysklad.Config{URL: "http://127.0.0.1:1"})
	must(t, err)
	if _, err := nobody.Writer("a", "t").Create(t.Context(), "move", body); !errors.Is(err, moysklad.ErrNotSent) || !errors.Is(err, moysklad.ErrUnavailable) {
		t.Errorf("nobody listens: %v", err)
	}
}

// net/http retries a GET by itself if a kept-alive connection breaks. The pace would not count such a retry.
func TestBrokenConnectionCausesNoUnpacedCall(t *testing.T) {
	u, c := serve(t, first(says(200, employee), cut, says(200, employee)))
	for range 2 {
		if _, err := c.Employee(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(u.requests()) != c.Calls() {
		t.Errorf("%d requests arrived, %d were paced", len(u.requests()), c.Calls())
	}
}

func TestRetryAfterIsMilliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := without(t, first(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Lognex-Retry-After", "1740")
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, refusedRate)
		}, says(200, employee)))
		begun := time.Now()
		if _, err := c.Employee(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took < 1740*time.Millisecond || took > 2500*time.Millisecond {
			t.Errorf("answered after %s, want soon after 1740 ms", took)
		}
	})
}

func TestRefusalsStayBelowTenAMinute(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"1049": says(429, refusedRate), "1073": says(429, refusedParallel), "page": page(429),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var refused []time.Time
				c := without(t, func(w http.ResponseWriter, r *http.Request) {
					refused = append(refused, time.Now())
					answer(w, r)
				})
				begun := time.Now()
				for time.Since(begun) < 10*time.Minute {
					if _, err := c.Employee(t.Context()); !errors.Is(err, moysklad.ErrUnavailable) {
						t.Fatalf("%v, want ErrUnavailable", err)
					}
					time.Sleep(50 * time.Millisecond)
				}
				for i, last := range refused {
					within := 0
					for _, at := range refused[:i+1] {
						if last.Sub(at) < time.Minute {
							within++
						}
					}
					if within >= 10 {
						t.Fatalf("%d refusals within a minute", within)
					}
				}
				if len(refused) > 30 {
					t.Errorf("%d refusals in ten minutes", len(refused))
				}
			})
		})
	}
}

// After the pause, any answer but another refusal shows that the upstream accepts calls again.
func TestServiceResumesAfterTheBreaker(t *testing.T) {
	for name, probe := range map[string]http.HandlerFunc{"success": says(200, employee), "not found": says(404, "")} {
		t.Run(name, func(t *testing.T) { resumesAfterTheBreaker(t, probe) })
	}
}

// resumesAfterTheBreaker opens the breaker. Then the upstream gives the answer probe, and after that it is healthy.
func resumesAfterTheBreaker(t *testing.T, probe http.HandlerFunc) {
	synctest.Test(t, func(t *testing.T) {
		answer := says(429, refusedRate)
		c := without(t, func(w http.ResponseWriter, r *http.Request) { answer(w, r) })
		for range 3 {
			_, _ = c.Employee(t.Context())
		}
		answer = probe
		if _, err := c.Employee(t.Context()); !errors.Is(err, moysklad.ErrUnavailable) {
			t.Errorf("while open: %v", err)
		}
		time.Sleep(time.Minute)
		if _, err := c.Get(t.Context(), "entity/product/1", nil); err != nil {
			t.Errorf("the first call after the pause: %v", err)
		}
		answer = says(200, employee)
		for range 3 {
			if _, err := c.Employee(t.Context()); err != nil {
				t.Errorf("after the pause: %v", err)
			}
		}
	})
}

// The vendor locks out clients that send 200 identical failing requests within a minute, whatever the error. Other
// requests to the account go on.
func TestARequestThatFailsAgainAndAgainIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		c := without(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/context/employee") {
				says(200, employee)(w, r)
				return
			}
			sent++
			says(404, "")(w, r)
		})
		var err error
		for begun := time.Now(); time.Since(begun) < 50*time.Second; time.Sleep(time.Millisecond) {
			_, err = c.Get(t.Context(), "entity/product/1", nil)
		}
		if sent < 100 || sent > 104 || !errors.Is(err, moysklad.ErrUnavailable) || !errors.Is(err, moysklad.ErrNotSent) {
			t.Errorf("%d failing requests within a minute, then %v", sent, err)
		}
		if _, err := c.Employee(t.Context()); err != nil {
			t.Errorf("another request: %v", err)
		}
		time.Sleep(time.Minute)
		if _, err := c.Get(t.Context(), "entity/product/1", nil); err != nil {
			t.Errorf("the request a minute later: %v", err)
		}
	})
}

// A caller who asks for many things that do not exist must not stop the account for everybody else.
func TestDifferentFailingRequestsDoNotStopTheAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := without(t, says(404, ""))
		for i := range 300 {
			if raw, err := c.Get(t.Context(), fmt.Sprint("entity/product/", i), nil); err != nil || raw.Status != http.StatusNotFound {
				t.Fatalf("request %d: status %d, %v", i, raw.Status, err)
			}
		}
	})
}

func TestACallEndsWithItsCaller(t *testing.T) {
	arrived := make(chan struct{}, 1)
	_, c := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	if _, err := c.Employee(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, moysklad.ErrTimeout) || c.Calls() != 1 {
		t.Errorf("cancelled: %v after %d calls", err, c.Calls())
	}
	late := &outOfTime{t.Context(), make(chan struct{})}
	go func() { <-arrived; close(late.out) }()
	if _, err := c.Employee(late); !errors.Is(err, moysklad.ErrTimeout) || c.Calls() != 2 {
		t.Errorf("out of time: %v after %d calls, want ErrTimeout", err, c.Calls())
	}
}

// outOfTime is a context whose deadline passes when the test says so.
type outOfTime struct {
	context.Context
	out chan struct{}
}

func (o *outOfTime) Done() <-chan struct{} { return o.out }

func (o *outOfTime) Err() error {
	select {
	case <-o.out:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func TestNoRedirectToAnotherAddressIsFollowed(t *testing.T) {
	var strayed []*http.Request
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { strayed = append(strayed, r) }))
	defer elsewhere.Close()
	for _, location := range []string{
		elsewhere.URL + "/steal", "http://169.254.169.254/latest/meta-data", "//" + strings.TrimPrefix(elsewhere.URL, "http://") + "/x",
		"/api/remap/1.2/../../admin", "/api/remap/1.2x/entity/product", "/elsewhere", "",
	} {
		u, c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusFound)
		})
		if _, err := c.Employee(t.Context()); !errors.Is(err, moysklad.ErrRejected) || len(u.requests()) != 1 {
			t.Errorf("%q: %d calls, %v; want ErrRejected after one", location, len(u.requests()), err)
		}
	}
	if len(strayed) > 0 {
		t.Errorf("a redirect was followed to another host with Authorization %q", strayed[0].Header.Get("Authorization"))
	}
}

// The id in the address of a web page differs from the id in the API. The upstream redirects with 308 to the canonical
// address with the API's id.
func TestAnIDFromAWebPageIsTranslated(t *testing.T) {
	for _, location := range []string{moysklad.CanonicalURL + "/entity/demand/api-id", "/api/remap/1.2/entity/demand/api-id"} {
		u, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/entity/demand/ui-id" {
				w.Header().Set("Location", location)
				w.WriteHeader(http.StatusPermanentRedirect)
				return
			}
			fmt.Fprint(w, `{"id":"api-id"}`)
		})
		d, err := c.Object(t.Context(), "entity/demand/ui-id", nil)
		if err != nil || string(d.Body) != `{"id":"api-id"}` || len(u.requests()) != 2 || c.Calls() != 2 {
			t.Errorf("%s: %s, %v after %d calls", location, d.Body, err, len(u.requests()))
		}
	}
}

// The gateway permits only listed paths and queries, so a redirect may change only the id.
func TestRedirectMayChangeOnlyTheID(t *testing.T) {
	for _, location := range []string{"security/token", "entity/webhook/1", "entity/demand/1/positions", "entity/demand", "report/stock/all"} {
		u, c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/api/remap/1.2/"+location)
			w.WriteHeader(http.StatusPermanentRedirect)
		})
		if _, err := c.Get(t.Context(), "entity/demand/ui-id", nil); !errors.Is(err, moysklad.ErrRejected) || len(u.requests()) != 1 {
			t.Errorf("%s: %v after %d calls", location, err, len(u.requests()))
		}
	}
	u, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/entity/demand/ui-id" {
			w.Header().Set("Location", "/api/remap/1.2/entity/demand/api-id?async=true")
			w.WriteHeader(http.StatusPermanentRedirect)
			return
		}
		fmt.Fprint(w, "{}")
	})
	if _, err := c.Get(t.Context(), "entity/demand/ui-id", url.Values{"expand": {"agent"}}); err != nil || u.requests()[1].URL.RawQuery != "expand=agent" {
		t.Errorf("%v, and asked %v", err, u.requests())
	}
}

func TestTheTokenIsRemovedFromAnErrorThatQuotesIt(t *testing.T) {
	var token string
	_, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		token = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"errors":[{"error":"the token %s is wrong","code":1001,"parameter":"%s"}]}`, token, token)
	})
	_, err := c.Employee(t.Context())
	told, is := errors.AsType[*moysklad.Error](err)
	if !is || token == "" || strings.Contains(err.Error()+told.Text+told.Parameter, token) || !strings.Contains(told.Text, "***") {
		t.Errorf("%v", err)
	}
}

func TestTheTokenIsRemovedFromAnAnswerThatIsPassedOn(t *testing.T) {
	for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
		_, c := serve(t, says(status, `{"error":"the token `+secret+` is wrong"}`))
		if raw, err := c.Get(t.Context(), "entity/product", nil); err != nil || string(raw.Body) != `{"error":"the token *** is wrong"}` {
			t.Errorf("%d: %s, %v", status, raw.Body, err)
		}
	}
}

func TestRedirectLoopEnds(t *testing.T) {
	u, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/api/remap/1.2/entity/demand/"+map[string]string{"a": "b", "b": "a"}[r.URL.Path[len("/entity/demand/"):]])
		w.WriteHeader(http.StatusPermanentRedirect)
	})
	if _, err := c.Object(t.Context(), "entity/demand/a", nil); !errors.Is(err, moysklad.ErrRejected) || len(u.requests()) != 2 {
		t.Errorf("%v after %d calls", err, len(u.requests()))
	}
}

func TestPathsStayBelowTheBase(t *testing.T) {
	u, c := serve(t, says(200, "{}"))
	for _, path := range []string{
		"", "/", "../security/token", "entity/../security/token", "entity//product", "entity/product/", "/entity/product",
		"entity/%2e%2e/x", "entity/product?limit=1", `entity\product`, "https://example.org/x", "entity/product#x", "entity/продукт", "entity/.",
	} {
		if _, err := c.Get(t.Context(), path, nil); !errors.Is(err, moysklad.ErrRejected) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if len(u.requests()) != 0 {
		t.Errorf("%d requests were sent", len(u.requests()))
	}
}

func TestGetReturnsTheUpstreamsAnswerUnchanged(t *testing.T) {
	u, c := serve(t, says(404, `{"errors":[{"error":"нет","code":1021}]}`))
	raw, err := c.Get(t.Context(), "entity/product/1c0a", url.Values{"filter": {"name=a b+c;code=1"}})
	if err != nil || raw.Status != 404 || string(raw.Body) != `{"errors":[{"error":"нет","code":1021}]}` {
		t.Errorf("%d %s, %v", raw.Status, raw.Body, err)
	}
	if got := u.requests()[0].URL.RawQuery; got != "filter=name%3Da%20b%2Bc%3Bcode%3D1" {
		t.Errorf("query %s", got)
	}
	_, c = serve(t, says(401, `{"errors":[{"error":"нет","code":1056}]}`))
	if _, err := c.Get(t.Context(), "entity/product", nil); !errors.Is(err, moysklad.ErrTokenRefused) {
		t.Errorf("refused token: %v", err)
	}
}

func TestTooLargeAnswerIsNotReadToTheEnd(t *testing.T) {
	u, c := serve(t, packed(strings.Repeat(" ", 33<<20))) // 33 KiB on the wire
	raw, err := c.Get(t.Context(), "entity/product", nil)
	if !errors.Is(err, moysklad.ErrTooLarge) || errors.Is(err, moysklad.ErrUnavailable) || len(u.requests()) != 1 {
		t.Errorf("%d bytes in %d calls, %v; want ErrTooLarge after one", len(raw.Body), len(u.requests()), err)
	}
}

func TestEachClientCountsItsOwnCalls(t *testing.T) {
	_, c := serve(t, first(says(200, employee), says(503, ""), says(200, employee)))
	a, b := c.WithOwnCallCount(), c.WithOwnCallCount()
	_, errA := a.Employee(t.Context())
	_, errB := b.Employee(t.Context())
	if errA != nil || errB != nil || a.Calls() != 1 || b.Calls() != 2 || c.Calls() != 0 {
		t.Errorf("%d, %d and %d calls, want 1, 2 (one repeated) and 0; %v %v", a.Calls(), b.Calls(), c.Calls(), errA, errB)
	}
}

func TestTheTokenIsNeverPrinted(t *testing.T) {
	var log strings.Builder
	u, _ := serve(t, first(says(401, `{"errors":[{"error":"x","code":1056}]}`), page(502), cut, says(200, `{"id":1}`)))
	pool := u.pool(t, moysklad.Config{Log: logTo(&log)})
	printed := []any{token, struct{ T moysklad.Token }{token}, []moysklad.Token{token}}
	for _, c := range []*moysklad.Client{pool.Client("account", token), pool.Probe(token)} {
		for range 2 {
			_, err := c.Employee(t.Context())
			if err == nil {
				t.Fatal("no error to print")
			}
			printed = append(printed, err, c, *c)
		}
	}
	_, err := pool.Probe(token + "\n").Employee(t.Context())
	printed = append(printed, err)
	for _, value := range printed {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			if text := fmt.Sprintf(verb, value); strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret)) {
				t.Errorf("%T under %s shows the token", value, verb)
			}
		}
		if text, _ := json.Marshal(value); strings.Contains(string(text), secret) {
			t.Errorf("%T as JSON shows the token", value)
		}
	}
	logTo(&log).Info("x", "token", token, "in", struct{ T moysklad.Token }{token})
	if strings.Contains(log.String(), secret) {
		t.Error("the log shows the token")
	}
	if !strings.Contains(log.String(), `"path":"context/employee"`) {
		t.Errorf("the log does not list the calls: %s", log.String())
	}
}

func TestAMalformedTokenIsNotSent(t *testing.T) {
	u, _ := serve(t, says(200, employee))
	for _, bad := range []moysklad.Token{"", "a b", "a\nb", "ключ"} {
		if _, err := u.pool(t, moysklad.Config{}).Probe(bad).Employee(t.Context()); !errors.Is(err, moysklad.ErrTokenRefused) {
			t.Errorf("%q: %v", string(bad), err)
		}
	}
	if len(u.requests()) > 0 {
		t.Error("it was sent")
	}
}

func TestSettingsMayLowerTheLimitsButNotRaiseThem(t *testing.T) {
	for _, test := range []struct {
		cfg  moysklad.Config
		want string
	}{
		{moysklad.Config{}, ""},
		{moysklad.Config{Rate: 1, StockRate: 1, Parallel: 1}, ""},
		{moysklad.Config{Rate: 7}, "Rate"},
		{moysklad.Config{StockRate: 3}, "StockRate"},
		{moysklad.Config{Parallel: 6}, "Parallel"},
		{moysklad.Config{Rate: -1}, "Rate"},
		{moysklad.Config{URL: "api.moysklad.ru"}, "URL"},
		{moysklad.Config{URL: "ftp://api.moysklad.ru"}, "URL"},
		{moysklad.Config{URL: "https://user:pw@api.moysklad.ru"}, "URL"},
	} {
		_, err := moysklad.NewPool(test.cfg)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want an error that names %q", test.cfg, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "pw@") {
			t.Errorf("the error shows a password: %v", err)
		}
	}
}

// Two clients of one account share its queue, even if one of them was created by Probe before its account was known.
func TestAProbeSharesThePaceOnceTheAccountIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		p, err := moysklad.NewPool(moysklad.Config{Rate: 1, Dial: direct(t, func(w http.ResponseWriter, r *http.Request) {
			at = append(at, time.Now())
			says(200, employee)(w, r)
		})})
		must(t, err)
		probe, known := p.Probe(token), p.Client("0b7c9a3e", "another")
		for _, c := range []*moysklad.Client{probe, known, probe, known} {
			if _, err := c.Employee(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for i := 1; i < len(at); i++ {
			if between := at[i].Sub(at[i-1]); between < time.Second {
				t.Errorf("call %d came %s after the previous one", i, between)
			}
		}
	})
}

// A token is connected again while its account is busy. Its calls wait in the account's pace from the first one on, even
// if the token was taken for one of another account before. That account's pace stays its own.
func TestAProbeOfAKnownTokenWaitsInThePaceOfItsAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var at []time.Time
		p, err := moysklad.NewPool(moysklad.Config{Rate: 1, Dial: direct(t, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			at = append(at, time.Now())
			mu.Unlock()
			says(200, employee)(w, r)
		})})
		must(t, err)
		var calls sync.WaitGroup
		ask := func(c *moysklad.Client) {
			calls.Go(func() {
				if _, err := c.Employee(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		known := p.Client("0b7c9a3e", token)
		for range 3 {
			ask(known)
			ask(p.Probe(token))
		}
		calls.Wait()
		mistaken := p.Client("another account", "mistaken")
		for _, c := range []*moysklad.Client{p.Probe("mistaken"), p.Probe("mistaken"), known} {
			ask(c)
			calls.Wait()
		}
		for i := 1; i < len(at); i++ {
			if between := at[i].Sub(at[i-1]); i != 6 && between < time.Second { // call 6 is the first in the other pace
				t.Errorf("call %d came %s after the previous one", i, between)
			}
		}
		began := time.Now()
		ask(mistaken)
		calls.Wait()
		if waited := time.Since(began); waited > time.Second/2 {
			t.Errorf("the other account's call waited %s", waited)
		}
	})
}

// Source: md/_restrictions.md: more than 100 requests on one connection fail.
func TestConnectionIsClosedAfterAHundredRequests(t *testing.T) {
	perConnection := map[string]int{}
	u, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		perConnection[r.RemoteAddr]++
		fmt.Fprint(w, employee)
	})
	pool := u.pool(t, moysklad.Config{})
	for i := range 120 {
		if _, err := pool.Client(fmt.Sprint(i%40), token).Employee(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for address, n := range perConnection {
		if n > 100 {
			t.Errorf("%d requests on connection %s", n, address)
		}
	}
	if len(perConnection) != 2 {
		t.Errorf("%d connections for 120 requests, want 2", len(perConnection))
	}
}

func TestMemoryIsReservedForALongAnswer(t *testing.T) {
	const length = 300 << 10
	u, c := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, strings.Repeat("x", length)) })
	var reserved []int
	limit := 1 << 20
	full := errors.New("full")
	limited := c.Reserving(func(size int) error {
		if reserved = append(reserved, size); size > limit {
			return full
		}
		return nil
	})
	raw, err := limited.Get(t.Context(), "entity/product", nil)
	if err != nil || len(raw.Body) != length || !slices.Equal(reserved, []int{128 << 10, 256 << 10, 512 << 10}) {
		t.Errorf("%d bytes, %v, reserved %v", len(raw.Body), err, reserved)
	}
	limit = 256 << 10
	if _, err := limited.Get(t.Context(), "entity/product", nil); !errors.Is(err, full) || errors.Is(err, moysklad.ErrUnavailable) || len(u.requests()) != 2 {
		t.Errorf("%v after %d requests", err, len(u.requests()))
	}
}
