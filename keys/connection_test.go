package keys_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/keystest"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

const upstreamToken = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"

func newConnection(orgID string) keys.NewConnection {
	return keys.NewConnection{
		OrganizationID: orgID, Connector: "moysklad", Name: "Main books", AccountID: "acc-1", AccountName: "OOO Horns",
		Permissions: keys.Permissions{ViewCost: true, WriteDocuments: true}, Token: keys.NewSecret(upstreamToken),
	}
}

func (o *office) connect() keys.Connection {
	o.t.Helper()
	c, err := o.AddConnection(o.t.Context(), operator, newConnection(o.org))
	must(o.t, err)
	return c
}

func TestConnectionMatchesContract(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		made := o.connect()
		want := fmt.Sprintf(`{"id":%q,"connector":"moysklad","name":"Main books","account_id":"acc-1","account_name":"OOO Horns",`+
			`"state":"verified","verified_at":"2026-11-02T09:30:00.123456Z",`+
			`"permissions":{"view_cost":true,"view_money":false,"write_documents":true},"created_at":"2026-11-02T09:30:00.123456Z"}`, made.ID)
		found, err := o.Connection(t.Context(), o.org, made.ID)
		must(t, err)
		for _, c := range []keys.Connection{made, found} {
			if got, err := json.Marshal(c); err != nil || string(got) != want {
				t.Errorf("got  %s (%v)\nwant %s", got, err, want)
			}
		}
	})
}

func TestTokenIsStoredSealed(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		c := o.connect()
		if sealed := o.sealed(c.ID); strings.Contains(sealed, upstreamToken) || !strings.HasPrefix(sealed, "v1.") {
			t.Errorf("stored as %s", sealed)
		}
		opened, err := o.UnsealConnection(t.Context(), o.org, c.ID)
		if err != nil || opened.Token.Reveal() != upstreamToken {
			t.Errorf("unsealed as %q, %v", opened.Token.Reveal(), err)
		}
	})
}

func (o *office) sealed(connectionID string) (text string) {
	o.t.Helper()
	must(o.t, o.db.QueryRowContext(o.t.Context(), `SELECT sealed_token FROM connections WHERE id = $1`, connectionID).Scan(&text))
	return text
}

func TestMovedOrChangedTokenCannotBeUnsealed(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		victim := o.connect()
		sealed := o.sealed(victim.ID)
		foreign, _ := o.tenant("Stranger")
		stolen := o.connect()
		databasetest.Exec(t, db, `UPDATE connections SET organization_id = $1 WHERE id = $2`, foreign, stolen.ID)
		if opened, err := o.UnsealConnection(t.Context(), foreign, stolen.ID); err == nil {
			t.Errorf("connection moved to another organization: unsealed as %q", opened.Token.Reveal())
		}
		elsewhere, err := o.AddConnection(t.Context(), operator, newConnection(foreign))
		must(t, err)
		beside := o.connect()
		for _, c := range []struct{ name, orgID, connectionID, text string }{
			{"into another organization", foreign, elsewhere.ID, sealed},
			{"into another connection", o.org, beside.ID, sealed},
			{"last bit flipped", o.org, victim.ID, sealed[:len(sealed)-2] + differentCharacter(sealed[len(sealed)-2]) + sealed[len(sealed)-1:]},
			{"cut off", o.org, victim.ID, sealed[:20]},
			{"not base64", o.org, victim.ID, sealed[:15] + "@"},
			{"another version", o.org, victim.ID, "v2" + sealed[2:]},
			{"empty", o.org, victim.ID, ""},
			{"plain", o.org, victim.ID, upstreamToken},
		} {
			databasetest.Exec(t, db, `UPDATE connections SET sealed_token = $1 WHERE id = $2`, c.text, c.connectionID)
			if opened, err := o.UnsealConnection(t.Context(), c.orgID, c.connectionID); err == nil || opened != (keys.UnsealedConnection{}) {
				t.Errorf("%s: unsealed as %q", c.name, opened.Token.Reveal())
			} else if strings.Contains(err.Error(), upstreamToken) {
				t.Errorf("%s: the error contains the token: %v", c.name, err)
			}
		}
	})
}

func TestWrongMasterKeyIsDetected(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		c := o.connect()
		for range 2 {
			must(t, o.CheckMasterKey(t.Context()))
		}
		elsewhere := keys.NewStore(db, keystest.MasterKey(), o.clock.Now)
		if err := elsewhere.CheckMasterKey(t.Context()); !errors.Is(err, keys.ErrWrongMasterKey) {
			t.Errorf("CheckMasterKey: %v", err)
		}
		if _, err := elsewhere.UnsealConnection(t.Context(), o.org, c.ID); !errors.Is(err, keys.ErrWrongMasterKey) {
			t.Errorf("UnsealConnection: %v", err)
		}
	})
}

func TestDeletingAConnectionDeletesItsToken(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		c := o.connect()
		must(t, o.DeleteConnection(t.Context(), o.admin, o.org, c.ID))
		if _, err := o.UnsealConnection(t.Context(), o.org, c.ID); !errors.Is(err, keys.ErrNotFound) {
			t.Errorf("UnsealConnection: %v", err)
		}
		if err := o.DeleteConnection(t.Context(), o.admin, o.org, c.ID); !errors.Is(err, keys.ErrNotFound) {
			t.Errorf("deleted again: %v", err)
		}
		var left int
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM connections`).Scan(&left); err != nil || left != 0 {
			t.Errorf("%d rows are left (%v)", left, err)
		}
	})
}

func TestConnectionChangeReachesReplicasWithinASecond(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		c := o.connect()
		other := o.replica()
		look := func() (int, string) {
			all, err := other.CachedConnections(t.Context(), o.org)
			must(t, err)
			opened, err := other.UnsealConnection(t.Context(), o.org, c.ID)
			if err != nil && !errors.Is(err, keys.ErrNotFound) {
				t.Fatal(err)
			}
			return len(all), opened.Token.Reveal()
		}
		look()
		_, err := o.ReplaceToken(t.Context(), o.admin, o.org, c.ID, keys.NewSecret("another token"), c.Permissions)
		must(t, err)
		o.clock.Advance(time.Second)
		if n, token := look(); n != 1 || token != "another token" {
			t.Errorf("%d connections, token %q", n, token)
		}
		must(t, o.DeleteConnection(t.Context(), o.admin, o.org, c.ID))
		o.clock.Advance(time.Second)
		if n, token := look(); n != 0 || token != "" {
			t.Errorf("%d connections, token %q", n, token)
		}
	})
}

// A refusal applies only to the token that was refused, even if another replica has cached a different one.
func TestRefusalOfReplacedTokenChangesNothing(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		c := o.connect()
		other := o.replica()
		_, err := other.UnsealConnection(t.Context(), o.org, c.ID)
		must(t, err)
		_, err = o.ReplaceToken(t.Context(), o.admin, o.org, c.ID, keys.NewSecret("another token"), c.Permissions)
		must(t, err)
		for _, refused := range []struct {
			token string
			want  keys.ConnectionState
		}{{upstreamToken, keys.Verified}, {"another token", keys.Failing}} {
			isRefused := func(stored keys.Secret) bool { return stored.Reveal() == refused.token }
			got, err := other.MarkTokenRefused(t.Context(), o.admin, o.org, c.ID, isRefused)
			if err != nil || got.State != refused.want {
				t.Errorf("after a refusal of %q: %s, %v, want %s", refused.token, got.State, err, refused.want)
			}
			if a, err := other.UnsealConnection(t.Context(), o.org, c.ID); err != nil || a.Token.Reveal() != "another token" {
				t.Errorf("the previous token is still cached: %q, %v", a.Token.Reveal(), err)
			}
		}
		if got, want := o.actions(), "organization.created connection.added connection.token_replaced connection.failing"; got != want {
			t.Errorf("audit %s, want %s", got, want)
		}
	})
}

// What the upstream says about a token no longer matters when another token is stored.
func TestPermissionsOfReplacedTokenAreNotStored(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		made := o.connect()
		reader := keys.Permissions{ViewMoney: true}
		_, err := o.ReplaceToken(t.Context(), o.admin, o.org, made.ID, keys.NewSecret("another token"), reader)
		must(t, err)
		late := keys.Permissions{ViewCost: true, WriteDocuments: true}
		got, err := o.UpdateConnection(t.Context(), o.admin, o.org, made.ID, keys.NewSecret(upstreamToken), keys.Verified, late)
		if err != nil || got.Permissions != reader {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestVerifiedAtIsLastAcceptance(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		made := o.connect()
		o.clock.Advance(time.Hour)
		failing, err := o.UpdateConnection(t.Context(), o.admin, o.org, made.ID, keys.NewSecret(upstreamToken), keys.Failing, made.Permissions)
		if err != nil || failing.State != keys.Failing || !failing.VerifiedAt.Equal(made.VerifiedAt) {
			t.Errorf("failing: %+v, %v", failing, err)
		}
		now := o.clock.Now()
		reader := keys.Permissions{ViewMoney: true}
		mended, err := o.ReplaceToken(t.Context(), o.admin, o.org, made.ID, keys.NewSecret("another token"), reader)
		if err != nil || mended.State != keys.Verified || !mended.VerifiedAt.Equal(now) || mended.Permissions != reader {
			t.Errorf("accepted again: %+v, %v", mended, err)
		}
		opened, err := o.UnsealConnection(t.Context(), o.org, made.ID)
		if err != nil || opened.Token.Reveal() != "another token" {
			t.Errorf("the token is %q, %v", opened.Token.Reveal(), err)
		}
		o.clock.Advance(time.Hour)
		again, err := o.UpdateConnection(t.Context(), o.admin, o.org, made.ID, keys.NewSecret("another token"), keys.Verified, reader)
		if err != nil || !again.VerifiedAt.Equal(o.clock.Now()) {
			t.Errorf("verified again: %+v, %v", again, err)
		}
		want := "organization.created connection.added connection.failing connection.token_replaced"
		if got := o.actions(); got != want {
			t.Errorf("audit %s, want only changes: %s", got, want)
		}
	})
}

func TestSecretsNeverPrint(t *testing.T) {
	master := keystest.MasterKey()
	for _, hidden := range []any{keys.NewSecret(upstreamToken), master, struct{ S keys.Secret }{keys.NewSecret(upstreamToken)}} {
		encoded, err := json.Marshal(hidden)
		must(t, err)
		for _, text := range []string{fmt.Sprint(hidden), fmt.Sprintf("%#v", hidden), fmt.Sprintf("%+v", hidden), string(encoded)} {
			if !strings.Contains(text, "***") || strings.Contains(text, upstreamToken) {
				t.Errorf("printed as %s", text)
			}
		}
	}
}

func TestMasterKeyIs32BytesOfBase64(t *testing.T) {
	for _, text := range []string{
		"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", " AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n",
	} {
		if _, err := keys.ParseMasterKey(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, problem := range map[string]string{
		"":                 "the master key must be 32 bytes in base64, got 0 bytes",
		"c2hvcnQ=":         "the master key must be 32 bytes in base64, got 5 bytes",
		"not base64 @ all": "the master key must be base64, and its 16 characters are not",
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=": "the master key must not be all zeros",
	} {
		if _, err := keys.ParseMasterKey(text); err == nil || err.Error() != problem {
			t.Errorf("%q: %v, want %s", text, err, problem)
		}
	}
}
