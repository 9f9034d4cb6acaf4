package database

import (
	"context"
	"time"
)

// finalWriteTime limits the last write, after ctx has ended.
const finalWriteTime = 5 * time.Second

// WriteEvery calls write at intervals, and once more when ctx ends. It ignores errors of earlier calls, since the next
// call retries, and returns the error of the last one.
func WriteEvery(ctx context.Context, pause time.Duration, write func(context.Context) error) error {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			_ = write(ctx) // the next call retries
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalWriteTime)
			defer cancel()
			return write(last)
		}
	}
}
