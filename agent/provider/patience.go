package provider

import (
	"context"
	"errors"
	"io"
	"time"
)

var errSilence = errors.New("the provider is silent")

// patience cancels a request when nothing has come for a while. An answer may take as long as it goes on.
type patience struct {
	silence time.Duration
	timer   *time.Timer
	cancel  context.CancelCauseFunc
}

func newPatience(ctx context.Context, silence time.Duration) (context.Context, *patience) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &patience{silence, time.AfterFunc(silence, func() { cancel(errSilence) }), cancel}
}

func (p *patience) end() {
	p.timer.Stop()
	p.cancel(nil)
}

func (p *patience) watch(r io.Reader) io.Reader { return &watched{r, p} }

type watched struct {
	io.Reader
	patience *patience
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	if n > 0 {
		w.patience.timer.Reset(w.patience.silence)
	}
	return n, err
}
