package main

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/kopeck/kopeck/keys/redact"
)

// maxLogDelay is how long a line may wait to be written with others. maxLogBuffer is how many bytes may wait.
const (
	maxLogDelay  = 100 * time.Millisecond
	maxLogBuffer = 64 << 10
)

// logBuffer writes several lines of a busy log at once, because one write takes as long as all other work for a line. After
// a pause, a line is written immediately.
type logBuffer struct {
	to io.Writer

	mu        sync.Mutex
	buffered  []byte
	scheduled bool // a flush is scheduled
}

// Write adds a complete line from which secrets were removed.
func (l *logBuffer) Write(line []byte) (int, error) {
	n := len(line)
	line = redact.Bytes(line)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.scheduled {
		l.buffered = append(l.buffered, line...)
		if len(l.buffered) >= maxLogBuffer {
			return n, l.writeLocked()
		}
		return n, nil
	}
	l.scheduled = true
	time.AfterFunc(maxLogDelay, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.scheduled = false
		_ = l.writeLocked() // there is nowhere to report the error
	})
	if _, err := l.to.Write(line); err != nil {
		return 0, err
	}
	return n, nil
}

func (l *logBuffer) writeLocked() error {
	if len(l.buffered) == 0 {
		return nil
	}
	_, err := l.to.Write(l.buffered)
	l.buffered = l.buffered[:0]
	return err
}

// flush writes the buffered lines.
func (l *logBuffer) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.writeLocked()
}

// flushingHandler flushes the log after a warning or an error, because the process may be about to end.
type flushingHandler struct {
	slog.Handler
	buffer *logBuffer
}

// Handle implements [slog.Handler].
func (h flushingHandler) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level > slog.LevelInfo {
		h.buffer.flush()
	}
	return err
}

// WithAttrs implements [slog.Handler].
func (h flushingHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return flushingHandler{h.Handler.WithAttrs(attrs), h.buffer}
}

// WithGroup implements [slog.Handler].
func (h flushingHandler) WithGroup(name string) slog.Handler {
	return flushingHandler{h.Handler.WithGroup(name), h.buffer}
}
