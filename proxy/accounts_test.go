package proxy

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/accounts"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// What a role may see goes with its token. When another replica has put a token of another role in its place, the very next
// question reads the role again, and is answered from nothing that was read with the former one.
func TestReplacedTokenIsReadWithItsOwnRole(t *testing.T) {
	clock := newHand() // apart from what is told, no time passes: what was read stays fresh
	h := build(t, rooms{now: clock.now})
	blind := sandbox.New(sandbox.Config{Seed: 1, Products: 20, Unlimited: true, Role: sandbox.NoCost, Token: strings.Repeat("b", 40)})
	roles := map[string]http.Handler{"Bearer " + h.shop.Token(): h.shop.Handler(), "Bearer " + blind.Token(): blind.Handler()}
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		roles[r.Header.Get("Authorization")].ServeHTTP(w, r)
	}))
	t.Cleanup(upstream.Close)
	pool, err := moysklad.NewPool(moysklad.Config{URL: upstream.URL + "/api/remap/1.2", Ledgers: sandbox.Unpaced{}})
	must(t, err)
	opened := accounts.New(h.keys, pool, tools.NewLibrary(clock.now), NewToolQueue(), clock.now)
	c := h.stored(h.ours, h.shop.Books().AccountID, "Shop", keys.Verified, keys.Permissions{})
	key, _, err := h.keys.CreateKey(t.Context(), operator, h.ours, keys.NewKey{Name: "asking", Scopes: []keys.Scope{keys.Admin}})
	must(t, err)
	who := keys.Caller{OrganizationID: h.ours, KeyID: key.ID}
	tool, _ := tools.Find("negative_stock")
	asked := func(role *sandbox.Sandbox) (paths []string) {
		t.Helper()
		role.ForgetLog()
		on, err := opened.Open(t.Context(), who, c.ID)
		must(t, err)
		_, err = opened.Execute(t.Context(), who, tool, on, json.RawMessage(`{}`))
		must(t, err)
		for _, call := range role.Log() {
			paths = append(paths, call.Path)
		}
		slices.Sort(paths)
		return paths
	}
	first := asked(h.shop)
	if again := asked(h.shop); !slices.Contains(first, "/context/employee") || len(first) < 2 || len(again) > 0 {
		t.Fatalf("asked %q, then %q; want the role and the stock, then nothing", first, again)
	}
	_, err = keys.NewStore(h.db, h.master, clock.now).ReplaceToken(t.Context(), operator, h.ours, c.ID, keys.NewSecret(blind.Token()), keys.Permissions{})
	must(t, err)
	clock.pass(2 * time.Second) // then a replica knows of the other token
	h.shop.ForgetLog()
	if other := asked(blind); !slices.Equal(other, first) || len(h.shop.Log()) > 0 {
		t.Errorf("with the other role's token %q was asked, and %d calls were made with the former; want %q and none", other, len(h.shop.Log()), first)
	}
}

// A role that sees only its own orders gets figures of these alone, and every answer has a note that says so.
func TestRestrictedRoleGetsANoteOnItsFigures(t *testing.T) {
	h := build(t, rooms{})
	own := sandbox.New(sandbox.Config{Seed: 1, Products: 20, Unlimited: true, Token: h.shop.Token(), Switches: sandbox.Switches{OwnOrdersOnly: true}})
	upstream := httptest.NewServer(own.Handler())
	t.Cleanup(upstream.Close)
	pool, err := moysklad.NewPool(moysklad.Config{URL: upstream.URL + "/api/remap/1.2", Ledgers: sandbox.Unpaced{}})
	must(t, err)
	opened := accounts.New(h.keys, pool, tools.NewLibrary(time.Now), NewToolQueue(), time.Now)
	c := h.stored(h.ours, own.Books().AccountID, "Shop", keys.Verified, keys.Permissions{})
	key, _, err := h.keys.CreateKey(t.Context(), operator, h.ours, keys.NewKey{Name: "asking", Scopes: []keys.Scope{keys.Admin}})
	must(t, err)
	who := keys.Caller{OrganizationID: h.ours, KeyID: key.ID}
	on, err := opened.Open(t.Context(), who, c.ID)
	must(t, err)
	for _, one := range []struct {
		tool, arguments string
		told            bool
	}{{"overdue_orders", `{}`, true}, {"overdue_orders", `{}`, true}, {"calculate", `{"expression": "1+1"}`, false}} {
		offered := h.server.cfg.Tools
		tool := offered[slices.IndexFunc(offered, func(t tools.Tool) bool { return t.Name == one.tool })]
		result, err := opened.Execute(t.Context(), who, tool, on, json.RawMessage(one.arguments))
		must(t, err)
		i := slices.IndexFunc(result.Notes, func(n tools.Note) bool { return n.Code == tools.SeenInPart })
		if (i >= 0) != one.told || one.told && result.Notes[i].Values["kinds"] != "customerorder, demand" {
			t.Errorf("%s: notes %+v", one.tool, result.Notes)
		}
	}
}
