package database

import (
	"context"
	"time"
)

// Every calls do at once and after each pause, until ctx ends. It passes errors to failed, except after ctx has ended.
func Every(ctx context.Context, pause time.Duration, do func(context.Context) error, failed func(error)) {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			failed(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// finalWriteTime limits the last call of write, after ctx has ended.
const finalWriteTime = 5 * time.Second

// WriteEvery calls write after each pause, and once more when ctx ends. It passes errors to failed, except that of a call
// during which ctx has ended, because the last call repeats it.
func WriteEvery(ctx context.Context, pause time.Duration, write func(context.Context) error, failed func(error)) {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if err := write(ctx); err != nil && ctx.Err() == nil {
				failed(err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalWriteTime)
			defer cancel()
			if err := write(last); err != nil {
				failed(err)
			}
			return
		}
	}
}
