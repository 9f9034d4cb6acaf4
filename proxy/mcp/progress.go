package mcp

import (
	"context"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kopeck/kopeck/schemas/caught"
)

// progressEvery is how often a client that wants to know hears how far a call has got. It hears of the call at once too:
// from then on the answer is a stream, which proxies do not cut for silence.
const progressEvery = 2 * time.Second

// tellProgress tells of a call until the returned function is called: how many requests to MoySklad were made, of how many
// that are known.
func (s *Server) tellProgress(ctx context.Context, req *sdk.CallToolRequest, calls func() (sent, coming int)) func() {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	told := -1
	tell := func() {
		sent, coming := calls()
		if sent == told {
			return
		}
		told = sent
		p := &sdk.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(sent), Message: fmt.Sprintf("%s: %d requests to MoySklad", req.Params.Name, sent),
		}
		if coming > 0 {
			p.Total = float64(sent + coming)
			p.Message = fmt.Sprintf("%s: request %d of %d to MoySklad", req.Params.Name, sent, sent+coming)
		}
		_ = req.Session.NotifyProgress(ctx, p) // a client that is gone ends ctx
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
				caught.Logged(s.cfg.Log, "telling of a call's progress", tell)
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
