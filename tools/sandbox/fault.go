package sandbox

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Fault makes calls fail. Times is how often, 0 for until [Sandbox.Heal]. The rest says how: Status with Body and
// ContentType instead of the answer; Hang never answers; Reset cuts the connection; Delay answers late. With
// AfterApply a write takes effect before it fails.
type Fault struct {
	Method      string // empty is any
	Path        string // prefix, without the base: /entity/purchaseorder
	Times       int
	Status      int
	Header      http.Header
	Body        string
	ContentType string // of Body; empty is application/json
	Delay       time.Duration
	Hang        bool
	Reset       bool
	AfterApply  bool
}

// faults are what is to go wrong, and what was asked so far.
type faults struct {
	mu    sync.Mutex // guards what follows
	armed []*Fault
	calls Calls
}

// Fault arms a fault. Of several that fit a call the one armed first happens.
func (s *Sandbox) Fault(fault Fault) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.armed = append(s.faults.armed, &fault)
}

// Heal disarms all faults.
func (s *Sandbox) Heal() {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.armed = nil
}

// next is the fault that happens to a call, nil for none.
func (f *faults) next(method, path string) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, fault := range f.armed {
		if fault.Method != "" && fault.Method != method || !strings.HasPrefix(path, fault.Path) {
			continue
		}
		if fault.Times > 0 {
			if fault.Times--; fault.Times == 0 {
				f.armed = append(f.armed[:i:i], f.armed[i+1:]...)
			}
		}
		happens := *fault
		return &happens
	}
	return nil
}

func (f *faults) log(call Call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call)
}

// happen answers in place of the API. It reports whether it did; a mere delay did not.
func (f *Fault) happen(w http.ResponseWriter, r *http.Request) bool {
	if f.Delay > 0 {
		wait(r, f.Delay)
	}
	switch {
	case f.Hang:
		<-r.Context().Done()
		return true
	case f.Reset:
		panic(http.ErrAbortHandler)
	case f.Status != 0:
		maps.Copy(w.Header(), f.Header)
		w.Header().Set("Content-Type", "application/json;charset=utf-8")
		if f.ContentType != "" {
			w.Header().Set("Content-Type", f.ContentType)
		}
		w.WriteHeader(f.Status)
		_, _ = w.Write([]byte(f.Body))
		return true
	}
	return false
}

// wait holds a call back until the time is over or the caller gone.
func wait(r *http.Request, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	}
}
