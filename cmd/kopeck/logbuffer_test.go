package main

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A quiet log is written line by line, a busy one in batches. A warning is written at once, together with all lines before
// it.
func TestBusyLogIsBuffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		to := &logBuffer{to: &out}
		log := slog.New(flushingHandler{slog.NewTextHandler(to, nil), to}).With("a", 1).WithGroup("g")
		written := func() int { return strings.Count(out.String(), "\n") }
		log.Info("first")
		log.Info("second")
		log.Info("third")
		if written() != 1 {
			t.Errorf("%d lines were written at once, want 1", written())
		}
		log.Warn("fourth")
		if written() != 4 {
			t.Errorf("%d lines were written after a warning, want 4", written())
		}
		log.Info("fifth")
		time.Sleep(maxLogDelay)
		synctest.Wait()
		if written() != 5 || !strings.Contains(out.String(), "msg=fifth a=1") {
			t.Errorf("after a moment:\n%s", out.String())
		}
		log.Info(strings.Repeat("x", maxLogBuffer))
		log.Info(strings.Repeat("y", maxLogBuffer))
		if written() != 7 {
			t.Errorf("only %d lines were written, although many wait", written())
		}
		log.Info("last")
		to.flush()
		if written() != 8 {
			t.Errorf("%d lines were written at the end, want 8", written())
		}
		time.Sleep(maxLogDelay)
	})
}
