package drafts_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/keystest"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// shop is a simulated account with a store of drafts and a creator for them.
type shop struct {
	*testing.T
	upstream   *sandbox.Sandbox
	client     *moysklad.Writer
	connection string
	deleted    bool  // whether Writer reports the connection as deleted
	writerErr  error // what Writer returns
	store      *drafts.Store
	db         *sql.DB
	creator    *drafts.Creator
	who        keys.Caller
	keys       *keys.Store
	noCost     bool // whether the role may not see cost
	now        func() time.Time
	cache      *tools.Cache
	onCall     atomic.Pointer[func(*http.Request)] // called before the account handles a request
}

func (s *shop) Writer(context.Context, string, string) (*moysklad.Writer, error) {
	if s.deleted {
		return nil, keys.ErrNotFound
	}
	return s.client, s.writerErr
}

var errFailing = errors.New("the connection is failing")

func (s *shop) RecordRefusal(context.Context, string, string, error) error {
	s.writerErr = errFailing
	return nil
}

func open(t *testing.T, db *sql.DB, now func() time.Time) *shop {
	t.Helper()
	return openWith(t, db, now, sandbox.Config{Seed: 7, Products: 60})
}

// openWith is like open, with a different configuration of the books. The account has no rate limits; other tests cover
// those.
func openWith(t *testing.T, db *sql.DB, now func() time.Time, books sandbox.Config) *shop {
	t.Helper()
	books.Unlimited = true
	s := &shop{T: t, upstream: sandbox.New(books), now: now, db: db, noCost: books.Role == sandbox.NoCost}
	handler := s.upstream.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if call := s.onCall.Load(); call != nil {
			(*call)(r)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	pool, err := moysklad.NewPool(moysklad.Config{URL: server.URL + "/api/remap/1.2", Ledgers: sandbox.Unpaced{}})
	must(t, err)
	s.client = pool.Writer(s.upstream.Books().AccountID, moysklad.Token(s.upstream.Token()))
	s.cache = tools.NewCache(now)
	s.keys = keys.NewStore(db, keystest.MasterKey(), now)
	organization, err := s.keys.CreateOrganization(t.Context(), keys.Caller{KeyID: "test", Operator: true}, "Shop")
	must(t, err)
	s.who = keys.Caller{KeyID: "key", OrganizationID: organization.ID}
	s.connection = s.connect()
	s.store = drafts.NewStore(db, s.keys, now, time.Hour)
	s.creator = &drafts.Creator{Store: s.store, Upstreams: s, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	return s
}

// connect stores a connection and returns its id.
func (s *shop) connect() string {
	s.Helper()
	c, err := s.keys.AddConnection(s.Context(), s.who, keys.NewConnection{
		OrganizationID: s.who.OrganizationID, Connector: "moysklad", Name: "Books", AccountID: "a", Token: keys.NewSecret(s.upstream.Token()),
	})
	if err != nil {
		s.Fatal(err)
	}
	return c.ID
}

// add stores an empty draft for a connection.
func (s *shop) add(connectionID string) (drafts.Draft, error) {
	return s.store.Add(s.Context(), drafts.Owner{Who: s.who, ConnectionID: connectionID, AccountID: "a"}, drafts.Transfer, drafts.Content{})
}

// draft runs a tool that prepares a draft, and returns the draft.
func (s *shop) draft(tool string, arguments any) (drafts.Draft, error) {
	s.Helper()
	result, err := s.execute(tool, arguments)
	if err != nil {
		return drafts.Draft{}, err
	}
	return result.Result.(drafts.Draft), nil
}

// mustDraft is like draft, but the tool must accept the arguments.
func (s *shop) mustDraft(tool string, arguments any) drafts.Draft {
	s.Helper()
	d, err := s.draft(tool, arguments)
	if err != nil {
		s.Fatal(err)
	}
	return d
}

func (s *shop) confirm(d drafts.Draft) (drafts.Draft, error) {
	return s.creator.Confirm(s.Context(), s.who, d.ID, d.Digest)
}

// create confirms a draft. The document must be created.
func (s *shop) create(d drafts.Draft) drafts.Draft {
	s.Helper()
	created, err := s.confirm(d)
	if err != nil || created.State != drafts.Created {
		s.Fatalf("got %v, state %s", err, created.State)
	}
	return created
}

func (s *shop) execute(tool string, arguments any) (*tools.Result, error) {
	s.Helper()
	return s.executeIn("", tool, arguments)
}

// executeIn runs a tool in a conversation.
func (s *shop) executeIn(session, tool string, arguments any) (*tools.Result, error) {
	s.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		s.Fatal(err)
	}
	account := &tools.Account{
		ID: s.upstream.Books().AccountID, ConnectionID: s.connection, OrganizationID: s.who.OrganizationID, KeyID: s.who.KeyID,
		Rights: tools.Rights{Cost: !s.noCost, Money: true, Write: true},
		Client: s.client.Client, Cache: s.cache.For("a", "s"), Now: s.now, SessionID: session,
	}
	for _, t := range append(tools.All(), s.store.Tools()...) {
		if t.Name == tool {
			return t.Execute(s.Context(), account, text)
		}
	}
	s.Fatalf("there is no tool %s", tool)
	return nil, nil
}

// priced returns a product with a purchase price and a supplier.
func (s *shop) priced() *sandbox.Item {
	for _, item := range s.upstream.Books().Assortment {
		if item.Stocked() && item.Parent == nil && len(item.Variants) == 0 && item.BuyPrice > 0 && item.Supplier != nil &&
			!item.Archived && !item.Supplier.Archived && item.BuyCurrency == s.upstream.Books().Currencies[0] {
			return item
		}
	}
	s.Fatal("the shop has no product with a purchase price")
	return nil
}

type object = map[string]any

// rubles formats an amount of the books as drafts do.
func rubles(a sandbox.Amount) string { return decimal.New(int64(a), -5).StringFixed(2) }

func (s *shop) purchaseOrder() drafts.Draft {
	s.Helper()
	item := s.priced()
	return s.mustDraft("draft_purchase_order", object{"supplier": item.Supplier.Name, "lines": []object{{"product": item.Code, "units": 3}}})
}

// writes returns the number of requests to the upstream that are not reads.
func (s *shop) writes() int {
	n := 0
	for _, call := range s.upstream.Log() {
		if call.Method != "GET" {
			n++
		}
	}
	return n
}

func TestDraftHasTheIDOfItsConversation(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		s := open(t, db, time.Now)
		for session, want := range map[string]string{"": `"session_id":null`, "s-1": `"session_id":"s-1"`} {
			from := drafts.Owner{Who: s.who, ConnectionID: s.connection, AccountID: "a", SessionID: session}
			made, err := s.store.Add(t.Context(), from, drafts.Transfer, drafts.Content{})
			must(t, err)
			read, err := s.store.Get(t.Context(), s.who.OrganizationID, made.ID)
			must(t, err)
			for _, d := range []drafts.Draft{made, read} {
				if text, err := json.Marshal(d); err != nil || !strings.Contains(string(text), want) {
					t.Errorf("%s, %v: want %s", text, err, want)
				}
			}
		}
	})
}

func TestNothingIsWrittenWithoutConfirmation(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		s := open(t, db, time.Now)
		d := s.purchaseOrder()
		if !strings.HasSuffix(d.Summary, ", 1 line, without VAT") {
			t.Errorf("the summary of one line is %q", d.Summary)
		}
		if _, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest[1:]+"0"); !errors.As(err, new(*drafts.NotConfirmableError)) {
			t.Errorf("another digest: got %v, want a NotConfirmableError", err)
		}
		stranger := s.who
		stranger.OrganizationID = "another"
		if _, err := s.creator.Confirm(t.Context(), stranger, d.ID, d.Digest); !errors.Is(err, drafts.ErrNotFound) {
			t.Errorf("another organization: got %v, want not found", err)
		}
		if n := s.writes(); n != 0 {
			t.Errorf("%d writes reached the upstream", n)
		}
	})
}

func TestConcurrentConfirmationsCreateOneDocument(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		s := open(t, db, time.Now)
		d := s.purchaseOrder()
		var group sync.WaitGroup
		documents := make([]string, 50)
		for i := range documents {
			group.Go(func() {
				created, err := s.confirm(d)
				if err != nil || created.Document == nil {
					t.Errorf("confirmation %d: %v, state %s", i, err, created.State)
					return
				}
				documents[i] = created.Document.ID
			})
		}
		group.Wait()
		for _, id := range documents {
			if id != documents[0] {
				t.Errorf("documents differ: %s and %s", id, documents[0])
			}
		}
		if n := s.writes(); n != 1 {
			t.Errorf("%d writes reached the upstream, want 1", n)
		}
		made := s.upstream.Books().Document(documents[0])
		if made == nil || made.Applicable {
			t.Errorf("the document exists in the upstream: %v; want one that is not posted", made != nil)
		}
	})
}

// The second confirmation reads the draft before the first one is recorded. It must return the document of the first.
func TestLateSecondConfirmationReturnsTheFirstDocument(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		s := open(t, db, time.Now)
		d := s.purchaseOrder()
		var first drafts.Draft
		second := drafts.Creator{Store: s.store, Log: s.creator.Log, Upstreams: interrupted{s, sync.OnceFunc(func() {
			var err error
			if first, err = s.confirm(d); err != nil {
				t.Error(err)
			}
		})}}
		got, err := second.Confirm(t.Context(), s.who, d.ID, d.Digest)
		if err != nil || first.Document == nil || got.Document == nil || got.Document.ID != first.Document.ID ||
			!got.ConfirmedAt.Equal(*first.ConfirmedAt) {
			t.Errorf("the second got %+v (%v), the first %+v", got, err, first)
		}
		var confirmations int
		row := db.QueryRowContext(t.Context(), `SELECT count(*) FROM audit WHERE action = 'draft.confirmed'`)
		if err := row.Scan(&confirmations); err != nil || confirmations != 1 {
			t.Errorf("the audit has %d confirmations (%v), want 1", confirmations, err)
		}
	})
}

// interrupted calls its function, meanwhile, before it returns a writer.
type interrupted struct {
	*shop
	meanwhile func()
}

func (i interrupted) Writer(ctx context.Context, orgID, connectionID string) (*moysklad.Writer, error) {
	i.meanwhile()
	return i.shop.Writer(ctx, orgID, connectionID)
}

func TestExpiredDraftCannotBeConfirmed(t *testing.T) {
	now := time.Now()
	s := open(t, databasetest.SQLite(t), func() time.Time { return now })
	d := s.purchaseOrder()
	now = now.Add(2 * time.Hour)
	var refused *drafts.NotConfirmableError
	if _, err := s.confirm(d); !errors.As(err, &refused) || refused.State != drafts.Expired {
		t.Errorf("got %v, want expired", err)
	}
}

func TestExpiredDraftCannotBeCancelled(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		now := time.Now()
		s := open(t, db, func() time.Time { return now })
		early, late := s.purchaseOrder(), s.purchaseOrder()
		_, err := s.store.Cancel(t.Context(), s.who, early.ID)
		must(t, err)
		now = late.ExpiresAt
		var refused *drafts.NotConfirmableError
		if _, err := s.store.Cancel(t.Context(), s.who, late.ID); !errors.As(err, &refused) || refused.State != drafts.Expired {
			t.Errorf("got %v, want expired", err)
		}
		if d, err := s.store.Cancel(t.Context(), s.who, early.ID); err != nil || d.State != drafts.Cancelled {
			t.Errorf("cancelled again: %v, %s", err, d.State)
		}
	})
}

func TestOnlyTheExactMessageConfirms(t *testing.T) {
	for message, want := range map[string]string{
		"confirm PO-7K3M9X":                "PO-7K3M9X",
		"подтверждаю PO-7K3M9X":            "PO-7K3M9X",
		"  Подтверждаю po-7k3m9x \n":       "PO-7K3M9X",
		"yes":                              "",
		"да":                               "",
		"confirm":                          "",
		"confirm PO-7K3M9X please":         "",
		"please confirm PO-7K3M9X":         "",
		"confirm PO-7K3M9":                 "",
		"confirm XX-7K3M9X":                "",
		"confirm PO-7K3M9U":                "", // no U in the alphabet
		"confirm  PO-7K3M9X":               "",
		"confirm PO-7K3M9X\nconfirm other": "",
	} {
		code, ok := drafts.ConfirmationCode(message)
		if code != want && ok || ok != (want != "") {
			t.Errorf("%q: got %q, %v", message, code, ok)
		}
	}
}

func TestMessageThatOnlyCancels(t *testing.T) {
	const latest, code = "latest", "PO-7K3M9X"
	for message, want := range map[string]string{
		"отмени": latest, "Отмените!": latest, "отмени его": latest, "cancel it": latest, "no wait, cancel that order": latest,
		"отмени этот заказ": latest, "Отмени черновик.": latest, "отмени " + code: code, "cancel draft po-7k3m9x, please": code,
		"отмени заказ": "", "cancel the order": "", "cancel it?": "", "не отменяй": "", "don't cancel it": "", "его": "", "": "",
		"отмени " + code + " PO-000000": "", "отмени, лучше на 3%": "",
	} {
		got, ok := drafts.CancellationCode(message)
		if ok && got == "" {
			got = latest
		}
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", message, got, ok, want)
		}
	}
}

// Such a message confirms nothing, but the answer must give the exact command at once.
func TestInexactConfirmationNamesItsDraft(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	add := func(session string) string {
		d, err := s.store.Add(t.Context(), drafts.Owner{Who: s.who, ConnectionID: s.connection, AccountID: "a", SessionID: session}, drafts.Transfer, drafts.Content{})
		must(t, err)
		return d.Code
	}
	code, other, elsewhere := add("s-1"), add("s-1"), add("s-2")
	for message, want := range map[string]string{
		"подтверждаю " + code + ".": code, "confirm  " + code: code, "«confirm " + code + "»": code, "`подтверждаю " + code + "`": code,
		"**подтверждаю " + code + "**": code, "подтверди " + code: code, code: code, strings.ToLower(code) + "!": code, "Да, подтверждаю " + code + ", пожалуйста": code,
		"confirm " + strings.Replace(code, "-", "–", 1): code,
		"подтверждаю":                                   code + " " + other,
		"Да!":                                           other, // only this one is in the last answer
		"ок, провести":                                  other,
		"всё, оформляй":                                 other,
		"looks good, place it":                          other,
		"go ahead":                                      other,
		"do it, but 5 of them":                          "",
		"да, " + elsewhere:                              code + " " + other + " not " + elsewhere,
		"Подтверждаю, tr-abcdef!":                       code + " " + other + " not TR-ABCDEF",
		"подтверждаю TR000000":                          code + " " + other + " not TR-000000",
		"confirm TR-00000":                              code + " " + other + " not TR-00000",
		"confirm TR-LOUIS12":                            code + " " + other + " not TR-LOUIS12",
		"confirm " + code + " " + other:                 "",
		"confirm transfer":                              "",
		"confirm TR-" + strings.Repeat("0", 40):         "",
		"отмени " + code:                                "",
		"отмени TR-000000":                              "",
		"увеличь количество в " + code:                  "",
		"да, но сначала покажи остатки":                 "",
		"пожалуйста":                                    "",
		"":                                              "",
	} {
		if _, exact := drafts.ConfirmationCode(message); exact {
			t.Errorf("%q confirms", message)
		}
		if got := s.nearlyConfirmed("s-1", message, "… подтверждаю "+other); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
	// Where no draft waits, a code that nothing confirms may be the number of a document.
	for message, want := range map[string]string{
		"confirm PO-000123": "not PO-000123", "confirm": "", "yes, PO-000123": "", "PO-000123": "",
	} {
		if got := s.nearlyConfirmed("s-3", message, ""); got != want {
			t.Errorf("%q, no draft waits: %q, want %q", message, got, want)
		}
	}
	if got := s.nearlyConfirmed("", "confirm", ""); got != "" {
		t.Errorf("without a conversation: %q", got)
	}
}

// nearlyConfirmed returns the codes that a message seems to confirm, and "not" with a code that no waiting draft has.
func (s *shop) nearlyConfirmed(session, message, answer string) string {
	s.Helper()
	codes, other, err := s.store.NearlyConfirmed(s.Context(), s.who.OrganizationID, session, message, answer)
	must(s, err)
	if other != "" {
		codes = append(codes, "not "+other)
	}
	return strings.Join(codes, " ")
}

func TestRenamedOrArchivedObjectMakesDraftStale(t *testing.T) {
	for name, change := range map[string]func(*sandbox.Item, *sandbox.Organization){
		"product renamed":      func(i *sandbox.Item, _ *sandbox.Organization) { i.Name += " (new)" },
		"product archived":     func(i *sandbox.Item, _ *sandbox.Organization) { i.Archived = true },
		"supplier renamed":     func(i *sandbox.Item, _ *sandbox.Organization) { i.Supplier.Name += " (new)" },
		"supplier archived":    func(i *sandbox.Item, _ *sandbox.Organization) { i.Supplier.Archived = true },
		"organization renamed": func(_ *sandbox.Item, own *sandbox.Organization) { own.Name += " (new)" },
	} {
		s := open(t, databasetest.SQLite(t), time.Now)
		d := s.purchaseOrder()
		own := slices.IndexFunc(s.upstream.Books().Organizations, func(o *sandbox.Organization) bool { return o.ID == d.Parties[0].ID })
		change(s.priced(), s.upstream.Books().Organizations[own])
		if _, err := s.confirm(d); !errors.As(err, new(*drafts.StaleError)) {
			t.Errorf("%s: %v", name, err)
		}
		if n := s.writes(); n != 0 {
			t.Errorf("%s: %d writes", name, n)
		}
		if _, err := s.confirm(d); !errors.As(err, new(*drafts.NotConfirmableError)) {
			t.Errorf("%s, confirmed again: %v", name, err)
		}
	}
}

// A draft that could not be carried out within the lifetime of a draft must not be carried out weeks later.
func TestConfirmedDraftFailsAfterItsLifetime(t *testing.T) {
	now := time.Now()
	s := open(t, databasetest.SQLite(t), func() time.Time { return now })
	d := s.purchaseOrder()
	s.upstream.Fault(sandbox.Fault{Method: "POST", Status: 401, Times: 1, Body: `{"errors":[{"error":"x","code":1056}]}`})
	for range 2 {
		waiting, err := s.confirm(d)
		if !errors.As(err, new(*drafts.SuspendedError)) || !errors.Is(err, errFailing) || waiting.State != drafts.Confirmed {
			t.Fatalf("%v, %s", err, waiting.State)
		}
	}
	now, s.writerErr = now.Add(2*time.Hour), nil
	late, err := s.confirm(d)
	if !errors.As(err, new(*drafts.NotConfirmableError)) || late.State != drafts.Failed || late.Failure.Code != "DRAFT_EXPIRED" ||
		late.Failure.Written {
		t.Errorf("%v, %s", err, late.State)
	}
	if n := len(s.upstream.CreatedDocuments()); n != 0 {
		t.Errorf("%d documents", n)
	}
}

// If somebody alters a draft in the database, its digest no longer matches.
func TestAlteredDraftIsNotCreated(t *testing.T) {
	db := databasetest.SQLite(t)
	s := open(t, db, time.Now)
	d := s.purchaseOrder()
	if _, err := db.ExecContext(t.Context(), `UPDATE drafts SET payload = replace(payload, '"quantity":3', '"quantity":300')`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.confirm(d); !errors.As(err, new(*drafts.NotConfirmableError)) {
		t.Errorf("got %v", err)
	}
	if n := s.writes(); n != 0 {
		t.Errorf("%d writes", n)
	}
}

// The digest covers the account and not the connection, which somebody may alter in the database.
func TestDraftIsNotWrittenToAnotherAccount(t *testing.T) {
	db := databasetest.SQLite(t)
	s := open(t, db, time.Now)
	d, own := s.purchaseOrder(), s.connection
	_, err := db.ExecContext(t.Context(), `UPDATE drafts SET connection_id = $1`, s.connect())
	must(t, err)
	s.creator.Upstreams = otherAccount{s, own}
	failed, err := s.confirm(d)
	if !errors.As(err, new(*drafts.NotConfirmableError)) || failed.State != drafts.Failed || failed.Failure.Code != "DRAFT_ALTERED" ||
		failed.Failure.Written {
		t.Errorf("%v, %s, %+v", err, failed.State, failed.Failure)
	}
	if n := s.writes(); n != 0 {
		t.Errorf("%d writes", n)
	}
}

// otherAccount returns writers of another account, except for the connection own.
type otherAccount struct {
	*shop
	own string
}

func (o otherAccount) Writer(ctx context.Context, orgID, connectionID string) (*moysklad.Writer, error) {
	w, err := o.shop.Writer(ctx, orgID, connectionID)
	if connectionID != o.own {
		w = &moysklad.Writer{Client: w.Client, AccountID: "another"}
	}
	return w, err
}

// If both drafts were confirmed, the goods would be ordered twice.
func TestCorrectedDraftReplacesTheEarlierOne(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	var other *sandbox.Item
	for _, i := range s.upstream.Books().Assortment {
		if i != item && i.Stocked() && i.Parent == nil && len(i.Variants) == 0 && !i.Archived {
			other = i
		}
	}
	order := func(session string, product *sandbox.Item, units int) (drafts.Draft, []tools.Note) {
		t.Helper()
		result, err := s.executeIn(session, "draft_purchase_order", object{"supplier": item.Supplier.Name,
			"lines": []object{{"product": product.Code, "units": units, "price": 100}}})
		must(t, err)
		return result.Result.(drafts.Draft), result.Notes
	}
	first, _ := order("s-1", item, 3)
	elsewhere, _ := order("s-2", item, 3)
	another, _ := order("s-1", other, 3)
	direct, _ := order("", item, 3)
	_, notes := order("s-1", item, 5)
	for _, c := range []struct {
		d    drafts.Draft
		want drafts.State
	}{{first, drafts.Cancelled}, {elsewhere, drafts.Drafted}, {another, drafts.Drafted}, {direct, drafts.Drafted}} {
		if now, err := s.store.Get(t.Context(), s.who.OrganizationID, c.d.ID); err != nil || now.State != c.want {
			t.Errorf("%s, %v: %s, want %s", c.d.Code, err, now.State, c.want)
		}
	}
	if len(notes) != 1 || notes[0].Code != tools.DraftReplaced || notes[0].Values["code"] != first.Code {
		t.Errorf("notes %v", notes)
	}
	if _, err := s.confirm(first); !errors.As(err, new(*drafts.NotConfirmableError)) {
		t.Errorf("confirming the earlier draft: %v", err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
