package sandbox

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Fault makes calls fail or answers them late.
type Fault struct {
	Method      string        // empty means any
	Path        string        // prefix, without the base: /entity/purchaseorder
	Times       int           // number of calls to fail; 0 means all until [Sandbox.Heal]
	Status      int           // answer with this status, Header and Body; 0 means the usual answer
	Header      http.Header   // of the answer with Status
	Body        string        // of the answer with Status
	ContentType string        // of Body; empty means application/json
	Delay       time.Duration // wait before the answer
	Hang        bool          // never answer
	Reset       bool          // cut the connection
	AfterApply  bool          // a write takes effect before it fails
}

// faults are the armed faults and the log of calls.
type faults struct {
	mu    sync.Mutex // guards what follows
	armed []*Fault
	calls Calls
}

// Fault arms a fault. If several fit a call, the one that was armed first applies.
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

// next returns the fault for a call, or nil, and counts it down.
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
		copied := *fault
		return &copied
	}
	return nil
}

func (f *faults) log(call Call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call)
}

// apply waits for the delay, answers in place of the API and reports whether it has answered.
func (f *Fault) apply(w http.ResponseWriter, r *http.Request) bool {
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

// wait waits for a while, or until the caller is gone.
func wait(r *http.Request, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	}
}
