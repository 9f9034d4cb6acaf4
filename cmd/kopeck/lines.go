package main

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/kopeck/kopeck/keys/redact"
)

// holdLines is how long a line of the log may wait for others to be written with. holdBytes is how many wait at most.
const (
	holdLines = 100 * time.Millisecond
	holdBytes = 64 << 10
)

// lines writes the lines of a busy log together: a write for each costs as much as the rest of what the log does. A
// line after a quiet moment is written at once.
type lines struct {
	to io.Writer

	mu      sync.Mutex
	held    []byte
	waiting bool // they will be written by themselves
}

// Write takes a whole line, and keeps secrets out of the log.
func (l *lines) Write(line []byte) (int, error) {
	n := len(line)
	line = redact.Bytes(line)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting {
		l.held = append(l.held, line...)
		if len(l.held) >= holdBytes {
			return n, l.writeLocked()
		}
		return n, nil
	}
	l.waiting = true
	time.AfterFunc(holdLines, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.waiting = false
		_ = l.writeLocked() // a log that cannot be written has nobody to tell
	})
	if _, err := l.to.Write(line); err != nil {
		return 0, err
	}
	return n, nil
}

func (l *lines) writeLocked() error {
	if len(l.held) == 0 {
		return nil
	}
	_, err := l.to.Write(l.held)
	l.held = l.held[:0]
	return err
}

// flush writes what is held.
func (l *lines) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.writeLocked()
}

// prompt writes a line that is a warning or worse at once, with what was held before it: it may be the last.
type prompt struct {
	slog.Handler
	lines *lines
}

// Handle passes a record on.
func (p prompt) Handle(ctx context.Context, r slog.Record) error {
	err := p.Handler.Handle(ctx, r)
	if r.Level > slog.LevelInfo {
		p.lines.flush()
	}
	return err
}

// WithAttrs keeps the promptness.
func (p prompt) WithAttrs(attrs []slog.Attr) slog.Handler {
	return prompt{p.Handler.WithAttrs(attrs), p.lines}
}

// WithGroup keeps the promptness.
func (p prompt) WithGroup(name string) slog.Handler {
	return prompt{p.Handler.WithGroup(name), p.lines}
}
