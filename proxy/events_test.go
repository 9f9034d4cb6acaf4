package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	official "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/digests"
	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/tools/drafts"
)

// The test creates a webhook and a digest through the API, runs the digest when it is due, and reads the delivery.
func TestScheduledDigestIsDeliveredToTheWebhook(t *testing.T) {
	now := time.Date(2026, 11, 2, 5, 0, 0, 0, time.UTC)
	arrived := make(chan *http.Request, 10)
	bodies := make(chan []byte, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		arrived <- r
		bodies <- body
	}))
	defer receiver.Close()
	var cfg Config
	h := newHarness(t, setup{now: func() time.Time { return now }, config: func(c *Config) { cfg = *c }})
	h.connect()

	var hook newWebhook
	h.post("/api/v1/webhooks", `{"url":"`+receiver.URL+`","events":["digest.answered"]}`).into(&hook)
	var digest digests.Digest
	h.post("/api/v1/digests", `{"question":"Сколько у меня денег?","cron":"0 9 * * *"}`).into(&digest)
	now = *digest.NextAt
	runner := digests.NewRunner(cfg.Digests, h.server.Ask, slog.New(slog.NewTextHandler(t.Output(), nil)))
	must(t, runner.RunDue(t.Context()))
	sender := webhooks.NewSender(cfg.Webhooks, h.keys, drafts.NewStore(h.db, h.keys, time.Now, time.Hour),
		slog.New(slog.NewTextHandler(t.Output(), nil)))
	must(t, sender.SendDue(t.Context()))
	if len(arrived) != 1 {
		t.Fatalf("%d messages arrived", len(arrived))
	}
	body := <-bodies
	verifier, err := official.NewWebhook(hook.Secret)
	must(t, err)
	if err := verifier.VerifyIgnoringTimestamp(body, (<-arrived).Header); err != nil {
		t.Error(err)
	}
	var m struct {
		Type string
		Data struct {
			Answer    string
			SessionID string `json:"session_id"`
		}
	}
	must(t, json.Unmarshal(body, &m))
	if m.Type != "digest.answered" || !strings.Contains(m.Data.Answer, "₽") {
		t.Errorf("message %s", body)
	}
	if got := h.get("/api/v1/sessions/" + m.Data.SessionID + "/messages"); got.status != http.StatusOK ||
		!strings.Contains(string(got.body), "money_position") {
		t.Errorf("the messages of the answer's session: %d %.200s", got.status, got.body)
	}
	if got := h.get("/api/v1/webhooks/" + hook.ID + "/deliveries"); !strings.Contains(string(got.body), `"delivered"`) {
		t.Errorf("deliveries: %s", got.body)
	}
}

// The messages are written only after the drafts were confirmed and created, or failed. The list of deliveries is checked
// against the document.
func TestDraftMessagesShowTheStateOfTheirEvent(t *testing.T) {
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer receiver.Close()
	var cfg Config
	h := newHarness(t, setup{config: func(c *Config) { cfg = *c }})
	connection := h.connect()
	var hook newWebhook
	h.post("/api/v1/webhooks", `{"url":"`+receiver.URL+`"}`).into(&hook)
	var made, abandoned struct{ Result drafts.Draft }
	h.post("/api/v1/tools/draft_purchase_order/execute", `{"arguments":`+h.order()+`}`).into(&made)
	h.post("/api/v1/tools/draft_purchase_order/execute", `{"arguments":`+h.orderOf(1)+`}`).into(&abandoned)
	h.post("/api/v1/drafts/"+made.Result.ID+"/confirm", `{"digest":"`+made.Result.Digest+`"}`).expect("confirm", http.StatusOK)
	h.do("DELETE", "/api/v1/connections/"+connection.ID, "", nil)
	sender := webhooks.NewSender(cfg.Webhooks, h.keys, drafts.NewStore(h.db, h.keys, time.Now, time.Hour),
		slog.New(slog.NewTextHandler(t.Output(), nil)))
	must(t, sender.SendDue(t.Context()))

	var list listOf[struct {
		Event   string
		Message struct{ Data drafts.Draft }
	}]
	h.get("/api/v1/webhooks/" + hook.ID + "/deliveries").into(&list)
	got := map[string]string{}
	for _, delivery := range list.Data {
		d := delivery.Message.Data
		of := map[string]string{made.Result.ID: "created", abandoned.Result.ID: "failed"}[d.ID]
		got[of+" "+delivery.Event] = fmt.Sprintf("%s %v %v %v", d.State, d.ConfirmedAt != nil, d.Document != nil, d.Failure != nil)
	}
	want := map[string]string{ // confirmed_at, document and failure
		"created draft.made":      "draft false false false",
		"created draft.confirmed": "confirmed true false false",
		"created draft.created":   "created true true false",
		"failed draft.made":       "draft false false false",
		"failed draft.failed":     "failed false false true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDigestOfARevokedKeyFails(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	maker := h.key(h.org, keys.Admin)
	got := h.do("POST", "/api/v1/digests", `{"question":"Сколько у меня денег?","cron":"0 9 * * *"}`, bearer(maker))
	var digest digests.Digest
	got.into(&digest)
	_, err := h.keys.RevokeKey(t.Context(), operator, h.org, digest.CreatedBy, false)
	must(t, err)
	answer, err := h.server.Ask(t.Context(), h.org, digest.CreatedBy, "", digest.Question)
	if err == nil || !strings.Contains(err.Error(), "больше не действует") || answer.Text != "" {
		t.Errorf("with a revoked key: %q, %v", answer.Text, err)
	}
}

func TestWebhookSecretIsShownOnce(t *testing.T) {
	h := newHarness(t, setup{})
	create := func() reply {
		return h.do("POST", "/api/v1/webhooks", `{"url":"https://example.com/"}`, http.Header{"Idempotency-Key": {"once"}})
	}
	first := create()
	if first.status != http.StatusCreated || !strings.Contains(string(first.body), "whsec_") {
		t.Fatalf("%d %s", first.status, first.body)
	}
	var hook newWebhook
	first.into(&hook)
	for name, got := range map[string]reply{
		"repeated": create(),
		"listed":   h.get("/api/v1/webhooks"),
		"one":      h.get("/api/v1/webhooks/" + hook.ID),
		"audit":    h.get("/api/v1/organizations/" + h.org + "/audit"),
	} {
		if strings.Contains(string(got.body), "whsec_") {
			t.Errorf("%s shows the secret: %s", name, got.body)
		}
	}
	var sealed string
	must(t, h.db.QueryRowContext(t.Context(), `SELECT sealed_secret FROM webhooks WHERE id = $1`, hook.ID).Scan(&sealed))
	if strings.Contains(sealed, strings.TrimPrefix(hook.Secret, "whsec_")) {
		t.Error("the secret is stored in plain text")
	}
}
