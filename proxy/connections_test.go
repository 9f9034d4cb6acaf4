package proxy

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/clocktest"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// refusedToken makes the upstream refuse the token.
var refusedToken = sandbox.Fault{Status: http.StatusUnauthorized, Body: `{"errors":[{"error":"Ошибка аутентификации","code":1056}]}`}

func TestConnectionIsVerifiedBeforeItIsStored(t *testing.T) {
	h := newHarness(t, setup{})
	h.shop.Fault(refusedToken)
	got := h.post("/api/v1/connections", `{"connector":"moysklad","name":"Shop","token":"`+h.shop.Token()+`"}`)
	f := got.failure()
	if got.status != http.StatusUnprocessableEntity || f.Detail.Code != "UPSTREAM_TOKEN_INVALID" || f.Detail.Upstream == nil ||
		f.Detail.Upstream.Code != 1056 {
		t.Errorf("refused: %d %s", got.status, got.body)
	}
	var all listOf[keys.Connection]
	if h.get("/api/v1/connections").into(&all); len(all.Data) != 0 {
		t.Errorf("stored: %+v", all.Data)
	}
	h.shop.Heal()
	c := h.connect()
	if c.State != keys.Verified || c.AccountID == "" || c.AccountName == "" ||
		c.Permissions != (keys.Permissions{ViewCost: true, ViewMoney: true, WriteDocuments: true}) {
		t.Errorf("connection %+v", c)
	}
	for _, path := range []string{"/api/v1/connections", "/api/v1/connections/" + c.ID, "/api/v1/organizations/" + h.org + "/audit"} {
		if got := h.get(path); got.status != http.StatusOK || strings.Contains(string(got.body), h.shop.Token()) {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

func TestConnectionHasThePermissionsOfItsRole(t *testing.T) {
	for role, want := range map[sandbox.Role]keys.Permissions{
		sandbox.NoCost:   {ViewMoney: true, WriteDocuments: true},
		sandbox.ReadOnly: {ViewCost: true, ViewMoney: true},
	} {
		h := newHarness(t, setup{shop: sandbox.New(sandbox.Config{Seed: 1, Products: 20, Unlimited: true, Role: role})})
		if got := h.connect().Permissions; got != want {
			t.Errorf("%s: got %+v, want %+v", role, got, want)
		}
	}
}

// If the upstream refuses the stored token, the status is 424 and never 401, because the caller's own key is valid.
func TestConnectionWithARefusedTokenFailsUntilItIsVerified(t *testing.T) {
	h := newHarness(t, setup{})
	c := h.connect()
	h.shop.Fault(refusedToken)
	for _, tool := range []string{"money_position", "stock"} {
		got := h.post("/api/v1/tools/"+tool+"/execute", `{}`)
		got.expectError(tool, http.StatusFailedDependency, "UPSTREAM_TOKEN_REVOKED")
	}
	money, stock := len(h.shop.Log().To("", "/report/money")), len(h.shop.Log().To("", "/report/stock"))
	if money > 4 || stock > 0 {
		t.Errorf("%d calls with a refused token, then %d; want at most 4 concurrent ones, then none", money, stock)
	}
	h.get("/api/v1/connections/" + c.ID).into(&c)
	if c.State != keys.Failing {
		t.Errorf("state %s", c.State)
	}
	h.do("POST", "/api/v1/connections/"+c.ID+"/verify", "", nil).expect("verifying a refused token", http.StatusUnprocessableEntity)
	h.shop.Heal()
	h.do("POST", "/api/v1/connections/"+c.ID+"/verify", "", nil).into(&c)
	if c.State != keys.Verified {
		t.Errorf("after the token works again: %+v", c)
	}
	h.post("/api/v1/tools/money_position/execute", `{}`).expect("after the verification", http.StatusOK)
}

func TestTokenRefusedInChatGets424(t *testing.T) {
	h := newHarness(t, setup{model: scripted(t, agenttest.CallTools(agenttest.Call{Tool: "money_position", Arguments: `{}`}))})
	c := h.connect()
	h.shop.Fault(refusedToken)
	got := h.post("/v1/chat/completions", question)
	got.expectError("", http.StatusFailedDependency, "UPSTREAM_TOKEN_REVOKED")
	if h.get("/api/v1/connections/" + c.ID).into(&c); c.State != keys.Failing {
		t.Errorf("state %s", c.State)
	}
	for question, want := range map[string]string{
		`"Сколько денег?"`: "МойСклад не принимает токен подключения «" + c.Name + "»", `"How much cash?"`: "The upstream refused the token",
	} {
		for _, stream := range []string{"false", "true"} {
			got := h.post("/v1/chat/completions", `{"model":"kopeck","stream":`+stream+`,"messages":[{"role":"user","content":`+question+`}]}`)
			if f := got.failure(); !strings.HasPrefix(f.Detail.Message, want) || !strings.HasPrefix(f.Error.Message, want) {
				t.Errorf("question %s, streamed %s: %d %s", question, stream, got.status, got.body)
			}
		}
	}
}

func TestDeletedConnectionIsNotFound(t *testing.T) {
	h := newHarness(t, setup{})
	c := h.connect()
	var waiting drafts.Draft
	h.post("/api/v1/tools/draft_purchase_order/execute", `{"arguments":`+h.order()+`}`).into(&struct{ Result *drafts.Draft }{&waiting})
	if got := h.do("DELETE", "/api/v1/connections/"+c.ID, "", nil); got.status != http.StatusNoContent || len(got.body) != 0 {
		t.Errorf("%d %s", got.status, got.body)
	}
	h.get("/api/v1/drafts/" + waiting.ID).into(&waiting)
	if waiting.State != drafts.Failed || waiting.Failure == nil || waiting.Failure.Code != "CONNECTION_DELETED" {
		t.Errorf("the draft is %s, %+v; want failed, since it can no longer be confirmed", waiting.State, waiting.Failure)
	}
	for _, ask := range []func() reply{
		func() reply { return h.get("/api/v1/connections/" + c.ID) },
		func() reply { return h.do("DELETE", "/api/v1/connections/"+c.ID, "", nil) },
		func() reply { return h.post("/api/v1/tools/stock/execute", `{"connection_id":"`+c.ID+`"}`) },
	} {
		ask().expect("", http.StatusNotFound)
	}
}

func TestTwoConnectionsToOneAccountAreNotAmbiguous(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	h.connect()
	h.post("/api/v1/tools/calculate/execute", `{"arguments":{"expression":"2+2"}}`).expect("", http.StatusOK)
}

// storeConnection stores a connection without verifying it.
func (h *harness) storeConnection(organization, account, name string, state keys.ConnectionState, p keys.Permissions) keys.Connection {
	h.t.Helper()
	c, err := h.keys.AddConnection(h.t.Context(), operator, keys.NewConnection{
		OrganizationID: organization, Connector: connectorName, Name: name, AccountID: account, AccountName: name, Permissions: p,
		Token: keys.NewSecret(h.shop.Token()),
	})
	must(h.t, err)
	if state != keys.Verified {
		c, err = h.keys.UpdateConnection(h.t.Context(), operator, organization, c.ID, keys.NewSecret(h.shop.Token()), state, p)
		must(h.t, err)
	}
	return c
}

func TestRequestMustNameOneOfSeveralAccounts(t *testing.T) {
	h := newHarness(t, setup{})
	mine := h.connect()
	other := h.storeConnection(h.org, "another-account", "Other shop", keys.Verified, keys.Permissions{})
	for path, body := range map[string]string{
		"/api/v1/tools/stock/execute":                        `{}`,
		"/api/v1/connectors/moysklad/actions/stores/execute": `{}`,
		"/api/v1/digests":                                    `{"question":"Что ниже минимума?","cron":"0 9 * * *"}`,
	} {
		got := h.post(path, body)
		f := got.failure()
		if got.status != http.StatusConflict || f.Detail.Code != "ACCOUNT_AMBIGUOUS" || got.header.Get("X-Should-Retry") != "false" {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
		want := []tools.Candidate{
			{AccountID: "another-account", ConnectionID: other.ID, Name: "Other shop"},
			{AccountID: mine.AccountID, ConnectionID: mine.ID, Name: "Shop"},
		}
		if len(f.Detail.Accounts) != 2 || f.Detail.Accounts[0] != want[0] || f.Detail.Accounts[1] != want[1] {
			t.Errorf("candidates %+v, want %+v", f.Detail.Accounts, want)
		}
		// The hint must contain the candidates: models that use MCP, and users of SDKs, see only the message and the hint.
		if !strings.Contains(f.Detail.Hint, other.ID+` ("Other shop")`) || !strings.Contains(f.Detail.Hint, mine.ID) {
			t.Errorf("%s: the hint does not name the connections: %s", path, f.Detail.Hint)
		}
	}
	h.post("/api/v1/tools/calculate/execute", `{"arguments":{"expression":"2+2"},"connection_id":"`+mine.ID+`"}`).expect("with a connection", http.StatusOK)
}

func TestConnectionOfAnotherOrganizationIsNotFound(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	theirs := h.storeConnection(h.otherOrg, "their-account", "Theirs", keys.Verified, keys.Permissions{})
	for name, got := range map[string]reply{
		"read":    h.get("/api/v1/connections/" + theirs.ID),
		"verify":  h.do("POST", "/api/v1/connections/"+theirs.ID+"/verify", "", nil),
		"delete":  h.do("DELETE", "/api/v1/connections/"+theirs.ID, "", nil),
		"tool":    h.post("/api/v1/tools/stock/execute", `{"connection_id":"`+theirs.ID+`"}`),
		"action":  h.post("/api/v1/connectors/moysklad/actions/stores/execute", `{"connection_id":"`+theirs.ID+`"}`),
		"gateway": h.get("/api/v1/connectors/moysklad/gateway/entity/store?connection_id=" + theirs.ID),
		"chat":    h.do("POST", "/v1/chat/completions", question, http.Header{"X-Connection-Id": {theirs.ID}}),
	} {
		if got.status != http.StatusNotFound || strings.Contains(string(got.body), "Theirs") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}

// A replica caches a token for a moment. If another replica replaces the token and the upstream refuses the cached one, the
// request is repeated with the new token, and the connection stays verified.
func TestTokenReplacedOnAnotherReplicaDoesNotFailTheConnection(t *testing.T) {
	clock := clocktest.New() // the time stands still, so that the token stays cached
	here := newHarness(t, setup{now: clock.Now})
	there := newHarness(t, setup{now: clock.Now, replicaOf: here})
	c := here.connect()
	const gateway = "/api/v1/connectors/moysklad/gateway/entity/"
	var executed struct{ Result drafts.Draft }
	there.post("/api/v1/tools/draft_purchase_order/execute", `{"arguments":`+there.order()+`}`).into(&executed)
	d := executed.Result
	expectOK := func(step string, got reply) {
		t.Helper()
		got.expect(step, http.StatusOK)
	}
	for name, send := range map[string]func() reply{
		"a gateway read": func() reply { return there.get(gateway + "store") },
		"a tool":         func() reply { return there.post("/api/v1/tools/money_position/execute", `{}`) },
		"a question":     func() reply { return there.post("/v1/chat/completions", question) },
		"a verification": func() reply { return there.post("/api/v1/connections/"+c.ID+"/verify", "") },
		"a confirmation": func() reply { return there.post("/api/v1/drafts/"+d.ID+"/confirm", `{"digest":"`+d.Digest+`"}`) },
	} {
		expectOK("before", there.get(gateway+"store")) // caches the token
		expectOK("replacing", here.post("/api/v1/connections/"+c.ID+"/token", `{"token":"`+here.shop.NewToken()+`"}`))
		expectOK(name, send())
		if here.get("/api/v1/connections/" + c.ID).into(&c); c.State != keys.Verified {
			t.Errorf("%s: the connection is %s", name, c.State)
		}
	}
}

// A new token makes a failing connection work again, with the same id. Neither it nor the stored token may belong to another
// account; otherwise tools would show that account's figures, or cached figures of the connection's one.
func TestTokenMustBelongToTheConnectionsAccount(t *testing.T) {
	clock := clocktest.New()
	h := newHarness(t, setup{now: clock.Now})
	c := h.connect()
	replace := func(token string) reply {
		return h.post("/api/v1/connections/"+c.ID+"/token", `{"token":"`+token+`"}`)
	}
	h.shop.Fault(refusedToken)
	h.post("/api/v1/tools/money_position/execute", `{}`)
	replace(h.shop.Token()).expectError("a refused token", http.StatusUnprocessableEntity, "UPSTREAM_TOKEN_INVALID")
	if h.get("/api/v1/connections/" + c.ID).into(&c); c.State != keys.Failing {
		t.Errorf("state %s", c.State)
	}
	h.shop.Heal()
	got := replace(h.shop.Token())
	if got.into(&c); got.status != http.StatusOK || c.State != keys.Verified || strings.Contains(string(got.body), h.shop.Token()) {
		t.Errorf("%d %s", got.status, got.body)
	}
	h.post("/api/v1/connections/none/token", `{"token":"x"}`).expect("an unknown connection", http.StatusNotFound)
	databasetest.Exec(t, h.db, `UPDATE connections SET account_id = 'other-books' WHERE id = $1`, c.ID)
	clock.Advance(2 * time.Second) // the connection is read again
	cached := h.post("/api/v1/tools/money_position/execute", `{}`)
	clock.Advance(time.Hour) // the role is read again
	for name, got := range map[string]reply{
		"a tool": cached, "a tool later": h.post("/api/v1/tools/money_position/execute", `{}`),
		"a new token": replace(h.shop.Token()), "the stored token": h.post("/api/v1/connections/"+c.ID+"/verify", ""),
	} {
		got.expectError(name, http.StatusUnprocessableEntity, "UPSTREAM_TOKEN_INVALID")
		for _, account := range []string{"other-books", h.shop.Books().AccountID} {
			if text := string(got.body); !strings.Contains(text, account) || strings.Contains(text, h.shop.Token()) {
				t.Errorf("%s of another account: %s", name, text)
			}
		}
	}
}
