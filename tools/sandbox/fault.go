package sandbox

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Fault makes calls fail, or delays their answers.
type Fault struct {
	Method      string        // empty means any
	Path        string        // prefix of the path without the base, such as /entity/purchaseorder
	Times       int           // number of calls that the fault applies to; 0 means all until [Sandbox.Heal]
	Status      int           // answer with this status, Header and Body; 0 means the normal answer
	Header      http.Header   // headers of an answer with Status
	Body        string        // body of an answer with Status
	ContentType string        // Content-Type of Body; empty means application/json
	Delay       time.Duration // wait before the answer
	Hang        bool          // never answer
	Reset       bool          // close the connection
	AfterApply  bool          // apply the write before it fails
}

// faults has the armed faults and the log of calls.
type faults struct {
	mu    sync.Mutex // guards the fields below
	armed []*Fault
	calls Calls
}

// Fault arms a fault. If several faults match a call, the one that was armed first applies.
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

// next returns the fault that applies to a call, and counts the call. It returns nil if there is none.
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
		return new(*fault)
	}
	return nil
}

func (f *faults) log(call Call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call)
}

// apply waits for the delay, and then answers instead of the API if the fault says so. It reports whether it has
// answered.
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

// wait waits for the given time, or until the caller disconnects.
func wait(r *http.Request, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	}
}
