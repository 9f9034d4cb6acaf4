package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// Bounds of what a model may ask for in one turn.
const (
	maxCalls         = 12
	maxArgumentBytes = 64 << 10
	parallelCalls    = 6 // the upstream's pace holds them back anyway
)

// outcome is how one call ended.
type outcome struct {
	call    openai.ToolCall
	result  *tools.Result
	encoded json.RawMessage // the result as JSON
	err     error
}

// callAll runs a turn's calls side by side and tells of each as it ends. The outcomes are in the order of the calls. Only
// an error that ends the run is returned; all others are for the model.
func (r *run) callAll(ctx context.Context, calls []openai.ToolCall) ([]outcome, error) {
	for _, call := range calls {
		if err := r.out.emit(ToolStarted{call.ID, call.Function.Name, call.Function.Arguments}); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	outcomes := make([]outcome, len(calls))
	ended := make(chan int, len(calls))
	following := r.follow(calls)
	var next atomic.Int64
	for range min(len(calls), parallelCalls) {
		go func() {
			for i := int(next.Add(1)) - 1; i < len(calls); i = int(next.Add(1)) - 1 {
				outcomes[i] = r.call(ctx, following[i].account, calls[i], i)
				ended <- i
			}
		}()
	}
	tick := time.NewTicker(cmp.Or(r.Progress, progressEvery))
	defer tick.Stop()
	var fatal error
	for left := len(calls); left > 0; {
		var told error
		select {
		case i := <-ended:
			left--
			following[i].over = true
			if fatal == nil {
				told = r.finished(ctx, outcomes[i])
			}
		case <-tick.C:
			if fatal == nil {
				told = r.tellProgress(following)
			}
		}
		if told != nil { // the run is over; what still runs is cancelled and waited for
			fatal = told
			cancel()
		}
	}
	return outcomes, fatal
}

// finished tells how a call ended; the error is one that ends the run.
func (r *run) finished(ctx context.Context, o outcome) error {
	if err := r.ends(ctx, o.err); err != nil {
		return err
	}
	return r.out.emit(ToolFinished{o.call.ID, o.result, o.err})
}

// ends tells the error with which a failed call ends the run, nil if the run goes on.
func (r *run) ends(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case r.Fatal != nil && r.Fatal(err):
		return err
	default:
		return nil
	}
}

// call runs one call of a turn.
func (r *run) call(ctx context.Context, account *tools.Account, call openai.ToolCall, position int) (o outcome) {
	o.call = call
	// A defect in one tool must not end the conversation, nor the process.
	defer func() {
		if defect := recover(); defect != nil {
			r.Log.ErrorContext(ctx, "tool panicked", "tool", call.Function.Name, "panic", defect, "stack", string(debug.Stack()))
			o.result, o.err = nil, errDefect
		}
	}()
	tool, err := r.acceptable(call, position)
	if err != nil {
		o.err = err
		return o
	}
	o.result, o.err = r.Execute(ctx, r.who, tool, account, json.RawMessage(call.Function.Arguments))
	var defect *caught.Defect
	switch {
	case errors.As(o.err, &defect):
		r.Log.ErrorContext(ctx, "tool panicked", "tool", tool.Name, "panic", defect.Panic, "stack", string(defect.Stack))
		o.err = errDefect
		return o
	case o.err != nil:
		return o
	}
	o.result.Arguments = json.RawMessage(call.Function.Arguments)
	if o.encoded, err = json.Marshal(o.result); err != nil {
		panic(fmt.Sprintf("result of %s: %v", tool.Name, err))
	}
	return o
}

var errDefect = errors.New("the tool failed by a defect of its own; its figures are not known")

// acceptable finds the tool of a call whose form is in order; arguments are the tool's own matter.
func (r *run) acceptable(call openai.ToolCall, position int) (tools.Tool, error) {
	tool, known := r.toolset.ours[call.Function.Name]
	switch arguments := call.Function.Arguments; {
	case position >= maxCalls:
		return tool, fmt.Errorf("at most %d calls are run in one turn; call again", maxCalls)
	case !known:
		return tool, fmt.Errorf("there is no tool %.80q; there are: %s", call.Function.Name, strings.Join(r.toolset.names(), ", "))
	case len(arguments) > maxArgumentBytes:
		return tool, fmt.Errorf("the arguments are %d bytes long, at most %d are allowed", len(arguments), maxArgumentBytes)
	case !json.Valid([]byte(arguments)):
		return tool, fmt.Errorf("the arguments are not JSON: %.200q", arguments)
	default:
		return tool, nil
	}
}

func (s *toolset) names() []string { return slices.Sorted(maps.Keys(s.ours)) }
