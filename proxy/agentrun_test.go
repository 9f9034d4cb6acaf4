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
	"github.com/kopeck/kopeck/proxy/spend"
	"github.com/kopeck/kopeck/tools"
)

// leaving sends a request as a client that numbers its tries (or not, if try is empty), and gives what makes it leave.
func (h *house) leaving(body, try string) (leave func()) {
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
		if try != "" {
			req.Header.Set(retryHeader, try)
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

// A client that gave up waiting and asks again gets the answer that was being made; the model is asked once.
func TestRetryJoinsTheRunOfItsEarlierAttempt(t *testing.T) {
	for name, body := range map[string]string{"whole": question, "streamed": streamedOf(question, "")} {
		t.Run(name, func(t *testing.T) {
			pieces, asked := make(chan string), make(chan struct{})
			paced := agenttest.Paced(pieces)
			h := build(t, rooms{model: scripted(t, func(r *agenttest.Reply) { close(asked); paced(r) })})
			h.server.sharedRuns.grace = time.Hour
			h.connect()
			leave := h.leaving(body, "0")
			<-asked
			pieces <- "begun "
			leave()
			go func() {
				pieces <- "and ended"
				close(pieces)
			}()
			got := h.ask("POST", "/v1/chat/completions", body, http.Header{retryHeader: {"1"}})
			if text := strings.Join(strings.Fields(string(got.body)), " "); got.status != http.StatusOK || !strings.Contains(text, "begun") || !strings.Contains(text, "ended") {
				t.Errorf("%d %s", got.status, got.body)
			}
			h.spent(spend.Counts{Requests: 1, PromptTokens: 10, CompletionTokens: 5})
		})
	}
}

// What failed is tried again, and another question, or the same by a client that does not say that it repeats, is its own.
func TestOnlyARetryOfTheSameRequestJoinsARun(t *testing.T) {
	refuse := agenttest.Refuse(http.StatusBadRequest, nil, `{"error":{"message":"no"}}`)
	h := build(t, rooms{model: scripted(t,
		refuse, agenttest.Say("Apple."), agenttest.Say("Pear."), agenttest.Say("Plum."), agenttest.Say("Fig."))})
	h.server.sharedRuns.grace = time.Hour
	h.connect()
	for _, c := range []struct{ try, body, want string }{
		{"0", question, "error"},
		{"1", question, "Apple."},
		{"2", question, "Apple."},
		{"0", question, "Pear."},
		{"", question, "Plum."},
		{"1", strings.Replace(question, "остатка", "запаса", 1), "Fig."},
	} {
		got := h.ask("POST", "/v1/chat/completions", c.body, http.Header{retryHeader: {c.try}})
		if !strings.Contains(string(got.body), c.want) {
			t.Errorf("try %q of %s: %d %s, want %s", c.try, c.body, got.status, got.body, c.want)
		}
	}
}

// Nothing goes on for a client that is gone, also while a tool runs that says nothing, whatever the client, whole or
// streamed.
func TestToolEndsWhenTheClientDisconnects(t *testing.T) {
	for _, try := range []string{"", "0"} {
		for name, body := range map[string]string{"whole": question, "streamed": streamedOf(question, "")} {
			t.Run(name+try, func(t *testing.T) {
				running, ended := make(chan struct{}), make(chan struct{})
				silent := tools.Define("silent", tools.Read, "", func(ctx context.Context, _ *tools.Call, _ struct{}) (struct{}, error) {
					close(running)
					<-ctx.Done()
					close(ended)
					return struct{}{}, ctx.Err()
				})
				h := build(t, rooms{model: scripted(t, agenttest.Ask(agenttest.Call{Tool: "silent", Arguments: "{}"})), tools: []tools.Tool{silent},
					config: func(c *Config) { c.Ping = time.Hour }})
				h.connect()
				leave := h.leaving(body, try)
				<-running
				leave()
				select {
				case <-ended:
				case <-time.After(inTime): // less than the run's own deadline
					t.Error("the tool runs for nobody")
				}
			})
		}
	}
}

// The work for a client that left ends within a second: noticing it takes watchAfter at most, and then a retry is waited
// for.
func TestAbandonedRunEndsWithinASecond(t *testing.T) {
	const noticed = time.Second - watchDelay
	synctest.Test(t, func(t *testing.T) {
		r := &agentRun{shared: &sharedRuns{}, grace: retryGrace, changed: make(chan struct{})}
		r.ctx, r.cancel = context.WithCancelCause(t.Context())
		lasts := func() bool {
			synctest.Wait()
			return r.ctx.Err() == nil
		}
		first := r.join()
		first.leave()
		time.Sleep(750 * time.Millisecond) // the SDKs wait half a second, and the way here takes its time
		if !lasts() {
			t.Fatal("a retry comes too late")
		}
		retry := r.join()
		time.Sleep(time.Hour)
		if !lasts() {
			t.Fatal("the run of a retry has ended")
		}
		retry.leave()
		time.Sleep(noticed)
		if lasts() || !errors.Is(context.Cause(r.ctx), errClientLeft) {
			t.Errorf("a run goes on for nobody: %v", context.Cause(r.ctx))
		}
	})
}

// A retry of a stream reads it from the beginning, role and all.
func TestRetriedStreamStartsFromItsFirstEvent(t *testing.T) {
	pieces := make(chan string)
	h := build(t, rooms{model: scripted(t, agenttest.Paced(pieces))})
	h.server.sharedRuns.grace = time.Hour
	h.connect()
	ctx, leave := context.WithCancel(t.Context())
	res := h.send(ctx, "POST", "/v1/chat/completions", streamedOf(question, ""), http.Header{retryHeader: {"0"}})
	pieces <- "Begun. And"
	for lines := bufio.NewScanner(res.Body); lines.Scan() && !strings.Contains(lines.Text(), "Begun."); {
	}
	leave()
	res.Body.Close()
	go func() {
		pieces <- " ended."
		close(pieces)
	}()
	again := h.ask("POST", "/v1/chat/completions", streamedOf(question, ""), http.Header{retryHeader: {"1"}})
	if text, _, finish, _ := folded(chunksOf(t, again)); !strings.HasPrefix(text, "Begun. And ended.\n\n") || finish != "stop" {
		t.Errorf("read %q, finish %q", text, finish)
	}
}
