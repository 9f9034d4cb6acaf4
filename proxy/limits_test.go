package proxy

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/proxy/spend"
)

// newLimitedHarness returns a harness whose organization has limits. Its models are m, which has prices, and unpriced.
func newLimitedHarness(t *testing.T, l keys.Limits, turn agenttest.Turn) *harness {
	t.Helper()
	h := newHarness(t, setup{config: func(c *Config) { c.Models = pricedModels(t, agenttest.ServeForever(t, turn)) }})
	must(t, h.keys.SetLimits(t.Context(), operator, h.org, "", l))
	return h
}

func pricedModels(t *testing.T, server *agenttest.Server) *models.Registry {
	t.Helper()
	set, err := models.Parse([]byte(`
providers:
  one: {kind: openai, base_url: "`+server.URL+`"}
models:
  m:
    routes: [{provider: one, model: first}]
    prices: {input: "10", cached_input: "1", output: "20", currency: USD}
  unpriced: {routes: [{provider: one, model: second}]}
`), func(string) string { return "" }, provider.Settings{}, nil)
	must(t, err)
	return models.Fixed(set)
}

func TestRequestLimitIsReportedInHeaders(t *testing.T) {
	h := newLimitedHarness(t, keys.Limits{RequestsPerMinute: new(int64(2)), TokensPerMinute: new(int64(1000))}, agenttest.Say("a"))
	for sent := range 2 {
		got := h.post("/v1/chat/completions", routedWhole)
		head := got.header
		if got.status != http.StatusOK || head.Get("x-ratelimit-limit-requests") != "2" || head.Get("x-ratelimit-limit-tokens") != "1000" ||
			head.Get("x-ratelimit-remaining-requests") != fmt.Sprint(1-sent) || head.Get("x-ratelimit-reset-requests") == "" {
			t.Errorf("%d %s %v", got.status, got.body, head)
		}
	}
	got := h.post("/v1/chat/completions", routedWhole)
	if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" ||
		got.header.Get("x-ratelimit-remaining-requests") != "0" ||
		!strings.Contains(string(got.body), `"code":"rate_limit_exceeded"`) {
		t.Errorf("%d %s %v", got.status, got.body, got.header)
	}
	h.post("/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"stock"}]}`).expect("the agent", http.StatusTooManyRequests)
}

// A stream that exceeds the budget is completed. The next request is refused with a code that clients do not retry.
func TestUsedUpBudgetRefusesTheNextRequest(t *testing.T) {
	h := newLimitedHarness(t, keys.Limits{MoneyPerDay: new(decimal.RequireFromString("0.0001")), Currency: "USD"}, agenttest.Say("a"))
	if got := h.post("/v1/chat/completions", routedStream); got.status != http.StatusOK || !strings.Contains(string(got.body), "[DONE]") {
		t.Fatalf("%d %s", got.status, got.body)
	}
	h.waitIdle() // 10 prompt and 5 completion tokens cost 0.0002
	got := h.post("/v1/chat/completions", routedStream)
	if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" || got.header.Get("X-Should-Retry") != "false" ||
		!strings.Contains(string(got.body), `"type":"insufficient_quota","param":null,"code":"insufficient_quota"`) {
		t.Errorf("%d %s %v", got.status, got.body, got.header)
	}
	h.post("/v1/chat/completions", strings.Replace(routedWhole, `"m"`, `"unpriced"`, 1)).expect("a model without a price", http.StatusForbidden)
}

// If a provider does not report a stream's usage, the estimate counts against the limit.
func TestUnreportedUsageIsEstimated(t *testing.T) {
	silent := respondWith(200, "text/event-stream", strings.Repeat("data: {\"choices\":[{\"delta\":{\"content\":\"word\"}}]}\n\n", 50),
		"data: [DONE]\n\n")
	h := newLimitedHarness(t, keys.Limits{TokensPerDay: new(int64(40))}, silent)
	if got := h.post("/v1/chat/completions", routedStream); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	h.waitIdle()
	h.post("/v1/chat/completions", routedStream).expect("", http.StatusTooManyRequests)
}

// A key that is limited to certain models can neither list nor use other models.
func TestKeySeesOnlyItsAllowedModels(t *testing.T) {
	h := newLimitedHarness(t, keys.Limits{Models: []string{"m", "kopeck"}}, agenttest.Say("a"))
	for model, want := range map[string]int{"m": 200, "kopeck": 200, "kopeck-agent": 200, "unpriced": 404, "kopeck/m": 404} {
		if got := h.get("/v1/models/" + model); got.status != want {
			t.Errorf("%s: got %d, want %d", model, got.status, want)
		}
	}
	got := h.post("/v1/chat/completions", strings.Replace(routedWhole, `"m"`, `"unpriced"`, 1))
	if got.status != http.StatusNotFound || !strings.Contains(string(got.body), `"code":"model_not_found"`) {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// An admin may set a key's limits. Only an operator may set an organization's.
func TestLimitsAreSetOverHTTP(t *testing.T) {
	h := newLimitedHarness(t, keys.Limits{}, agenttest.Say("a"))
	var me struct {
		KeyID string `json:"key_id"`
	}
	h.get("/api/v1/caller").into(&me)
	at := "/api/v1/organizations/" + h.org + "/api-keys/" + me.KeyID + "/limits"
	if got := h.do("PUT", at, `{"money_per_day":"0.5","currency":"USD","tokens_in_all":32}`, nil); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	h.post("/v1/chat/completions", routedWhole)
	h.waitIdle()
	writeNow(t, h.server.cfg.Limits.Run)
	var shown limitsBody
	h.get(at).into(&shown)
	if *shown.TokensInAll != 32 || shown.Used["money_per_day"] != "0.0002" || shown.Used["tokens_in_all"] != "15" ||
		shown.Reserved["tokens_in_all"] != "0" {
		t.Errorf("%+v", shown)
	}
	h.do("PUT", at, documentedLimits(t), nil).expect("the documented body", http.StatusOK)
	number := h.do("PUT", at, `{"money_per_month":50,"currency":"USD"}`, nil)
	if want := `money_per_month must be null or a string, such as "50", got 50`; !strings.Contains(number.failure().Detail.Message, want) {
		t.Errorf("%q does not say %q", number.failure().Detail.Message, want)
	}
	long := h.do("PUT", at, `{"currency":"USD","money_per_day":"`+strings.Repeat("9", 3<<20)+`"}`,
		nil) // converting it to a number would take seconds
	if long.status != http.StatusBadRequest || !strings.Contains(string(long.body), "at most 20 characters") {
		t.Errorf("an amount of 3 million digits: %d %.300s", long.status, long.body)
	}
	if got := h.do("PUT", at, `{"money_per_day":"0.5"}`, nil); got.status != http.StatusBadRequest ||
		!strings.Contains(string(got.body), `"currency"`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	refused := h.do("PUT", "/api/v1/organizations/"+h.org+"/limits", `{}`, nil)
	refused.expect("an admin sets the organization's limits", http.StatusForbidden)
	if hint := refused.failure().Detail.Hint; !strings.Contains(hint, "kopeck key create --operator --scopes admin --org ORGANIZATION_ID --name NAME") {
		t.Errorf("the hint is not a whole command: %s", hint)
	}
}

// documentedLimits returns the body with which schemas/README.md sets limits.
func documentedLimits(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../schemas/README.md")
	must(t, err)
	found := regexp.MustCompile("`(\\{\"money_per_month\".*?\\})`").FindSubmatch(text)
	if found == nil {
		t.Fatal("schemas/README.md has no body that sets limits")
	}
	return string(found[1])
}

// writeNow runs a background writer whose context has ended, so that it writes once.
func writeNow(t *testing.T, run func(context.Context, func(error))) {
	t.Helper()
	run(cancelledContext(t), func(err error) { t.Error(err) })
}

func cancelledContext(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// A price change does not affect earlier requests. The report can be grouped, and downloaded as CSV.
func TestSpendUsesThePricesAtRequestTime(t *testing.T) {
	model := agenttest.ServeForever(t, agenttest.Say("a"))
	text := `
providers: {one: {kind: openai, base_url: "` + model.URL + `"}}
models: {m: {routes: [{provider: one, model: first}], prices: {input: "10", output: "20", currency: USD}}}`
	path := filepath.Join(t.TempDir(), "models.yaml")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	registry, err := models.Load(path, func(text []byte, before *models.Set) (*models.Set, error) {
		return models.Parse(text, func(string) string { return "" }, provider.Settings{}, before)
	})
	must(t, err)
	h := newHarness(t, setup{config: func(c *Config) { c.Models = registry }})
	h.post("/v1/chat/completions", routedStream)
	must(t, os.WriteFile(path, []byte(strings.Replace(text, `input: "10"`, `input: "100"`, 1)), 0o600))
	signals := make(chan os.Signal)
	watching, end := context.WithCancel(t.Context())
	watched := make(chan struct{})
	go func() { registry.Watch(watching, signals, slog.New(slog.DiscardHandler)); close(watched) }()
	signals <- os.Interrupt
	for registry.Find("m").Prices.Input.String() != "100" {
		runtime.Gosched()
	}
	end()
	<-watched
	h.post("/v1/chat/completions", routedWhole)
	h.waitIdle()
	writeNow(t, h.server.cfg.Spend.Run)

	var report struct{ Data []spend.ReportLine }
	h.get("/api/v1/organizations/" + h.org + "/spend?group_by=model,key").into(&report)
	want := spend.Counts{Requests: 2, PromptTokens: 20, CompletionTokens: 10}
	if len(report.Data) != 1 || report.Data[0].Counts != want || report.Data[0].Money["USD"] != "0.0013" ||
		report.Data[0].Model != "m" || report.Data[0].Day != "" {
		t.Errorf("%+v", report.Data)
	}
	file := h.get("/api/v1/organizations/" + h.org + "/spend?format=csv")
	if !strings.HasSuffix(string(file.body), ",,,,2,0,0,0,0,0,20,0,10,0.0013,USD\n") {
		t.Errorf("%s", file.body)
	}
	for _, query := range []string{"group_by=hour", "from=today", "from=2026-01-02&to=2026-01-01", "format=xml"} {
		h.get("/api/v1/organizations/"+h.org+"/spend?"+query).expect(query, http.StatusBadRequest)
	}
}

// Images have no token counts. Under a money limit, a model without a price per request is refused.
func TestImageCostsThePricePerRequest(t *testing.T) {
	painter := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"created":1,"data":[{"b64_json":"aGk="}]}`)
	}))
	t.Cleanup(painter.Close)
	set, err := models.Parse([]byte(`
providers: {one: {kind: openai, base_url: "`+painter.URL+`/v1"}}
models:
  painter: {routes: [{provider: one, model: p}], prices: {input: 1, output: 1, request: "0.04", currency: USD}}
  unpriced: {routes: [{provider: one, model: p}], prices: {input: 1, output: 1, currency: USD}}
`), func(string) string { return "" }, provider.Settings{}, nil)
	must(t, err)
	h := newHarness(t, setup{config: func(c *Config) { c.Models = models.Fixed(set) }})
	seven := decimal.RequireFromString("0.07")
	must(t, h.keys.SetLimits(t.Context(), operator, h.org, "", keys.Limits{MoneyPerDay: &seven, Currency: "USD"}))
	for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		if got := h.post("/v1/images/generations", `{"model":"painter","prompt":"a kopeck"}`); got.status != want {
			t.Errorf("image %d: got %d %s, want %d", i+1, got.status, got.body, want)
		}
		h.waitIdle()
	}
	must(t, h.keys.SetLimits(t.Context(), operator, h.org, "", keys.Limits{MoneyInAll: &seven, Currency: "USD"}))
	for i, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
		if got := h.post("/v1/images/generations", `{"model":"painter","prompt":"a kopeck","n":3}`); got.status != want {
			t.Errorf("three images, request %d: got %d %s, want %d", i+1, got.status, got.body, want)
		}
		h.waitIdle()
	}
	h.post("/v1/images/generations", `{"model":"unpriced","prompt":"a kopeck"}`).expect("an image without a price", http.StatusForbidden)
}

// If a run fails, the usage of its successful turns is counted. A request that a limit refuses is not.
func TestFailedRunCountsItsUsage(t *testing.T) {
	h := newHarness(t, setup{model: scripted(t, askMoney, agenttest.Refuse(400, nil, `{"error":{"message":"too long"}}`))})
	h.connect()
	must(t, h.keys.SetLimits(t.Context(), operator, h.org, "", keys.Limits{RequestsPerMinute: new(int64(1)), TokensPerDay: new(int64(1000))}))
	if got := h.post("/v1/chat/completions", question); got.status != http.StatusBadRequest {
		t.Fatalf("%d %s", got.status, got.body)
	}
	h.waitIdle()
	h.post("/v1/chat/completions", question).expect("", http.StatusTooManyRequests)
	h.expectSpend(spend.Counts{Requests: 1, Failed: 1, PromptTokens: 10, CompletionTokens: 5})
	effective, err := h.keys.Limits(t.Context(), h.org, "")
	must(t, err)
	writeNow(t, h.server.cfg.Limits.Run)
	taken, err := h.server.cfg.Limits.Taken(t.Context(), effective)
	must(t, err)
	if got := taken["tokens_per_day"].Used; got != spend.FromUnits(15) {
		t.Errorf("%v tokens count, want 15", got)
	}
}

// Each call of the agent's model costs what the route that answered it costs, and nothing if that is the offline model.
func TestAgentsCallsCostWhatTheirRoutesCost(t *testing.T) {
	away := agenttest.Refuse(http.StatusServiceUnavailable, nil, "")
	cached := respondWith(200, "application/json", `{"choices":[{"message":{"content":"Hello."},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":100.0,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":90}}}`)
	for name, c := range map[string]struct {
		first, second agenttest.Turn
		want          spend.Counts
		tokens, money string
	}{
		"its own route, and the provider's cache": {cached, away, spend.Counts{PromptTokens: 100, CachedTokens: 90, CompletionTokens: 10}, "110", "0.00039"},
		"a fallback":              {away, agenttest.Say("Hello."), spend.Counts{Fallbacks: 1, PromptTokens: 10, CompletionTokens: 5}, "15", "0.002"},
		"the offline model":       {away, away, spend.Counts{Fallbacks: 1}, "", "0"},
		"a route without a usage": {respondWith(200, "application/json", `{"choices":[{"message":{"content":"Hello."}}]}`), away, spend.Counts{Estimated: 1}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := agenttest.ServeForever(t, c.first), agenttest.ServeForever(t, c.second)
			set, err := models.Parse([]byte(`
providers:
  one: {kind: openai, base_url: "`+first.URL+`"}
  two: {kind: openai, base_url: "`+second.URL+`"}
models:
  m:
    routes: [{provider: one, model: first}]
    fallbacks: [dear]
    prices: {input: "10", cached_input: "1", output: "20", currency: USD}
  dear:
    routes: [{provider: two, model: second}]
    prices: {input: "100", output: "200", currency: USD}
`), func(string) string { return "" }, provider.Settings{FirstWait: time.Millisecond}, nil)
			must(t, err)
			h := newHarness(t, setup{model: provider.WithFallback(set.Find("m"), offline.New(time.Now), slog.New(slog.DiscardHandler)),
				config: func(c *Config) { c.Models, c.AgentModel = models.Fixed(set), "m" }})
			h.connect()
			of := keys.Limits{MoneyPerDay: new(decimal.NewFromInt(1)), TokensPerDay: new(int64(100_000)), Currency: "USD"}
			must(t, h.keys.SetLimits(t.Context(), operator, h.org, "", of))
			h.post("/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"Hello"}]}`).expect("the question", http.StatusOK)
			h.waitIdle()
			writeNow(t, h.server.cfg.Spend.Run)
			writeNow(t, h.server.cfg.Limits.Run)
			var report struct{ Data []spend.ReportLine }
			h.get("/api/v1/organizations/" + h.org + "/spend").into(&report)
			if len(report.Data) != 1 {
				t.Fatalf("%+v", report.Data)
			}
			got, want := report.Data[0], c.want
			if want.Requests = 1; want.PromptTokens == 0 {
				want.PromptTokens, want.CompletionTokens = got.PromptTokens, got.CompletionTokens
			}
			if got.Counts != want || got.PromptTokens == 0 || c.money != "" && cmp.Or(got.Money["USD"], "0") != c.money {
				t.Errorf("spend is %+v, want %+v and %s", got, want, c.money)
			}
			var shown limitsBody
			h.get("/api/v1/organizations/" + h.org + "/limits").into(&shown)
			tokens := cmp.Or(c.tokens, fmt.Sprint(got.PromptTokens+got.CompletionTokens))
			if shown.Used["tokens_per_day"] != tokens || shown.Used["money_per_day"] != cmp.Or(got.Money["USD"], "0") {
				t.Errorf("the limits count %v, want %s tokens and %v", shown.Used, tokens, got.Money)
			}
		})
	}
}

// A limit of money does not concern the built-in model, which costs nothing. No provider could report its tokens, so they do not
// count as estimated.
func TestOfflineModelAnswersUnderAMoneyLimit(t *testing.T) {
	h := newHarness(t, setup{})
	must(t, h.keys.SetLimits(t.Context(), operator, h.org, "", keys.Limits{MoneyPerDay: new(decimal.NewFromInt(1)), Currency: "USD"}))
	h.connect()
	h.post("/v1/chat/completions", question).expect("a question", http.StatusOK)
	got := h.spend()
	if want := (spend.Counts{Requests: 1, PromptTokens: got.PromptTokens, CompletionTokens: got.CompletionTokens}); got != want {
		t.Errorf("spend is %+v", got)
	}
}

// Audio that is billed by its length costs the price per request.
func TestAudioCountedInSecondsCostsThePricePerRequest(t *testing.T) {
	provided := newFakeProvider(t, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"text":"hello","usage":{"type":"duration","seconds":27}}`)
	})
	set, err := models.Parse([]byte(`
providers: {one: {kind: openai, base_url: "`+provided.URL+`"}}
models: {ears: {routes: [{provider: one, model: p}], prices: {input: 1, output: 1, request: "0.04", currency: USD}}}
`), func(string) string { return "" }, provider.Settings{}, nil)
	must(t, err)
	h := newHarness(t, setup{config: func(c *Config) { c.Models = models.Fixed(set) }})
	must(t, h.keys.SetLimits(t.Context(), operator, h.org, "", keys.Limits{MoneyPerDay: new(decimal.RequireFromString("0.07")), Currency: "USD"}))
	client := h.openai()
	for i, fails := range []bool{false, false, true} {
		_, err := client.Audio.Transcriptions.New(t.Context(), openai.AudioTranscriptionNewParams{Model: "ears", File: strings.NewReader("sound")})
		if (err != nil) != fails {
			t.Errorf("recording %d: %v", i+1, err)
		}
		h.waitIdle()
	}
}

// expectSpend checks the organization's total spend.
func (h *harness) expectSpend(want spend.Counts) {
	h.t.Helper()
	if got := h.spend(); got != want {
		h.t.Errorf("spend is %+v, want %+v", got, want)
	}
}

// spend returns the organization's total spend.
func (h *harness) spend() spend.Counts {
	h.t.Helper()
	h.waitIdle()
	writeNow(h.t, h.server.cfg.Spend.Run)
	var report struct{ Data []spend.ReportLine }
	h.get("/api/v1/organizations/" + h.org + "/spend").into(&report)
	if len(report.Data) != 1 {
		h.t.Fatalf("spend is %+v", report.Data)
	}
	return report.Data[0].Counts
}
