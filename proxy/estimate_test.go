package proxy

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/keys"
)

// tokensUsed returns how many tokens have been counted against the organization's total limit.
func (h *harness) tokensUsed() (used string) {
	h.t.Helper()
	h.waitIdle()
	writeNow(h.t, h.server.cfg.Limits.Run)
	var shown limitsBody
	h.get("/api/v1/organizations/" + h.org + "/limits").into(&shown)
	return shown.Used["tokens_in_all"]
}

// If the client disconnects before the answer, the prompt and the answer's maximum length are counted, since the provider
// charges for them.
func TestLostAnswerCountsAgainstTheLimit(t *testing.T) {
	arrived, release := make(chan struct{}, 2), make(chan struct{})
	p := newFakeProvider(t, func(http.ResponseWriter, string) {
		arrived <- struct{}{}
		<-release
	})
	defer close(release)
	h := p.newHarness(t)
	must(t, h.keys.SetLimits(t.Context(), operator, h.org, "", keys.Limits{TokensInAll: new(int64(1_000_000))}))
	for _, more := range []string{``, `,"stream":true`} {
		messages := `[{"role":"user","content":"` + strings.Repeat("tell ", 800) + `"}]`
		disconnect := h.sendInBackground(`{"model":"m","max_tokens":700,"n":2`+more+`,"messages":`+messages+`}`, "")
		<-arrived
		disconnect()
	}
	if used := h.tokensUsed(); used != "4842" {
		t.Errorf("%s tokens are counted", used)
	}
}

// A provider charges nothing for a request that it refuses.
func TestRefusedRequestUsesNoTokens(t *testing.T) {
	p := newFakeProvider(t, func(w http.ResponseWriter, _ string) {
		http.Error(w, `{"error":{"message":"no"}}`, http.StatusBadRequest)
	})
	h := p.newHarness(t)
	must(t, h.keys.SetLimits(t.Context(), operator, h.org, "", keys.Limits{TokensInAll: new(int64(1_000_000))}))
	for _, body := range []string{routedWhole, routedStream} {
		if got := h.post("/v1/chat/completions", body); got.status != http.StatusBadRequest {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	if used := h.tokensUsed(); used != "0" {
		t.Errorf("%s tokens are counted", used)
	}
}

// Requests that start at once are admitted by their estimates, because their actual usage is not known yet.
func TestConcurrentRequestsStayWithinTheBudget(t *testing.T) {
	arrived, release := make(chan struct{}, 100), make(chan struct{})
	p := newFakeProvider(t, func(w http.ResponseWriter, path string) {
		arrived <- struct{}{}
		<-release
		openAIAnswers(w, path)
	})
	h := p.newHarness(t)
	must(t, h.keys.SetLimits(t.Context(), operator, h.org, "", keys.Limits{TokensPerDay: new(int64(20_000))}))
	statuses := make(chan int, 100)
	for i := range 100 {
		body := []string{`{"model":"m","prompt":"x"}`, `{"model":"m","prompt":"x","max_tokens":500,"n":2}`}[i%2]
		go func() { statuses <- h.post("/v1/completions", body).status }()
	}
	started, refused := 0, 0
	for started+refused < 100 {
		select {
		case <-arrived:
			started++
		case status := <-statuses:
			if status != http.StatusTooManyRequests {
				t.Fatal(status)
			}
			refused++
		}
	}
	close(release)
	for range started {
		<-statuses
	}
	if started < 15 || started > 21 {
		t.Errorf("%d requests of about 1000 tokens started with a budget of 20000, want 15 to 21", started)
	}
}
