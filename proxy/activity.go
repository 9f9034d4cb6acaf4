package proxy

import (
	"context"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/schemas/openai"
)

// listedRows is how many rows of each list a streamed tool result contains. The conversation stores all of them.
const listedRows = 50

// activities are the calls of the service's own tools for an answer.
type activities []openai.ToolActivity

// started records a call and returns its event.
func (all *activities) started(e agent.ToolStarted) openai.ToolActivity {
	activity := openai.ToolActivity{CallID: e.CallID, Tool: e.Tool, State: openai.ToolStarted, Arguments: e.Arguments}
	*all = append(*all, activity)
	return activity
}

// finished records how a call ended and returns its event.
func (all activities) finished(ctx context.Context, e agent.ToolFinished) (activity openai.ToolActivity, known bool) {
	i := slices.IndexFunc(all, func(t openai.ToolActivity) bool { return t.CallID == e.CallID && t.State == openai.ToolStarted })
	if i < 0 {
		return activity, false
	}
	t := &all[i]
	t.State = openai.ToolFinished
	if e.Result != nil {
		t.Result = e.Result.Listing(listedRows)
	}
	if e.Err != nil {
		t.State, t.Error = openai.ToolFailed, problemOf(ctx, e.Err).detail
	}
	activity = *t
	activity.Arguments = "" // sent when it started
	return activity, true
}

// progress returns the event for a running call.
func (all activities) progress(e agent.ToolProgress) (activity openai.ToolActivity, known bool) {
	i := slices.IndexFunc(all, func(t openai.ToolActivity) bool { return t.CallID == e.CallID && t.State == openai.ToolStarted })
	if i < 0 {
		return activity, false
	}
	activity = all[i]
	activity.Arguments = "" // sent when it started
	activity.Progress = &openai.ToolProgress{Calls: e.Sent, Of: e.Total, SecondsLeft: int(e.Remaining.Seconds())}
	return activity, true
}

// reasoningLine describes a call for clients that show a model's reasoning.
func reasoningLine(e agent.ToolStarted) string {
	return e.Tool + " " + strings.Join(strings.Fields(e.Arguments), " ") + "\n"
}
