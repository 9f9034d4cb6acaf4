package webhooks

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	official "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/keystest"
	"github.com/kopeck/kopeck/schemas"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/clocktest"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/drafts"
)

// office is an organization with a receiver for its messages, and a clock for both.
type office struct {
	*testing.T
	db     *sql.DB
	keys   *keys.Store
	drafts *drafts.Store
	store  *Store
	sender *Sender
	who    keys.Caller

	clock *clocktest.Clock

	mu     sync.Mutex
	answer int // the status that the receiver responds with
	got    []received
	url    string

	connections map[string]string // by organization
}

// received is a message that arrived.
type received struct {
	header http.Header
	body   []byte
}

func open(t *testing.T, db *sql.DB) *office {
	t.Helper()
	o := &office{T: t, db: db, clock: clocktest.At(time.Now().Truncate(time.Second)), answer: http.StatusNoContent, connections: map[string]string{}}
	o.keys = keys.NewStore(db, keystest.MasterKey(), o.clock.Now)
	o.drafts = drafts.NewStore(db, o.keys, o.clock.Now, time.Hour)
	o.store = NewStore(db, o.keys, o.clock.Now)
	o.store.AllowPrivate = true
	o.sender = o.newSender()
	o.who = o.organization("Shop")
	server := httptest.NewServer(http.HandlerFunc(o.receive))
	t.Cleanup(server.Close)
	o.url = server.URL
	return o
}

func (o *office) newSender() *Sender {
	return NewSender(o.store, o.keys, o.drafts, slog.New(slog.NewTextHandler(o.Output(), nil)))
}

func (o *office) organization(name string) keys.Caller {
	o.Helper()
	made, err := o.keys.CreateOrganization(o.Context(), keys.Caller{KeyID: "test", Operator: true}, name)
	o.must(err)
	who := keys.Caller{KeyID: "key", OrganizationID: made.ID}
	c, err := o.keys.AddConnection(o.Context(), who, keys.NewConnection{
		OrganizationID: made.ID, Connector: "moysklad", Name: "Books", AccountID: "a", Token: keys.NewSecret("t"),
	})
	o.must(err)
	o.connections[made.ID] = c.ID
	return who
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func (o *office) receive(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	o.checkDescribed(body)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.got = append(o.got, received{r.Header, body})
	w.WriteHeader(o.answer)
}

var document = sync.OnceValues(func() (*check.Document, error) { return check.NewDocument(schemas.OpenAPI()) })

// checkDescribed checks a message against the OpenAPI document.
func (o *office) checkDescribed(body []byte) {
	var m struct{ Type Event }
	err := json.Unmarshal(body, &m)
	described, invalid := document()
	if err = errors.Join(err, invalid); err != nil {
		o.Error(err)
		return
	}
	schema, err := described.At("/webhooks/" + string(m.Type) + "/post/requestBody/content/application~1json/schema")
	if err != nil {
		o.Error(err)
		return
	}
	for _, p := range schema.Problems(body) {
		o.Errorf("the message does not match the document: %v in %.300s", p, body)
	}
}

func (o *office) answers(status int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answer = status
}

func (o *office) arrived() []received {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.got)
}

func (o *office) webhook(events ...Event) (Webhook, keys.Secret) {
	o.Helper()
	w, secret, err := o.store.Add(o.Context(), o.who, o.url, events)
	o.must(err)
	return w, secret
}

func (o *office) draft(who keys.Caller) drafts.Draft {
	o.Helper()
	owner := drafts.Owner{Who: who, ConnectionID: o.connections[who.OrganizationID], AccountID: "a"}
	d, err := o.drafts.Add(o.Context(), owner, drafts.Transfer, drafts.Content{
		Preview: drafts.Preview{Summary: "Move 5"}, Writes: []drafts.Write{{Kind: "move", Body: json.RawMessage(`{}`)}},
	})
	o.must(err)
	return d
}

func (o *office) step() {
	o.Helper()
	o.must(o.sender.SendDue(o.Context()))
}

func (o *office) only(w Webhook) Delivery {
	o.Helper()
	all, _, err := o.store.Deliveries(o.Context(), o.who.OrganizationID, w.ID, database.Page{Limit: 10})
	o.must(err)
	if len(all) != 1 {
		o.Fatalf("%d deliveries, want 1", len(all))
	}
	return all[0]
}

func TestDraftEventsArriveSignedAndOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := open(t, db)
		o.draft(o.who) // made before the webhook exists, so it is not sent
		_, secret := o.webhook()
		d := o.draft(o.who)
		o.draft(o.organization("Another"))
		o.step()
		o.step()
		got := o.arrived()
		if len(got) != 1 {
			t.Fatalf("%d messages arrived, want the one of the webhook's own organization and time", len(got))
		}
		verifier, err := official.NewWebhook(secret.Reveal())
		o.must(err)
		if err := verifier.Verify(got[0].body, got[0].header); err != nil {
			t.Errorf("the official library refuses the signature: %v", err)
		}
		if err := verifier.Verify(append(got[0].body, ' '), got[0].header); err == nil {
			t.Error("a changed body passes for signed")
		}
		var m struct {
			Type      Event
			Timestamp time.Time
			Data      drafts.Draft
		}
		o.must(json.Unmarshal(got[0].body, &m))
		if m.Type != DraftMade || m.Data.ID != d.ID || m.Data.Digest != d.Digest || !m.Timestamp.Equal(d.CreatedAt) {
			t.Errorf("message %s", got[0].body)
		}
		if strings.Contains(string(got[0].body), secret.Reveal()) {
			t.Error("the message holds the secret")
		}
	})
}

func TestConfirmationAndFailingConnectionAreSent(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	o.webhook()
	d := o.draft(o.who)
	c, err := o.keys.AddConnection(t.Context(), o.who, keys.NewConnection{OrganizationID: o.who.OrganizationID, Connector: "moysklad",
		Name: "Shop", AccountID: "a", AccountName: "Shop", Token: keys.NewSecret("upstream-secret")})
	o.must(err)
	token := keys.NewSecret("upstream-secret")
	_, err = o.keys.UpdateConnection(t.Context(), o.who, o.who.OrganizationID, c.ID, token, keys.Failing, c.Permissions)
	o.must(err)
	_, err = o.drafts.Cancel(t.Context(), o.who, d.ID) // a cancellation is not an event
	o.must(err)
	o.step()
	var types []string
	for _, m := range o.arrived() {
		var said struct{ Type string }
		o.must(json.Unmarshal(m.body, &said))
		types = append(types, said.Type)
		if strings.Contains(string(m.body), "upstream-secret") {
			t.Error("the upstream token got out")
		}
	}
	slices.Sort(types)
	if want := []string{string(ConnectionFailing), string(DraftMade)}; !slices.Equal(types, want) {
		t.Errorf("told of %v, want %v", types, want)
	}
}

func TestEveryEventIsDescribed(t *testing.T) {
	var described struct{ Webhooks map[Event]json.RawMessage }
	if err := json.Unmarshal(schemas.OpenAPI(), &described); err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(slices.Values(append(slices.Clone(Events), Test)))
	if got := slices.Sorted(maps.Keys(described.Webhooks)); !slices.Equal(got, want) {
		t.Errorf("described are %v, sent are %v", got, want)
	}
}

func TestTestMessageArrives(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	w, _ := o.webhook()
	_, err := o.store.SendTest(t.Context(), o.who.OrganizationID, w.ID)
	o.must(err)
	o.step()
	if got := o.arrived(); len(got) != 1 || !strings.Contains(string(got[0].body), `"type":"webhook.test"`) {
		t.Errorf("arrived: %v", got)
	}
}

// The connection works again before the message is written.
func TestConnectionMessageShowsTheFailure(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	o.webhook(ConnectionFailing)
	id, token := o.connections[o.who.OrganizationID], keys.NewSecret("t")
	for _, state := range []keys.ConnectionState{keys.Failing, keys.Verified} {
		_, err := o.keys.UpdateConnection(t.Context(), o.who, o.who.OrganizationID, id, token, state, keys.Permissions{})
		o.must(err)
	}
	o.step()
	if got := o.arrived(); len(got) != 1 || !strings.Contains(string(got[0].body), `"state":"failing"`) {
		t.Errorf("arrived: %v", got)
	}
}

func TestMessageIsRetriedWithItsIDUntilAccepted(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := open(t, db)
		w, _ := o.webhook(DraftMade)
		o.draft(o.who)
		o.answers(http.StatusInternalServerError)
		o.step()
		o.step() // too early for the retry
		o.clock.Advance(6 * time.Second)
		o.step()
		o.answers(http.StatusOK)
		o.clock.Advance(6 * time.Minute)
		o.step()
		got := o.arrived()
		if len(got) != 3 {
			t.Fatalf("%d attempts, want 3", len(got))
		}
		for _, m := range got {
			if m.header.Get("webhook-id") != got[0].header.Get("webhook-id") || string(m.body) != string(got[0].body) {
				t.Error("an attempt has another id or body than the first")
			}
		}
		if d := o.only(w); d.State != Delivered || d.Attempts != 3 || d.ID != got[0].header.Get("webhook-id") {
			t.Errorf("delivery %+v", d)
		}
	})
}

func TestFailedDeliveryCanBeReplayed(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	w, _ := o.webhook(DraftMade)
	o.draft(o.who)
	o.answers(http.StatusBadGateway)
	for range 12 {
		o.step()
		o.clock.Advance(27 * time.Hour)
	}
	d := o.only(w)
	if d.State != Failed || d.Attempts != len(retryDelays)+1 || d.LastProblem == nil || *d.LastStatus != http.StatusBadGateway {
		t.Fatalf("after three days: %+v", d)
	}
	o.answers(http.StatusOK)
	if _, err := o.store.Replay(t.Context(), o.who, w.ID, d.ID); err != nil {
		t.Fatal(err)
	}
	o.step()
	if d := o.only(w); d.State != Delivered || d.LastProblem != nil {
		t.Errorf("replayed: %+v", d)
	}
	if _, err := o.store.Replay(t.Context(), o.organization("Another"), w.ID, d.ID); !errors.Is(err, keys.ErrNotFound) {
		t.Errorf("another organization replays: %v", err)
	}
}

func TestInterruptedAttemptIsRepeated(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := open(t, db)
		w, _ := o.webhook(DraftMade)
		o.draft(o.who)
		o.must(o.sender.collect(t.Context()))
		claimed, err := o.sender.tasks.Claim(t.Context(), 10)
		o.must(err)
		if len(claimed) != 1 {
			t.Fatalf("claimed %d", len(claimed))
		}
		o.step()
		if len(o.arrived()) != 0 {
			t.Error("sent while another sender holds it")
		}
		o.clock.Advance(lease + time.Second)
		o.step()
		if d := o.only(w); d.State != Delivered || d.Attempts != 2 {
			t.Errorf("delivery %+v", d)
		}
	})
}

func TestAttemptThatTheShutdownInterruptsDoesNotCount(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	url, reached := hanging(t)
	o.url, url = url, o.url
	w, _ := o.webhook(DraftMade)
	o.draft(o.who)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-reached
		stop()
	}()
	o.must(o.sender.SendDue(ctx))
	if d := o.only(w); d.State != Pending || d.Attempts != 0 || d.LastProblem != nil {
		t.Errorf("interrupted: %+v", d)
	}
	databasetest.Exec(t, o.db, `UPDATE webhooks SET url = $1`, url)
	o.step()
	if d := o.only(w); d.State != Delivered || d.Attempts != 1 {
		t.Errorf("sent again: %+v", d)
	}
}

// If a transaction waits for a second connection while the others wait for the transaction, all of them fail.
func TestMessagesAreCollectedWithOneConnection(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := open(t, db)
		w, _ := o.webhook(DraftMade)
		o.draft(o.who)
		db.SetMaxOpenConns(1)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		o.must(o.sender.collect(ctx))
		o.only(w)
	})
}

func TestUnreadableDraftStopsOnlyItsOrganizationsMessages(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	w, _ := o.webhook(DraftMade)
	other := o.organization("Another")
	_, _, err := o.store.Add(t.Context(), other, o.url, []Event{DraftMade})
	o.must(err)
	unreadable := o.draft(o.who)
	o.draft(other)
	databasetest.Exec(t, o.db, `UPDATE drafts SET payload = '?' WHERE id = $1`, unreadable.ID)
	if err := o.sender.SendDue(t.Context()); err == nil || !strings.Contains(err.Error(), w.ID) {
		t.Errorf("the error does not name the webhook: %v", err)
	}
	if got := o.arrived(); len(got) != 1 {
		t.Errorf("%d messages arrived, want the other organization's", len(got))
	}
}

func TestSendersSendEachMessageOnce(t *testing.T) {
	o := open(t, databasetest.Postgres(t))
	o.webhook(DraftMade)
	const made = 30
	for range made {
		o.draft(o.who)
	}
	senders := []*Sender{o.newSender(), o.newSender(), o.newSender()}
	for range 12 {
		var all sync.WaitGroup
		for _, s := range senders {
			all.Go(func() {
				if err := s.SendDue(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	seen := map[string]int{}
	for _, m := range o.arrived() {
		seen[m.header.Get("webhook-id")]++
	}
	if len(seen) != made || len(o.arrived()) != made {
		t.Errorf("%d messages of %d arrived %d times", len(seen), made, len(o.arrived()))
	}
}

func TestGoneAddressGetsNothingMore(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	w, _ := o.webhook(DraftMade)
	o.draft(o.who)
	o.answers(http.StatusGone)
	o.step()
	o.draft(o.who)
	o.step()
	if d := o.only(w); d.State != Failed {
		t.Errorf("delivery %+v", d)
	}
	if w, err := o.store.Get(t.Context(), o.who.OrganizationID, w.ID); err != nil || w.DisabledAt == nil {
		t.Errorf("webhook %+v, %v", w, err)
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer elsewhere.Close()
	redirecting := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer redirecting.Close()
	o.url = redirecting.URL
	w, _ := o.webhook(DraftMade)
	o.draft(o.who)
	o.step()
	if d := o.only(w); d.State != Pending || *d.LastStatus != http.StatusTemporaryRedirect {
		t.Errorf("delivery %+v", d)
	}
}

func TestPrivateAddressGetsNothingUnlessAllowed(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	o.store.AllowPrivate = false
	for _, url := range []string{
		"http://example.com/", "https://localhost/", "https://LOCALHOST./", "https://127.0.0.1/", "https://[::1]/", "https://10.1.2.3/",
		"https://169.254.169.254/latest", "https://168.63.129.16/machine", "https://hooks.example/sk-org-0123456789ABCDEFGHIJ",
		"https://[fd00::1]/", "https://[::ffff:192.168.0.1]/", "https://0.0.0.0/", "https://user:pw@example.com/",
		"ftp://example.com/", "https:///path", "https://100.64.1.1/", "not an address", "https://example.com/" + strings.Repeat("x", maxURL),
	} {
		var wrong *check.InvalidError
		if _, _, err := o.store.Add(t.Context(), o.who, url, nil); !errors.As(err, &wrong) {
			t.Errorf("%.60s: %v", url, err)
		}
	}
	// The name resolves to this machine. It passes the first check, but is refused when connecting.
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a private address was reached") }))
	defer server.Close()
	for _, host := range []string{"127.0.0.1", "localhost"} {
		_, err := newClient(false).Get(strings.Replace(server.URL, "127.0.0.1", host, 1))
		if !errors.Is(err, errPrivate) {
			t.Errorf("%s: %v", host, err)
		}
	}
	for text, want := range map[string]bool{"93.184.216.34": true, "2606:2800:220:1::1": true, "64:ff9b::7f00:1": false, "2002:7f00:1::": false,
		"224.0.0.1": false, "255.255.255.255": false, "172.31.0.1": false, "172.32.0.1": true, "fe80::1": false,
		"::7f00:1": false, "::ffff:7f00:1": false, "fec0::1": false, "3fff::1": false} {
		if got := isPublic(netip.MustParseAddr(text)); got != want {
			t.Errorf("public(%s) = %v", text, got)
		}
	}
}

// DNS servers and private addresses may be shown to the operator, but not to the owner of a webhook.
func TestFailedDeliveryRevealsNothingInternal(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	w, _ := o.webhook(DraftMade)
	o.store.AllowPrivate = false
	o.sender = o.newSender()
	o.draft(o.who)
	o.step()
	if d := o.only(w); d.LastProblem == nil || *d.LastProblem != errPrivate.Error() || *d.LastProblemRU != notPublic.Of().In("ru") {
		t.Errorf("delivery %+v", d)
	}
	for _, row := range []struct {
		err  error
		want string
	}{
		{&url.Error{Op: "Post", URL: "https://a.example/", Err: &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "a.example", Server: "10.0.0.53:53", IsNotFound: true}}},
			"the name a.example does not exist"},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "i/o timeout", Name: "a.example", Server: "10.0.0.53:53", IsTimeout: true}},
			"the name a.example could not be resolved"},
		{&url.Error{Op: "Post", URL: "https://a.example/", Err: &net.OpError{Op: "read", Source: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7)}, Err: syscall.ECONNRESET}},
			"it could not be sent: connection reset by peer"},
		{&url.Error{Op: "Post", URL: "https://a.example/", Err: syscall.ECONNREFUSED}, "the connection was refused"},
		{&url.Error{Op: "Post", URL: "https://a.example/", Err: context.DeadlineExceeded}, "the URL did not respond in time"},
	} {
		if got := publicProblem(row.err).In("en"); got != row.want {
			t.Errorf("%v\n got %s\nwant %s", row.err, got, row.want)
		}
	}
}

func TestNumberOfWebhooksIsLimited(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	for range maxWebhooks {
		o.webhook()
	}
	var wrong *check.InvalidError
	if _, _, err := o.store.Add(t.Context(), o.who, o.url, nil); !errors.As(err, &wrong) {
		t.Errorf("one more: %v", err)
	}
	all, err := o.store.List(t.Context(), o.who.OrganizationID)
	o.must(err)
	if err := o.store.Delete(t.Context(), o.organization("Another"), all[0].ID); !errors.Is(err, keys.ErrNotFound) {
		t.Errorf("another organization deletes: %v", err)
	}
	o.must(o.store.Delete(t.Context(), o.who, all[0].ID))
	o.webhook()
}
