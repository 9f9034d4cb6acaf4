package main

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/sandbox"
)

func TestOlderRecordsMustBeSealed(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(sandbox.New(sandbox.Config{Seed: 1, Products: 1}).Handler())
	t.Cleanup(upstream.Close)
	url := "sqlite:" + filepath.Join(t.TempDir(), "kopeck.db")
	master, err := keys.ParseMasterKey(testMasterKey)
	must(t, err)
	settings := []string{"--database-url=" + url, "--master-key=" + testMasterKey}
	run := func(args ...string) string {
		t.Helper()
		_, output := runKopeck(t, append(args, settings...)...)
		return output
	}
	exec := func(statement string) {
		t.Helper()
		db, err := database.Open(t.Context(), url)
		must(t, err)
		defer db.Close()
		databasetest.Exec(t, db, statement)
	}
	doctor := func() string { return run("doctor", "--audit", "--upstream-url="+upstream.URL+"/api/remap/1.2") }
	run("org", "list") // creates the database, and says so
	org, _, _ := strings.Cut(run("org", "create", "Shop"), " ")
	run("key", "create", "--org", org, "--name", "till", "--scopes", string(keys.ReadTools))
	exec(`UPDATE keys SET mac = NULL`)
	exec(`UPDATE organizations SET audit_mac = NULL`)
	if log := firstStart(t, url, master); !strings.Contains(log, "kopeck key seal") {
		t.Errorf("the log of the first start: %s", log)
	}
	if output := run("key", "seal"); output != "sealed 1 keys, 1 audits and the limits of 0 subjects\n" {
		t.Error(output)
	}
	if output := doctor(); !strings.Contains(output, "ok    audit") {
		t.Errorf("after accepting the old records:\n%s", output)
	}
	if log := firstStart(t, url, master); log != "" {
		t.Errorf("the log of the second start: %s", log)
	}
	exec(`UPDATE keys SET scopes = 'admin'`)
	if output := doctor(); !strings.Contains(output, "FAIL  audit") || !strings.Contains(output, "changed outside Kopeck") {
		t.Errorf("after a key was changed:\n%s", output)
	}
	if output := run("key", "seal"); output != "sealed 1 keys, 0 audits and the limits of 0 subjects\n" {
		t.Error(output)
	}
	if output := doctor(); !strings.Contains(output, "ok    audit") {
		t.Errorf("after accepting it:\n%s", output)
	}
}

func TestLoggedHeadsRevealTruncatedAudit(t *testing.T) {
	t.Parallel()
	url := "sqlite:" + filepath.Join(t.TempDir(), "kopeck.db")
	master, err := keys.ParseMasterKey(testMasterKey)
	must(t, err)
	run := func(args ...string) string {
		t.Helper()
		_, output := runKopeck(t, append(args, "--database-url="+url, "--master-key="+testMasterKey)...)
		return output
	}
	run("org", "list") // creates the database, and says so
	org, _, _ := strings.Cut(run("org", "create", "Shop"), " ")
	db, err := database.Open(t.Context(), url)
	must(t, err)
	defer db.Close()
	var log bytes.Buffer
	s := service{db: db, keys: keys.NewStore(db.DB, master, time.Now), log: slog.New(slog.NewTextHandler(&log, nil))}
	out, published := webhooks.NewStore(db.DB, s.keys, time.Now), map[string]int64{}
	tell := func() string {
		t.Helper()
		log.Reset()
		must(t, s.publishNewHeads(t.Context(), out, published))
		return log.String()
	}
	_, head, _ := strings.Cut(strings.TrimSpace(tell()), "head=")
	if again := tell(); again != "" {
		t.Errorf("nothing was written since, but the log says %s", again)
	}
	if output := run("doctor", "--head", head); !strings.Contains(output, "ok    audit") {
		t.Errorf("with head %q:\n%s", head, output)
	}
	for _, statement := range []string{`DELETE FROM audit`, `UPDATE organizations SET audit_length = 0, audit_hash = ''`} {
		databasetest.Exec(t, db, statement)
	}
	if output := run("doctor", "--head", head); !strings.Contains(output, "FAIL  audit") || !strings.Contains(output, "was cut") {
		t.Errorf("after a cut:\n%s", output)
	}
	if output := tell(); !strings.Contains(output, "ERROR") || !strings.Contains(output, org) {
		t.Errorf("the log after a cut: %s", output)
	}
}

func TestHeadThatCannotBeSentStopsNoOthers(t *testing.T) {
	t.Parallel()
	master, err := keys.ParseMasterKey(testMasterKey)
	must(t, err)
	db := databasetest.SQLite(t)
	s := service{keys: keys.NewStore(db, master, time.Now), log: slog.New(slog.DiscardHandler)}
	for range 3 {
		_, err := s.keys.CreateOrganization(t.Context(), keys.Caller{Operator: true}, "Shop")
		must(t, err)
	}
	if _, err := db.ExecContext(t.Context(), `CREATE TRIGGER refuse BEFORE UPDATE OF audit_told ON organizations
		WHEN NEW.id = (SELECT min(id) FROM organizations) BEGIN SELECT RAISE(ABORT, 'refused'); END`); err != nil {
		t.Fatal(err)
	}
	published := map[string]int64{}
	err = s.publishNewHeads(t.Context(), webhooks.NewStore(db, s.keys, time.Now), published)
	if err == nil || !strings.Contains(err.Error(), "refused") || len(published) != 2 {
		t.Errorf("published %v, error %v", published, err)
	}
}

// firstStart checks the records as at a start of the service, and returns the log.
func firstStart(t *testing.T, url string, key keys.MasterKey) string {
	t.Helper()
	db, err := database.Open(t.Context(), url)
	must(t, err)
	defer db.Close()
	var log bytes.Buffer
	s := service{db: db, keys: keys.NewStore(db.DB, key, time.Now), log: slog.New(slog.NewTextHandler(&log, nil))}
	must(t, s.logKeysWithoutMAC(t.Context()))
	return log.String()
}

// Without limits the command says so, instead of printing nothing. A list of keys says what each key may do and until when.
func TestRecordsAreListedInWords(t *testing.T) {
	settings := []string{"--database-url=sqlite:" + filepath.Join(t.TempDir(), "kopeck.db"), "--master-key=" + strings.Repeat("B", 42) + "A="}
	run := func(args ...string) string {
		t.Helper()
		_, output := runKopeck(t, append(args, settings...)...)
		return output
	}
	run("org", "list") // creates the database, and says so
	org, _, _ := strings.Cut(run("org", "create", "Shop"), " ")
	if output := run("limits", "show", "--org", org); output != "No limits are set.\n" {
		t.Errorf("limits: %q", output)
	}
	run("limits", "set", "--org", org, "--requests-per-minute", "5")
	if output := run("limits", "show", "--org", org); !strings.Contains(output, "used 0  reserved 0") {
		t.Errorf("limits: %q", output)
	}
	for scopes, args := range map[string][]string{
		"chat, read:data": {"--name", "till", "--scopes", "chat,read:data", "--expires-in-days", "30"},
		"admin; operator": {"--name", "ops", "--scopes", "admin", "--operator"},
		"write:tools":     {"--name", "default"},
	} {
		if output := run(append([]string{"key", "create", "--org", org}, args...)...); !strings.Contains(output, "scopes "+scopes+".\n") {
			t.Errorf("%v: %q", args, output)
		}
	}
	until := time.Now().UTC().AddDate(0, 0, 30).Format("2006-01")
	if output := run("key", "list", "--org", org); !strings.Contains(output, "until "+until) ||
		!strings.Contains(output, "till (chat, read:data)") || !strings.Contains(output, "ops (admin; operator)") {
		t.Errorf("keys: %q", output)
	}
}
