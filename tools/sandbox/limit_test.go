package sandbox_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// call makes one request without a network, so that the test can simulate time.
func call(s *sandbox.Sandbox, path string) *answered {
	request, err := http.NewRequest(http.MethodGet, "/api/remap/1.2"+path, http.NoBody)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("Authorization", "Bearer "+s.Token())
	w := &answered{header: http.Header{}}
	s.Handler().ServeHTTP(w, request)
	return w
}

type answered struct {
	header http.Header
	status int
}

func (a *answered) Header() http.Header            { return a.header }
func (a *answered) WriteHeader(status int)         { a.status = status }
func (a *answered) Write(text []byte) (int, error) { return len(text), nil }
func (a *answered) remaining() string              { return a.header.Get("X-RateLimit-Remaining") }

func TestUnitsAreCountedByWeight(t *testing.T) {
	for weight, fit := range map[int]int{1: 45, 2: 22, 3: 15, 4: 11} {
		t.Run(fmt.Sprint(weight), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := sandbox.New(sandbox.Config{Products: 20, UnitWeight: weight, Now: fixed})
				for n := range fit {
					if got := call(s, "/entity/store"); got.status != http.StatusOK || got.remaining() != fmt.Sprint(45-(n+1)*weight) {
						t.Fatalf("call %d: %d with %s units left", n+1, got.status, got.remaining())
					}
				}
				time.Sleep(time.Second)
				refused := call(s, "/entity/store")
				if refused.status != http.StatusTooManyRequests || refused.header.Get("X-Lognex-Retry-After") != "2001" ||
					refused.header.Get("X-RateLimit-Limit") != "45" || refused.header.Get("X-Lognex-Retry-TimeInterval") != "3000" ||
					refused.header.Get("Retry-After") != "" {
					t.Errorf("the refusal has status %d and headers %v", refused.status, refused.header)
				}
				time.Sleep(2 * time.Second)
				if got := call(s, "/entity/store"); got.status != http.StatusOK {
					t.Errorf("after the window: %d", got.status)
				}
				log := s.Log()
				if one, four := log.MaxCalls(time.Second), log.MaxCalls(4*time.Second); log.Refusals() != 1 || one != fit || four != fit+2 {
					t.Errorf("log: %d refusals, %d calls in a second, %d in four", log.Refusals(), one, four)
				}
			})
		})
	}
}

// From certain days on, a request costs more units, as the vendor has announced.
//
// Source: md/notifications/rate-limits.md.
func TestCostInUnitsRisesOnTheAnnouncedDays(t *testing.T) {
	for day, left := range map[string]string{
		"2026-05-11": "44", "2026-05-12": "43", "2026-08-31": "43", "2026-09-01": "42", "2026-11-30": "42",
		"2026-12-01": "41", "2027-01-01": "41",
	} {
		start, err := time.ParseInLocation(time.DateOnly, day, moysklad.Moscow)
		must(t, err)
		s := sandbox.New(sandbox.Config{Products: 20, Now: func() time.Time { return start }})
		if got := call(s, "/entity/store"); got.remaining() != left {
			t.Errorf("%s: %s units left of 45 after a request, want %s", day, got.remaining(), left)
		}
	}
}

func TestStockReportsCostFiveUnits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Config{Products: 20, UnitWeight: 1, Now: fixed})
		for _, step := range []struct{ path, left string }{
			{"/report/stock/all", "40"}, {"/report/stock/bystore", "35"}, {"/report/stock/all/current", "34"},
			{"/report/stock/bystore/current", "33"},
		} {
			if got := call(s, step.path); got.remaining() != step.left {
				t.Errorf("%s leaves %s units, want %s", step.path, got.remaining(), step.left)
			}
		}
		if got := s.Log().MaxStockCalls(time.Second); got != 4 {
			t.Errorf("%d stock calls, want 4", got)
		}
	})
}

func TestSixthParallelCallGets429(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Config{Products: 20, UnitWeight: 1, Now: fixed, Latency: time.Second})
		var all sync.WaitGroup
		for range 7 {
			all.Go(func() { call(s, "/entity/store") })
		}
		all.Wait()
		refused := 0
		for _, call := range s.Log() {
			if call.Code == 1073 && call.Status == http.StatusTooManyRequests {
				refused++
			}
		}
		if refused != 2 || s.Log().MaxInFlight() != 5 {
			t.Errorf("%d refused, %d in flight", refused, s.Log().MaxInFlight())
		}
	})
}

func TestRefusalCanBeHTML(t *testing.T) {
	a := open(t, sandbox.Config{Products: 20, UnitWeight: 4, Switches: sandbox.Switches{RefusalsAreHTML: true}})
	var last reply
	for range 12 {
		last = a.send(http.MethodGet, "/entity/store", "", nil)
	}
	if last.StatusCode != http.StatusTooManyRequests || last.Header.Get("Content-Type") != "text/html" {
		t.Errorf("%d %s", last.StatusCode, last.Header.Get("Content-Type"))
	}
}

func TestFaultAppliesToTheArmedNumberOfCalls(t *testing.T) {
	a := open(t, sandbox.Config{Products: 20, Unlimited: true})
	a.Fault(sandbox.Fault{
		Method: http.MethodGet, Path: "/entity/store", Times: 2,
		Status: http.StatusBadGateway, Body: "<html>502</html>", ContentType: "text/html",
	})
	for n, want := range []int{502, 502, 200} {
		if got := a.send(http.MethodGet, "/entity/store", "", nil).StatusCode; got != want {
			t.Errorf("call %d: %d, want %d", n+1, got, want)
		}
	}
	a.Fault(sandbox.Fault{Status: http.StatusInternalServerError})
	a.Heal()
	if got := a.send(http.MethodGet, "/entity/store", "", nil).StatusCode; got != http.StatusOK {
		t.Errorf("after Heal: %d", got)
	}
}

// The write takes effect, but its answer is lost. The document must be found by its syncId.
func TestFaultAfterApplyLeavesTheDocument(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 60, Unlimited: true})
	a.Fault(sandbox.Fault{Method: http.MethodPost, Path: "/entity/purchaseorder", Times: 1, Reset: true, AfterApply: true})
	body := strings.NewReader(a.order(`,"syncId":"3f0e4a53-0000-4000-8000-000000000001"`))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.url+"/entity/purchaseorder", body)
	must(t, err)
	request.Header = http.Header{
		"Authorization": {"Bearer " + a.Token()}, "Content-Type": {"application/json"}, "Accept-Encoding": {"gzip"},
	}
	if response, err := http.DefaultTransport.RoundTrip(request); err == nil {
		response.Body.Close()
		t.Fatal("the answer was not lost")
	}
	found := get[list[moysklad.Document]](a, "/entity/purchaseorder?filter=syncId=3f0e4a53-0000-4000-8000-000000000001")
	if found.Meta.Size != 1 || found.Rows[0].Applicable {
		t.Errorf("found %+v", found)
	}
}
