package proxy

import (
	"context"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/openai"
)

// listedRows is how many rows of each list a streamed tool result contains. The conversation stores all of them.
const listedRows = 50

// activities lists the calls of the service's own tools for one answer.
type activities []openai.ToolActivity

// started records a call, and returns its event for the stream.
func (all *activities) started(e agent.ToolStarted) openai.ToolActivity {
	activity := openai.ToolActivity{CallID: e.CallID, Tool: e.Tool, State: openai.ToolStarted, Arguments: e.Arguments}
	*all = append(*all, activity)
	return activity
}

// running returns the entry of a call that has not ended; nil if there is none.
func (all activities) running(callID string) *openai.ToolActivity {
	i := slices.IndexFunc(all, func(t openai.ToolActivity) bool { return t.CallID == callID && t.State == openai.ToolStarted })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// finished records how a call ended, and returns its event for the stream. known is false for a call that was not started.
func (all activities) finished(ctx context.Context, e agent.ToolFinished) (activity openai.ToolActivity, known bool) {
	t := all.running(e.CallID)
	if t == nil {
		return activity, false
	}
	t.State = openai.ToolFinished
	if e.Result != nil {
		t.Result = e.Result.WithMaxRows(listedRows)
	}
	if e.Err != nil {
		t.State, t.Error = openai.ToolFailed, problem.Of(ctx, e.Err).Detail
	}
	activity = *t
	activity.Arguments = "" // it was already sent when the call started
	return activity, true
}

// progress returns the event that reports a running call's progress.
func (all activities) progress(e agent.ToolProgress) (activity openai.ToolActivity, known bool) {
	t := all.running(e.CallID)
	if t == nil {
		return activity, false
	}
	activity = *t
	activity.Arguments = "" // it was already sent when the call started
	activity.Progress = &openai.ToolProgress{Calls: e.Sent, Of: e.Total, SecondsLeft: int(e.Remaining.Seconds())}
	return activity, true
}

// reasoningLine describes a call in words, for clients that show a model's reasoning.
func reasoningLine(e agent.ToolStarted) string {
	return e.Tool + " " + strings.Join(strings.Fields(e.Arguments), " ") + "\n"
}
