package proxy

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/clocktest"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

func TestKeySecretIsShownOnce(t *testing.T) {
	h := newHarness(t, setup{})
	path := "/api/v1/organizations/" + h.org + "/api-keys"
	var created newKey
	got := h.post(path, `{"name":"shop","scopes":["read:tools","chat"]}`)
	got.into(&created)
	if got.status != http.StatusCreated || len(created.Secret) != 68 || created.ExpiresInDays != 90 || created.State != keys.Active ||
		created.LastUsedAt != nil {
		t.Fatalf("%d %+v", got.status, created)
	}
	h.do("GET", "/api/v1/tools", "", bearer(created.Secret)).expect("the new key", http.StatusOK)
	for _, list := range []string{path, "/api/v1/organizations/" + h.org + "/audit"} {
		if got := h.get(list); got.status != http.StatusOK || strings.Contains(string(got.body), created.Secret) ||
			!strings.Contains(string(got.body), created.ID) {
			t.Errorf("%s: %d %s", list, got.status, got.body)
		}
	}
	if log := h.log.String(); strings.Contains(log, created.Secret) {
		t.Error("the log has the secret")
	}
}

func TestRevokingAKeyIsIdempotent(t *testing.T) {
	h := newHarness(t, setup{})
	path := "/api/v1/organizations/" + h.org + "/api-keys"
	var created newKey
	h.post(path, `{"name":"shop"}`).into(&created)
	for range 2 {
		var revoked keys.Key
		got := h.do("DELETE", path+"/"+created.ID, "", nil)
		got.into(&revoked)
		if got.status != http.StatusOK || revoked.State != keys.Revoked || revoked.ID != created.ID {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	got := h.do("GET", "/api/v1/tools", "", bearer(created.Secret))
	got.expectError("the revoked key", http.StatusUnauthorized, "AUTH_TOKEN_REVOKED")
	wrong := created.Secret[:30] + otherLetter(created.Secret[30:31]) + created.Secret[31:]
	if code := h.do("GET", "/api/v1/tools", "", bearer(wrong)).failure().Detail.Code; code != "AUTH_TOKEN_INVALID" {
		t.Errorf("a caller without the right secret gets %s", code)
	}
}

func TestKeyAlteredInTheDatabaseIsRefusedAndLogged(t *testing.T) {
	h := newHarness(t, setup{})
	var created newKey
	h.post("/api/v1/organizations/"+h.org+"/api-keys", `{"name":"shop","scopes":["read:tools"]}`).into(&created)
	databasetest.Exec(t, h.db, `UPDATE keys SET scopes = 'admin' WHERE id = $1`, created.ID)
	got := h.do("GET", "/api/v1/organizations/"+h.org+"/audit", "", bearer(created.Secret))
	got.expectError("", http.StatusUnauthorized, "AUTH_TOKEN_ALTERED")
	if log := h.log.String(); !strings.Contains(log, `"level":"ERROR"`) ||
		!strings.Contains(log, "key "+created.ID+": the record was changed outside Kopeck") {
		t.Errorf("log: %s", log)
	}
}

// otherLetter returns a different letter.
func otherLetter(letter string) string {
	if letter == "x" {
		return "y"
	}
	return "x"
}

func TestRotatedKeyIsReplacedByItsSuccessor(t *testing.T) {
	h := newHarness(t, setup{})
	path := "/api/v1/organizations/" + h.org + "/api-keys"
	var old, successor newKey
	h.post(path, `{"name":"shop","scopes":["read:tools"]}`).into(&old)
	got := h.do("POST", path+"/"+old.ID+"/rotate", "", nil)
	got.into(&successor)
	if got.status != http.StatusCreated || successor.ID == old.ID || successor.Name != old.Name {
		t.Fatalf("%d %s", got.status, got.body)
	}
	h.do("GET", "/api/v1/tools", "", bearer(successor.Secret)).expect("the successor", http.StatusOK)
	if code := h.do("GET", "/api/v1/tools", "", bearer(old.Secret)).failure().Detail.Code; code != "AUTH_TOKEN_EXPIRED" {
		t.Errorf("the old key without overlap: %s", code)
	}
}

func TestIdempotencyKeyCreatesOnce(t *testing.T) {
	h := newHarness(t, setup{})
	path := "/api/v1/organizations/" + h.org + "/api-keys"
	once := http.Header{"Idempotency-Key": {"order-17"}}
	var first, again newKey
	h.do("POST", path, `{"name":"shop"}`, once).into(&first)
	repeated := h.do("POST", path, `{"name":"shop"}`, once)
	repeated.into(&again)
	if repeated.status != http.StatusCreated || again.ID != first.ID || again.Secret != "" || first.Secret == "" {
		t.Errorf("again: %d %s", repeated.status, repeated.body)
	}
	other := h.do("POST", path, `{"name":"another"}`, once)
	if other.status != http.StatusBadRequest || !strings.Contains(other.failure().Detail.Message, "order-17") {
		t.Errorf("another body: %d %s", other.status, other.body)
	}
	var all listOf[keys.Key]
	h.get(path).into(&all)
	created := 0
	for _, k := range all.Data {
		if k.Name == "shop" {
			created++
		}
	}
	if created != 1 {
		t.Errorf("%d keys were created", created)
	}
}

func TestFailedRequestReleasesItsIdempotencyKey(t *testing.T) {
	h := newHarness(t, setup{})
	once := http.Header{"Idempotency-Key": {"connect"}}
	body := `{"connector":"moysklad","name":"Shop","token":"` + h.shop.Token() + `"}`
	h.shop.Fault(refusedToken)
	if got := h.do("POST", "/api/v1/connections", body, once); got.status != http.StatusUnprocessableEntity {
		t.Fatalf("%d %s", got.status, got.body)
	}
	h.shop.Heal()
	h.do("POST", "/api/v1/connections", body, once).expect("", http.StatusCreated)
}

// createOnce creates a key with an Idempotency-Key, always the same.
func (h *harness) createOnce() reply {
	h.t.Helper()
	return h.do("POST", "/api/v1/organizations/"+h.org+"/api-keys", `{"name":"once"}`, http.Header{"Idempotency-Key": {"order-17"}})
}

func (h *harness) createdKeys() (n int) {
	h.t.Helper()
	must(h.t, h.db.QueryRowContext(h.t.Context(), `SELECT count(*) FROM keys WHERE name = 'once'`).Scan(&n))
	return n
}

// The object and the saved response are stored one after the other, so the response can be missing although the object is there.
func TestRequestWithoutSavedResponseIsNotCarriedOutAgain(t *testing.T) {
	db, clock := databasetest.SQLite(t), clocktest.New()
	h := newHarness(t, setup{db: db, config: func(c *Config) { c.Idempotency = keys.NewIdempotency(db, clock.Now) }})
	_, err := db.ExecContext(t.Context(), `CREATE TRIGGER lost BEFORE UPDATE ON idempotency BEGIN SELECT RAISE(ABORT, 'disk full'); END`)
	must(t, err)
	first := h.createOnce()
	var created newKey
	first.into(&created)
	if first.status != http.StatusCreated || created.Secret == "" || !strings.Contains(h.log.String(), "disk full") {
		t.Errorf("the key that was created: %d %s", first.status, first.body)
	}
	h.createOnce().expectError("at once", http.StatusConflict, "REQUEST_IN_PROGRESS")
	clock.Advance(10 * time.Minute)
	again := h.createOnce()
	again.expectError("later", http.StatusConflict, "REQUEST_OUTCOME_UNKNOWN")
	if again.header.Get("Retry-After") != "" || h.createdKeys() != 1 {
		t.Errorf("%v, and %d keys", again.header, h.createdKeys())
	}
}

func TestRequestWhoseCommitGotNoAnswerIsNotCarriedOutAgain(t *testing.T) {
	h := newHarness(t, setup{db: databasetest.Postgres(t)})
	_, err := h.db.ExecContext(t.Context(), `
		CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
		CREATE CONSTRAINT TRIGGER lost AFTER INSERT ON keys DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION lose()`)
	must(t, err)
	h.createOnce().expectError("the connection is lost", http.StatusConflict, "REQUEST_OUTCOME_UNKNOWN")
	_, err = h.db.ExecContext(t.Context(), `DROP TRIGGER lost ON keys`)
	must(t, err)
	h.createOnce().expectError("again", http.StatusConflict, "REQUEST_IN_PROGRESS")
	if n := h.createdKeys(); n != 0 {
		t.Errorf("%d keys", n)
	}
}
