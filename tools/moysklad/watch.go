package moysklad

import (
	"context"
	"sync"
	"time"
)

// callTime bounds an exchange, from a connection being there to the end of the answer.
const callTime = 2 * time.Minute

// lookEvery is how late it may be noticed that an exchange has to end, or that its call has arrived.
const lookEvery = 25 * time.Millisecond

// watch looks after the exchanges that are under way. Most end within milliseconds and cost a place in a list: no timers and
// no watcher of their context each, which took as long as all else that is done for a call.
type watch struct {
	mu       sync.Mutex
	underWay []*exchange
	looking  bool // a timer runs; it ends with the last of them
}

// exchange is a call's time on a connection.
type exchange struct {
	ctx    context.Context
	conn   *connection
	ticket *ticket // hears that the call has arrived

	// Guarded by the watch's mutex.
	begun time.Time
	sent  time.Time // when the request was written; zero before, and when the ticket has heard
	place int       // in underWay
	cut   bool      // the connection can be used no more
}

func (w *watch) begin(e *exchange) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e.begun, e.place = time.Now(), len(w.underWay)
	w.underWay = append(w.underWay, e)
	if !w.looking {
		w.looking = true
		time.AfterFunc(lookEvery, w.look)
	}
}

// written notes that the call has just gone out.
func (w *watch) written(e *exchange) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e.sent = time.Now()
}

// end says whether the connection can be used on.
func (w *watch) end(e *exchange) (whole bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	last := len(w.underWay) - 1
	w.underWay[e.place] = w.underWay[last]
	w.underWay[e.place].place = e.place
	w.underWay[last], w.underWay = nil, w.underWay[:last]
	return !e.cut
}

// look cuts off exchanges whose context or time has ended, and tells of calls that have arrived at the latest by now. Only
// those that take long cost their ledger that change.
func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	for _, e := range w.underWay {
		if !e.cut && (e.ctx.Err() != nil || now.Sub(e.begun) >= callTime) {
			e.cut = true
			_ = e.conn.SetDeadline(time.Unix(1, 0)) // ends whatever is read or written
		}
		if !e.sent.IsZero() && now.Sub(e.sent) >= lateArrival {
			e.sent = time.Time{}
			go e.ticket.arrived()
		}
	}
	if w.looking = len(w.underWay) > 0; w.looking {
		time.AfterFunc(lookEvery, w.look)
	}
}
