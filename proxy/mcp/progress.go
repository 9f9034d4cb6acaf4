package mcp

import (
	"context"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kopeck/kopeck/schemas/caught"
)

// progressInterval is the time between progress reports, for clients that ask for them. The first report is sent at once,
// so that the response becomes a stream that proxies do not close for being silent.
const progressInterval = 2 * time.Second

// reportProgress reports how many of the known upstream requests have been sent. It stops when the returned function is
// called.
func (s *Server) reportProgress(ctx context.Context, req *sdk.CallToolRequest, calls func() (sent, remaining int)) func() {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	reported := -1
	report := func() {
		sent, remaining := calls()
		if sent == reported {
			return
		}
		reported = sent
		p := &sdk.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(sent), Message: fmt.Sprintf("%s: %d requests to MoySklad", req.Params.Name, sent),
		}
		if remaining > 0 {
			p.Total = float64(sent + remaining)
			p.Message = fmt.Sprintf("%s: request %d of %d to MoySklad", req.Params.Name, sent, sent+remaining)
		}
		_ = req.Session.NotifyProgress(ctx, p) // if the client has gone, ctx ends
	}
	report()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				caught.Logged(s.cfg.Log, "the progress of a tool call", report)
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
