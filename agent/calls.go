package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// Limits of the calls in one step.
const (
	maxCalls         = 12
	maxArgumentBytes = 64 << 10
	parallelCalls    = 6 // MoySklad's rate limit slows them down anyway
)

// callResult is how one call ended.
type callResult struct {
	call    openai.ToolCall
	result  *tools.Result
	encoded json.RawMessage // the result as JSON
	err     error
}

// callAll runs a step's calls in parallel, reports each as it ends, and returns the results in the order of the calls. Calls that
// make drafts run one after another, because a draft replaces an earlier one that it corrects.
// It only returns an error that ends the run; the model gets all others.
func (r *run) callAll(ctx context.Context, calls []openai.ToolCall) ([]callResult, error) {
	for _, call := range calls {
		if err := r.out.emit(ToolStarted{call.ID, call.Function.Name, call.Function.Arguments}); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make([]callResult, len(calls))
	ended := make(chan int, len(calls))
	running := r.trackCalls(calls)
	var next atomic.Int64
	series := r.series(calls)
	for range min(len(series), parallelCalls) {
		go func() {
			for n := int(next.Add(1)) - 1; n < len(series); n = int(next.Add(1)) - 1 {
				for _, i := range series[n] {
					results[i] = r.call(ctx, running[i].account, calls[i], i)
					ended <- i
				}
			}
		}()
	}
	tick := time.NewTicker(cmp.Or(r.ProgressInterval, progressEvery))
	defer tick.Stop()
	var fatal error
	for left := len(calls); left > 0; {
		var stop error
		select {
		case i := <-ended:
			left--
			running[i].ended = true
			if fatal == nil {
				stop = r.reportResult(ctx, results[i])
			}
		case <-tick.C:
			if fatal == nil {
				stop = r.reportProgress(running)
			}
		}
		if stop != nil { // the run ends: cancel the other calls and wait for them
			fatal = stop
			cancel()
		}
	}
	return results, fatal
}

// series returns the indexes of the calls that must run one after another: all that make drafts. Each other call is alone.
func (r *run) series(calls []openai.ToolCall) (series [][]int) {
	var drafts []int
	for i, call := range calls {
		if r.isDraftTool(call.Function.Name) {
			drafts = append(drafts, i)
		} else {
			series = append(series, []int{i})
		}
	}
	if len(drafts) > 0 {
		series = append(series, drafts)
	}
	return series
}

// reportResult emits the end of a call. The error is one that ends the run.
func (r *run) reportResult(ctx context.Context, c callResult) error {
	if err := r.fatalError(ctx, c.err); err != nil {
		return err
	}
	return r.out.emit(ToolFinished{c.call.ID, c.result, c.err})
}

// fatalError returns the error that ends the run after a failed call, or nil if the run continues.
func (r *run) fatalError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case r.IsFatal != nil && r.IsFatal(err):
		return err
	default:
		return nil
	}
}

func (r *run) call(ctx context.Context, account *tools.Account, call openai.ToolCall, position int) callResult {
	c := callResult{call: call}
	c.err = r.execute(ctx, account, position, &c)
	if defect, is := errors.AsType[*caught.Defect](c.err); is {
		r.Log.ErrorContext(ctx, "tool panicked", "tool", call.Function.Name, "panic", defect.Panic, "stack", string(defect.Stack))
		c.result, c.err = nil, errDefect
	}
	return c
}

func (r *run) execute(ctx context.Context, account *tools.Account, position int, c *callResult) (err error) {
	defer caught.Into(&err)
	tool, err := r.findTool(c.call, position)
	if err != nil {
		return err
	}
	arguments := json.RawMessage(c.call.Function.Arguments)
	if c.result, err = r.Execute(ctx, r.who, tool, account, arguments); err != nil {
		return err
	}
	c.result.Arguments = arguments
	c.encoded, err = json.Marshal(c.result)
	return err
}

var errDefect = errors.New("the tool failed because of a bug in it; its figures are unknown")

// findTool returns the tool of a call, or an error if the call is malformed. The tool checks its arguments itself.
func (r *run) findTool(call openai.ToolCall, position int) (tools.Tool, error) {
	tool, known := r.toolset.ours[call.Function.Name]
	switch arguments := call.Function.Arguments; {
	case position >= maxCalls:
		return tool, fmt.Errorf("only %d calls can run in one turn; make this call again", maxCalls)
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
