package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// worker acts like a user or a program. It does one thing after another.
type worker struct {
	*soak
	random *rand.Rand
}

var canaries = regexp.MustCompile(`canary-(\d+)-`)

// judge checks what must hold for every answer: it contains no data of another organization, it is not an internal error,
// and it does not say that the service is unavailable, unless a fault excuses that.
func (s *soak) judge(kind string, shop, status int, text string, took time.Duration, before *excuse) {
	for _, found := range canaries.FindAllStringSubmatch(text, -1) {
		if found[1] != strconv.Itoa(shop) {
			s.report("%s of organization %d shows data of organization %s", kind, shop, found[1])
		}
	}
	s.mu.Lock()
	if s.answers[kind] == nil {
		s.answers[kind] = map[int]int{}
	}
	s.answers[kind][status]++
	s.mu.Unlock()
	after := s.excuse.Load()
	excused := before != nil && before.covers(kind, shop) || after != nil && after.covers(kind, shop)
	switch {
	case status == http.StatusInternalServerError || status == http.StatusTooManyRequests:
		s.report("%s is answered %d: %.300s", kind, status, text)
	case excused:
	case status == 0 || status >= 500:
		s.report("%s of organization %d is answered %d after %v without an excuse: %.300s", kind, shop, status, took, text)
	case before != nil && before == after:
		before.success.Add(1)
	}
}

// act does one thing at random. A few organizations are much more active than the others.
func (w *worker) act(ctx context.Context) {
	shop := w.random.IntN(len(w.shops))
	if w.random.IntN(4) == 0 {
		shop %= 4
	}
	switch chance := w.random.IntN(100); {
	case chance < 25:
		w.chat(ctx, shop)
	case chance < 45:
		w.tool(ctx, shop)
	case chance < 60:
		w.look(ctx, shop)
	case chance < 75:
		w.key(ctx, shop)
	case chance < 80:
		w.useRevoked(ctx)
	case chance < 85:
		w.readForeignData(ctx, shop)
	default:
		w.draft(ctx, shop)
	}
}

// expect reports an unexpected status, unless [soak.judge] has already reported it. It returns whether the status is
// expected.
func (w *worker) expect(kind string, status int, text string, want ...int) bool {
	if slices.Contains(want, status) {
		return true
	}
	if status != 0 && status < 500 {
		w.report("%s is answered %d: %.300s", kind, status, text)
	}
	return false
}

func (w *worker) chat(ctx context.Context, shop int) {
	question := []string{"Что ниже неснижаемого остатка?", "Сколько денег, кто должен нам и кому должны мы?", "What is my stock worth?"}[w.random.IntN(3)]
	body := fmt.Sprintf(`{"model":"kopeck","stream":%v,"messages":[{"role":"user","content":%q}]}`, w.random.IntN(2) == 0, question)
	status, text := w.send(ctx, "chat", shop, w.balanced, w.shops[shop].secret, "POST", "/v1/chat/completions", body)
	w.expect("chat", status, text, http.StatusOK)
}

func (w *worker) tool(ctx context.Context, shop int) {
	name := []string{"below_minimum", "stock", "money_position"}[w.random.IntN(3)]
	began := time.Now()
	status, text := w.send(ctx, "tool", shop, w.balanced, w.shops[shop].secret, "POST", "/api/v1/tools/"+name+"/execute", `{"arguments":{}}`)
	if !w.expect("tool", status, text, http.StatusOK) {
		return
	}
	var result struct {
		AsOf time.Time `json:"as_of"`
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil || began.Sub(result.AsOf) > time.Minute {
		w.report("%s has as_of %v, %v", name, result.AsOf, err)
	}
}

func (w *worker) look(ctx context.Context, shop int) {
	path := []string{"/drafts", "/sessions", "/connections"}[w.random.IntN(3)]
	status, text := w.send(ctx, "list", shop, w.balanced, w.shops[shop].secret, "GET", "/api/v1"+path, "")
	w.expect("list", status, text, http.StatusOK)
}

// key creates a key, uses it on a replica, and revokes it.
func (w *worker) key(ctx context.Context, shop int) {
	s := w.shops[shop]
	at := "/api/v1/organizations/" + s.organization + "/api-keys"
	status, text := w.send(ctx, "make a key", shop, w.balanced, s.secret, "POST", at, `{"name":"soak","scopes":["read:data"]}`)
	var made struct{ ID, Secret string }
	if !w.expect("make a key", status, text, http.StatusCreated) || json.Unmarshal([]byte(text), &made) != nil {
		return
	}
	status, text = w.send(ctx, "use a new key", shop, w.balanced, made.Secret, "GET", "/api/v1/drafts", "")
	w.expect("use a new key", status, text, http.StatusOK)
	status, text = w.send(ctx, "revoke a key", shop, w.balanced, s.secret, "DELETE", at+"/"+made.ID, "")
	if !w.expect("revoke a key", status, text, http.StatusOK) {
		return
	}
	w.mu.Lock()
	w.revoked = append(w.revoked, revocation{made.Secret, time.Now()})
	w.mu.Unlock()
}

// useRevoked sends a request with a revoked key to a random replica.
func (w *worker) useRevoked(ctx context.Context) {
	w.mu.Lock()
	if len(w.revoked) == 0 {
		w.mu.Unlock()
		return
	}
	key := w.revoked[len(w.revoked)-1-w.random.IntN(min(20, len(w.revoked)))]
	w.mu.Unlock()
	began := time.Now()
	status, text := w.send(ctx, "use a revoked key", -1, w.replicas[w.random.IntN(3)], key.secret, "GET", "/api/v1/sessions", "")
	if status < 300 && status != 0 && began.After(key.at.Add(revocationBound)) {
		w.report("a key works %v after it was revoked", began.Sub(key.at))
	} else if status >= 300 {
		w.expect("use a revoked key", status, text, http.StatusUnauthorized)
	}
}

// readForeignData tries to read the data of another organization.
func (w *worker) readForeignData(ctx context.Context, shop int) {
	other := w.shops[(shop+1)%len(w.shops)]
	path := []string{"/api/v1/connections/" + other.connection, "/api/v1/organizations/" + other.organization + "/api-keys",
		"/api/v1/connectors/moysklad/gateway/entity/product?connection_id=" + other.connection}[w.random.IntN(3)]
	status, text := w.send(ctx, "pry", shop, w.balanced, w.shops[shop].secret, "GET", path, "")
	w.expect("pry", status, text, http.StatusNotFound, http.StatusForbidden)
}

// draft creates a draft and confirms it. If the answer is lost, it confirms it again.
func (w *worker) draft(ctx context.Context, shop int) {
	s := w.shops[shop]
	body, err := json.Marshal(s.orderBody())
	if err != nil {
		w.report("%v", err)
		return
	}
	status, text := w.send(ctx, "draft", shop, w.balanced, s.secret, "POST", "/api/v1/connectors/moysklad/gateway/entity/purchaseorder", string(body))
	var d clientDraft
	if !w.expect("draft", status, text, http.StatusAccepted) || json.Unmarshal([]byte(text), &d) != nil {
		return
	}
	for range 3 {
		status, text = w.send(ctx, "confirm", shop, w.balanced, s.secret, "POST", "/api/v1/drafts/"+d.ID+"/confirm", fmt.Sprintf(`{"digest":%q}`, d.Digest))
		if w.expect("confirm", status, text, http.StatusOK, http.StatusAccepted) {
			w.mu.Lock()
			w.acknowledged[shop][d.ID] = true
			w.mu.Unlock()
			return
		}
		sleep(ctx, 100*time.Millisecond)
	}
}
