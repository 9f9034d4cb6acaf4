package proxy

import (
	"context"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/schemas/openai"
)

// listedRows is how many rows of each list of a report an answer's extension has. The conversation keeps them all.
const listedRows = 50

// activities are what the service's own tools did for an answer.
type activities []openai.ToolActivity

// started notes a call and returns the event about it.
func (all *activities) started(e agent.ToolStarted) openai.ToolActivity {
	activity := openai.ToolActivity{CallID: e.CallID, Tool: e.Tool, State: openai.ToolStarted, Arguments: e.Arguments}
	*all = append(*all, activity)
	return activity
}

// finished notes how a call ended and returns the event about it.
func (all activities) finished(ctx context.Context, e agent.ToolFinished) (told openai.ToolActivity, known bool) {
	i := slices.IndexFunc(all, func(t openai.ToolActivity) bool { return t.CallID == e.CallID && t.State == openai.ToolStarted })
	if i < 0 {
		return told, false
	}
	t := &all[i]
	t.State = openai.ToolFinished
	if e.Result != nil {
		t.Result = e.Result.Listing(listedRows)
	}
	if e.Err != nil {
		t.State, t.Error = openai.ToolFailed, problemOf(ctx, e.Err).detail
	}
	told = *t
	told.Arguments = "" // were told when it started
	return told, true
}

// going is the event about a call that is still running.
func (all activities) going(e agent.ToolProgress) (told openai.ToolActivity, known bool) {
	i := slices.IndexFunc(all, func(t openai.ToolActivity) bool { return t.CallID == e.CallID && t.State == openai.ToolStarted })
	if i < 0 {
		return told, false
	}
	told = all[i]
	told.Arguments = "" // were told when it started
	told.Progress = &openai.ToolProgress{Calls: e.Made, Of: e.Known, SecondsLeft: int(e.Left.Seconds())}
	return told, true
}

// reasoningLine tells people of a call, where clients show what a model thinks.
func reasoningLine(e agent.ToolStarted) string {
	return e.Tool + " " + strings.Join(strings.Fields(e.Arguments), " ") + "\n"
}
