package database

import (
	"context"
	"time"
)

// lastWrite is how long the write after the end may take.
const lastWrite = 5 * time.Second

// WriteEvery writes again and again, and once more when ctx ends. What a write could not do it leaves to the next; the
// error is the last one's.
func WriteEvery(ctx context.Context, pause time.Duration, write func(context.Context) error) error {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			_ = write(ctx) // the next one does it
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
			defer cancel()
			return write(last)
		}
	}
}
