package proxy

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/keys"
)

// taken is how many tokens of all that it may use the organization has used.
func (h *house) taken() (used string) {
	h.t.Helper()
	h.settled()
	must(h.t, h.server.cfg.Limits.Run(ended(h.t)))
	var shown limitsBody
	h.get("/api/v1/organizations/" + h.ours + "/limits").into(&shown)
	return shown.Used["tokens_in_all"]
}

// A client that leaves before the answer has come has used what the provider was asked for.
func TestLostAnswerCountsAgainstTheLimit(t *testing.T) {
	arrived, over := make(chan struct{}, 2), make(chan struct{})
	v := newVendor(t, func(http.ResponseWriter, string) {
		arrived <- struct{}{}
		<-over
	})
	defer close(over)
	h := v.selling(t)
	must(t, h.keys.SetLimits(t.Context(), operator, h.ours, "", keys.Limits{TokensInAll: new(int64(1_000_000))}))
	for _, more := range []string{``, `,"stream":true`} {
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			<-arrived
			leave()
		}()
		messages := `[{"role":"user","content":"` + strings.Repeat("tell ", 800) + `"}]`
		req, err := http.NewRequestWithContext(ctx, "POST", h.url+"/v1/chat/completions",
			strings.NewReader(`{"model":"m","max_tokens":700,"n":2`+more+`,"messages":`+messages+`}`))
		must(t, err)
		req.Header.Set("Authorization", "Bearer "+h.admin)
		req.Header.Set("Content-Type", "application/json")
		if res, err := http.DefaultClient.Do(req); err == nil {
			t.Fatal(res.Status)
		}
	}
	if used := h.taken(); used != "4842" {
		t.Errorf("%s tokens are counted", used)
	}
}

// A provider that cannot be reached, or refuses, has made nothing that anybody pays for.
func TestRefusedRequestUsesNoTokens(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, _ string) {
		http.Error(w, `{"error":{"message":"no"}}`, http.StatusBadRequest)
	})
	h := v.selling(t)
	must(t, h.keys.SetLimits(t.Context(), operator, h.ours, "", keys.Limits{TokensInAll: new(int64(1_000_000))}))
	for _, body := range []string{routedWhole, routedStream} {
		if got := h.post("/v1/chat/completions", body); got.status != http.StatusBadRequest {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	if used := h.taken(); used != "0" {
		t.Errorf("%s tokens are counted", used)
	}
}

// Requests that begin together, when nothing is known of them yet, do not get far over a budget.
func TestConcurrentRequestsStayWithinTheBudget(t *testing.T) {
	arrived, over := make(chan struct{}, 100), make(chan struct{})
	v := newVendor(t, func(w http.ResponseWriter, path string) {
		arrived <- struct{}{}
		<-over
		whatever(w, path)
	})
	h := v.selling(t)
	must(t, h.keys.SetLimits(t.Context(), operator, h.ours, "", keys.Limits{TokensPerDay: new(int64(20_000))}))
	statuses := make(chan int, 100)
	for i := range 100 {
		body := []string{`{"model":"m","prompt":"x"}`, `{"model":"m","prompt":"x","max_tokens":500,"n":2}`}[i%2]
		go func() { statuses <- h.post("/v1/completions", body).status }()
	}
	begun, refused := 0, 0
	for begun+refused < 100 {
		select {
		case <-arrived:
			begun++
		case status := <-statuses:
			if status != http.StatusTooManyRequests {
				t.Fatal(status)
			}
			refused++
		}
	}
	close(over)
	for range begun {
		<-statuses
	}
	if begun < 15 || begun > 21 {
		t.Errorf("%d requests of about 1000 tokens began, of a budget of 20000", begun)
	}
}

// What looks like an image in a text is a text.
func TestDataURLInATextIsNotCountedAsAnImage(t *testing.T) {
	long := strings.Repeat("tell/me/more", 10_000)
	for body, want := range map[string]int{
		`{"content":";base64,` + long + `"}`:                                          30_005,
		`{"content":"data:image/png;base64,` + long + `"}`:                            30_009,
		`{"content":"\"url\":\"data:image/png;base64,` + long + `"}`:                  30_011,
		`{"image_url":{"url" : "data:image/png;base64,` + long + `"},"text":"hello"}`: 1_511,
		`{"file_data":"data:application/pdf;base64,` + long:                           30_010,
	} {
		if got := promptTokens([]byte(body)); got != want {
			t.Errorf("%.40s…: %d tokens, want %d", body, got, want)
		}
	}
}

// An event counts as the tokens that it brings: few providers send many in one, and those do not go uncounted.
func TestEventTokensAreEstimatedFromItsText(t *testing.T) {
	words := strings.Repeat(`word \"`, 200)
	for event, want := range map[string]int{
		`data: {"choices":[{"delta":{"content":"hi"}}]}`:                           1,
		`data: {"choices":[{"delta":{"content": "` + words + `"}}]}`:               350,
		`data: {"type":"content_block_delta","delta":{"text":"` + words + `"}}`:    350,
		`data: {"id":"` + strings.Repeat("x", 500) + `","choices":[{"delta":{}}]}`: 1,
		`data: {"choices":[{"logprobs":{"content":[{"token":"` + words + `"}]}}]}`: 1,
		fmt.Sprintf(`data: {"choices":[{"delta":{"content":"%s`, words):            350,
	} {
		if got := eventTokens([]byte(event)); got != want {
			t.Errorf("%.60s…: %d tokens, want %d", event, got, want)
		}
	}
}
