package proxy

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/proxy/clients"
	"github.com/kopeck/kopeck/proxy/spend"
	"github.com/kopeck/kopeck/tools"
)

// sendInBackground sends a question. If attempt is not empty, it is sent in retryHeader. disconnect cancels the request and
// waits until it has returned.
func (h *harness) sendInBackground(body, attempt string) (disconnect func()) {
	ctx, cancel := context.WithCancel(h.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		req, err := http.NewRequestWithContext(ctx, "POST", h.url+"/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			h.t.Error(err)
			return
		}
		req.Header = bearer(h.admin)
		if attempt != "" {
			req.Header.Set(retryHeader, attempt)
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// A client that times out and retries gets the answer that is already in progress. The model is asked only once.
func TestRetryJoinsTheRunOfItsEarlierAttempt(t *testing.T) {
	for name, body := range map[string]string{"whole": question, "streamed": withStream(question, "")} {
		t.Run(name, func(t *testing.T) {
			pieces, started := make(chan string), make(chan struct{})
			paced := agenttest.Paced(pieces)
			h := newHarness(t, setup{model: scripted(t, func(r *agenttest.Reply) { close(started); paced(r) })})
			h.server.sharedRuns.grace = time.Hour
			h.connect()
			disconnect := h.sendInBackground(body, "0")
			<-started
			pieces <- "begun "
			disconnect()
			go func() {
				pieces <- "and ended"
				close(pieces)
			}()
			got := h.do("POST", "/v1/chat/completions", body, http.Header{retryHeader: {"1"}})
			if text := strings.Join(strings.Fields(string(got.body)), " "); got.status != http.StatusOK ||
				!strings.Contains(text, "begun") || !strings.Contains(text, "ended") {
				t.Errorf("%d %s", got.status, got.body)
			}
			h.expectSpend(spend.Counts{Requests: 1, PromptTokens: 10, CompletionTokens: 5})
		})
	}
}

// A new run starts for a retry of a failed run, for a different question, and for the same question from a client that does
// not number its attempts.
func TestOnlyARetryOfTheSameRequestJoinsARun(t *testing.T) {
	refuse := agenttest.Refuse(http.StatusBadRequest, nil, `{"error":{"message":"no"}}`)
	h := newHarness(t, setup{model: scripted(t,
		refuse, agenttest.Say("Apple."), agenttest.Say("Pear."), agenttest.Say("Plum."), agenttest.Say("Fig."))})
	h.server.sharedRuns.grace = time.Hour
	h.connect()
	for _, c := range []struct{ attempt, body, want string }{
		{"0", question, "error"},
		{"1", question, "Apple."},
		{"2", question, "Apple."},
		{"0", question, "Pear."},
		{"", question, "Plum."},
		{"1", strings.Replace(question, "остатка", "запаса", 1), "Fig."},
	} {
		got := h.do("POST", "/v1/chat/completions", c.body, http.Header{retryHeader: {c.attempt}})
		if !strings.Contains(string(got.body), c.want) {
			t.Errorf("attempt %q of %s: %d %s, want %s", c.attempt, c.body, got.status, got.body, c.want)
		}
	}
}

// When the client disconnects, a running tool ends even if it sends no events. This holds for streamed and complete
// answers, with and without numbered attempts.
func TestToolEndsWhenTheClientDisconnects(t *testing.T) {
	for _, attempt := range []string{"", "0"} {
		for name, body := range map[string]string{"whole": question, "streamed": withStream(question, "")} {
			t.Run(name+attempt, func(t *testing.T) {
				t.Parallel()
				running, ended := make(chan struct{}), make(chan struct{})
				silent := tools.Define("silent", tools.Read, "", func(ctx context.Context, _ *tools.Run, _ struct{}) (struct{}, error) {
					close(running)
					<-ctx.Done()
					close(ended)
					return struct{}{}, ctx.Err()
				})
				h := newHarness(t, setup{model: scripted(t, agenttest.CallTools(agenttest.Call{Tool: "silent", Arguments: "{}"})),
					tools:  []tools.Tool{silent},
					config: func(c *Config) { c.Ping = time.Hour }})
				h.connect()
				disconnect := h.sendInBackground(body, attempt)
				<-running
				disconnect()
				select {
				case <-ended:
				case <-time.After(testTimeout): // shorter than the run's own deadline
					t.Error("the tool still runs after the client disconnected")
				}
			})
		}
	}
}

// A run ends within a second of the disconnect: up to clients.WatchDelay to notice it, then retryGrace to wait for a retry.
func TestAbandonedRunEndsWithinASecond(t *testing.T) {
	const afterNotice = time.Second - clients.WatchDelay
	synctest.Test(t, func(t *testing.T) {
		r := &agentRun{shared: &sharedRuns{}, grace: retryGrace, changed: make(chan struct{})}
		r.ctx, r.cancel = context.WithCancelCause(t.Context())
		running := func() bool {
			synctest.Wait()
			return r.ctx.Err() == nil
		}
		first := r.join()
		first.leave()
		time.Sleep(750 * time.Millisecond) // SDKs wait half a second; the rest allows for a slow network
		if !running() {
			t.Fatal("the run ended before a retry could join it")
		}
		retry := r.join()
		time.Sleep(time.Hour)
		if !running() {
			t.Fatal("the run ended while the retry follows it")
		}
		retry.leave()
		time.Sleep(afterNotice)
		if running() || !errors.Is(context.Cause(r.ctx), clients.ErrLeft) {
			t.Errorf("the run continues without followers: %v", context.Cause(r.ctx))
		}
	})
}

// A retry of a stream reads it from its first chunk, which has the role.
func TestRetriedStreamStartsFromItsFirstEvent(t *testing.T) {
	pieces := make(chan string)
	h := newHarness(t, setup{model: scripted(t, agenttest.Paced(pieces))})
	h.server.sharedRuns.grace = time.Hour
	h.connect()
	ctx, disconnect := context.WithCancel(t.Context())
	res := h.send(ctx, "POST", "/v1/chat/completions", withStream(question, ""), http.Header{retryHeader: {"0"}})
	pieces <- "Begun. And"
	for lines := bufio.NewScanner(res.Body); lines.Scan() && !strings.Contains(lines.Text(), "Begun."); {
	}
	disconnect()
	res.Body.Close()
	go func() {
		pieces <- " ended."
		close(pieces)
	}()
	again := h.do("POST", "/v1/chat/completions", withStream(question, ""), http.Header{retryHeader: {"1"}})
	if text, _, finish, _ := assembled(chunksOf(t, again)); !strings.HasPrefix(text, "Begun. And ended.\n\n") || finish != "stop" {
		t.Errorf("read %q, finish %q", text, finish)
	}
}
