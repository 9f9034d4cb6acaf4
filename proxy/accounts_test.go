package proxy

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/clocktest"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/accounts"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// After another replica has replaced the token, the next call reads the role of the new token. Nothing that was read with
// the old token is used any more.
func TestReplacedTokenIsReadWithItsOwnRole(t *testing.T) {
	clock := clocktest.New() // the time stands still, so that nothing cached expires
	h := newHarness(t, setup{now: clock.Now})
	blind := sandbox.New(sandbox.Config{Seed: 1, Products: 20, Unlimited: true, Role: sandbox.NoCost, Token: strings.Repeat("b", 40)})
	roles := map[string]http.Handler{"Bearer " + h.shop.Token(): h.shop.Handler(), "Bearer " + blind.Token(): blind.Handler()}
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		roles[r.Header.Get("Authorization")].ServeHTTP(w, r)
	}))
	t.Cleanup(upstream.Close)
	pool, err := moysklad.NewPool(moysklad.Config{URL: upstream.URL + "/api/remap/1.2", Ledgers: sandbox.Unpaced{}})
	must(t, err)
	upstreams := accounts.New(h.keys, pool, tools.NewCache(clock.Now), NewToolQueue(), clock.Now)
	c := h.storeConnection(h.org, h.shop.Books().AccountID, "Shop", keys.Verified, keys.Permissions{})
	key, _, err := h.keys.CreateKey(t.Context(), operator, h.org, keys.NewKey{Name: "caller", Scopes: []keys.Scope{keys.Admin}})
	must(t, err)
	caller := keys.Caller{OrganizationID: h.org, KeyID: key.ID}
	tool, _ := tools.Find("negative_stock")
	calls := func(role *sandbox.Sandbox) (paths []string) {
		t.Helper()
		role.ForgetLog()
		account, err := upstreams.Open(t.Context(), caller, c.ID)
		must(t, err)
		_, err = upstreams.Execute(t.Context(), caller, tool, account, json.RawMessage(`{}`))
		must(t, err)
		for _, call := range role.Log() {
			paths = append(paths, call.Path)
		}
		slices.Sort(paths)
		return paths
	}
	first := calls(h.shop)
	if again := calls(h.shop); !slices.Contains(first, "/context/employee") || len(first) < 2 || len(again) > 0 {
		t.Fatalf("calls %q, then %q; want the role and the stock, then none", first, again)
	}
	_, err = keys.NewStore(h.db, h.master, clock.Now).ReplaceToken(t.Context(), operator, h.org, c.ID, keys.NewSecret(blind.Token()),
		keys.Permissions{})
	must(t, err)
	clock.Advance(2 * time.Second) // after two seconds every replica uses the new token
	h.shop.ForgetLog()
	if other := calls(blind); !slices.Equal(other, first) || len(h.shop.Log()) > 0 {
		t.Errorf("calls %q with the new token and %d with the old; want %q and none", other, len(h.shop.Log()), first)
	}
}

// When the owner of the account changes the role, the connection has the new rights within an hour, although nobody verifies it.
func TestChangedRoleChangesTheRightsOfItsConnection(t *testing.T) {
	clock := clocktest.New()
	h := newHarness(t, setup{now: clock.Now})
	var role atomic.Value
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		role.Load().(http.Handler).ServeHTTP(w, r)
	}))
	t.Cleanup(upstream.Close)
	pool, err := moysklad.NewPool(moysklad.Config{URL: upstream.URL + "/api/remap/1.2", Ledgers: sandbox.Unpaced{}})
	must(t, err)
	upstreams := accounts.New(h.keys, pool, tools.NewCache(clock.Now), NewToolQueue(), clock.Now)
	all := keys.Permissions{ViewCost: true, ViewMoney: true, WriteDocuments: true}
	c := h.storeConnection(h.org, h.shop.Books().AccountID, "Shop", keys.Verified, all)
	for _, now := range []struct {
		role        sandbox.Role
		cost, write bool
	}{{sandbox.Full, true, true}, {sandbox.NoCost, false, true}, {sandbox.ReadOnly, true, false}, {sandbox.Full, true, true}} {
		shop := sandbox.New(sandbox.Config{Seed: 1, Products: 20, Unlimited: true, Role: now.role, Token: h.shop.Token()})
		role.Store(shop.Handler())
		clock.Advance(time.Hour)
		account, err := upstreams.Open(t.Context(), keys.Caller{OrganizationID: h.org}, c.ID)
		must(t, err)
		stored, err := h.keys.Connection(t.Context(), h.org, c.ID)
		must(t, err)
		if want := (tools.Rights{Cost: now.cost, Money: true, Write: now.write}); account.Rights != want ||
			stored.Permissions != (keys.Permissions{ViewCost: now.cost, ViewMoney: true, WriteDocuments: now.write}) {
			t.Errorf("%s: the account has %+v, the connection %+v", now.role, account.Rights, stored.Permissions)
		}
	}
}

// A role that sees only its own orders gets figures for those orders, with a note that says so.
func TestRestrictedRoleGetsANoteOnItsFigures(t *testing.T) {
	h := newHarness(t, setup{})
	own := sandbox.New(sandbox.Config{Seed: 1, Products: 20, Unlimited: true, Token: h.shop.Token(),
		Switches: sandbox.Switches{OwnOrdersOnly: true}})
	upstream := httptest.NewServer(own.Handler())
	t.Cleanup(upstream.Close)
	pool, err := moysklad.NewPool(moysklad.Config{URL: upstream.URL + "/api/remap/1.2", Ledgers: sandbox.Unpaced{}})
	must(t, err)
	upstreams := accounts.New(h.keys, pool, tools.NewCache(time.Now), NewToolQueue(), time.Now)
	c := h.storeConnection(h.org, own.Books().AccountID, "Shop", keys.Verified, keys.Permissions{})
	key, _, err := h.keys.CreateKey(t.Context(), operator, h.org, keys.NewKey{Name: "caller", Scopes: []keys.Scope{keys.Admin}})
	must(t, err)
	caller := keys.Caller{OrganizationID: h.org, KeyID: key.ID}
	account, err := upstreams.Open(t.Context(), caller, c.ID)
	must(t, err)
	for _, one := range []struct {
		tool, arguments string
		noted           bool
	}{{"overdue_orders", `{}`, true}, {"overdue_orders", `{}`, true}, {"calculate", `{"expression": "1+1"}`, false}} {
		offered := h.server.cfg.Tools
		tool := offered[slices.IndexFunc(offered, func(t tools.Tool) bool { return t.Name == one.tool })]
		result, err := upstreams.Execute(t.Context(), caller, tool, account, json.RawMessage(one.arguments))
		must(t, err)
		i := slices.IndexFunc(result.Notes, func(n tools.Note) bool { return n.Code == tools.SeenInPart })
		if (i >= 0) != one.noted || one.noted && result.Notes[i].Values["kinds"] != "customerorder, demand" {
			t.Errorf("%s: notes %+v", one.tool, result.Notes)
		}
	}
}
