package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/kopeck/kopeck/agent/render"
)

// Status is a line that shows what is being done, and for how many seconds. It is removed before other output.
type Status struct {
	out   io.Writer
	width int
	began time.Time

	mu    sync.Mutex
	says  string
	ended bool
	stop  chan struct{}
}

// NewStatus shows a status until [Status.End]. out is a terminal of this width.
func NewStatus(out io.Writer, width int, says string) *Status {
	s := &Status{out: out, width: max(width, minWidth), began: time.Now(), says: says, stop: make(chan struct{})}
	s.show()
	go s.tick()
	return s
}

func (s *Status) tick() {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-second.C:
			s.show()
		case <-s.stop:
			return
		}
	}
}

// Say shows the last nonempty line of text.
func (s *Status) Say(text string) {
	for line := range strings.Lines(render.Visible(text)) {
		if line = strings.TrimSpace(line); line != "" {
			s.mu.Lock()
			s.says = line
			s.mu.Unlock()
		}
	}
	s.show()
}

func (s *Status) show() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	took := fmt.Sprintf(" %d s", int(time.Since(s.began).Seconds()))
	fmt.Fprint(s.out, "\r\x1b[K"+runewidth.Truncate(s.says, s.width-len(took)-1, "…")+took)
}

// End removes the line. It can be called repeatedly.
func (s *Status) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended = true
		close(s.stop)
		fmt.Fprint(s.out, "\r\x1b[K")
	}
}
