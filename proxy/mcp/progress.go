package mcp

import (
	"context"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressEvery is how often a client that wants to know hears that a call goes on. It hears so at once too: from then on
// the answer is a stream, which proxies do not cut for silence.
const progressEvery = 2 * time.Second

// tellProgress tells of a call that goes on until the returned function is called.
func (s *Server) tellProgress(ctx context.Context, req *sdk.CallToolRequest) func() {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	began, told := time.Now(), 0.0
	tell := func() {
		told++
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ // a client that is gone ends ctx
			ProgressToken: token,
			Progress:      told,
			Message:       fmt.Sprintf("%s: reading the books, %d s", req.Params.Name, int(time.Since(began).Seconds())),
		})
	}
	tell()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				tell()
			case <-stop:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}
