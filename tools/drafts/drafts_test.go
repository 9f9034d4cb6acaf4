package drafts_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// shop is a simulated account with a store of drafts and a creator on it.
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
	now        func() time.Time
	library    *tools.Library
	onCall     atomic.Pointer[func(*http.Request)] // called before each request is handled
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

// openWith is open with other books. The account has no rate limits; the tests of the pace cover those.
func openWith(t *testing.T, db *sql.DB, now func() time.Time, books sandbox.Config) *shop {
	t.Helper()
	books.Unlimited = true
	s := &shop{T: t, upstream: sandbox.New(books), now: now, db: db}
	handler := s.upstream.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if call := s.onCall.Load(); call != nil {
			(*call)(r)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	pool, err := moysklad.NewPool(moysklad.Config{URL: server.URL + "/api/remap/1.2", Ledgers: sandbox.Unpaced{}})
	if err != nil {
		t.Fatal(err)
	}
	s.client = pool.Writer(s.upstream.Books().AccountID, moysklad.Token(s.upstream.Token()))
	s.library = tools.NewLibrary(now)
	s.keys = keys.NewStore(db, keys.NewMasterKey(), now)
	organization, err := s.keys.CreateOrganization(t.Context(), keys.Caller{KeyID: "test", Operator: true}, "Shop")
	if err != nil {
		t.Fatal(err)
	}
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

// draft runs a drafting tool and returns the draft.
func (s *shop) draft(tool string, arguments any) (drafts.Draft, error) {
	s.Helper()
	result, err := s.execute(tool, arguments)
	if err != nil {
		return drafts.Draft{}, err
	}
	return result.Result.(drafts.Draft), nil
}

func (s *shop) execute(tool string, arguments any) (*tools.Result, error) {
	s.Helper()
	return s.executeIn("", tool, arguments)
}

// executeIn runs a drafting tool in a conversation.
func (s *shop) executeIn(session, tool string, arguments any) (*tools.Result, error) {
	s.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		s.Fatal(err)
	}
	account := &tools.Account{
		ID: s.upstream.Books().AccountID, ConnectionID: s.connection, OrganizationID: s.who.OrganizationID, KeyID: s.who.KeyID,
		Rights: tools.Rights{Cost: true, Money: true, Write: true},
		Client: s.client.Client, Books: s.library.Books("a", "s"), Now: s.now, SessionID: session,
	}
	for _, t := range s.store.Tools() {
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
	d, err := s.draft("draft_purchase_order", object{"supplier": item.Supplier.Name, "lines": []object{{"product": item.Code, "units": 3}}})
	if err != nil {
		s.Fatal(err)
	}
	return d
}

// writes counts the requests to the upstream that are not reads.
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
			if err != nil {
				t.Fatal(err)
			}
			read, err := s.store.Get(t.Context(), s.who.OrganizationID, made.ID)
			if err != nil {
				t.Fatal(err)
			}
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
				created, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest)
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
			t.Errorf("the document upstream is there: %v, want an unposted one", made != nil)
		}
	})
}

// The second confirmation has read the draft before the first one is recorded. It must return the first one's document.
func TestLateSecondConfirmationReturnsTheFirstDocument(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		s := open(t, db, time.Now)
		d := s.purchaseOrder()
		var first drafts.Draft
		second := drafts.Creator{Store: s.store, Log: s.creator.Log, Upstreams: interrupted{s, sync.OnceFunc(func() {
			var err error
			if first, err = s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest); err != nil {
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

// interrupted calls meanwhile before it returns a writer.
type interrupted struct {
	*shop
	meanwhile func()
}

func (i interrupted) Writer(ctx context.Context, orgID, connectionID string) (*moysklad.Writer, error) {
	i.meanwhile()
	return i.shop.Writer(ctx, orgID, connectionID)
}

func TestCreatedDocumentIsAsShown(t *testing.T) {
	books := sandbox.Config{Seed: 7, Products: 60, Switches: sandbox.Switches{VATByDefault: true}}
	s := openWith(t, databasetest.SQLite(t), time.Now, books)
	item := s.priced()
	d := s.purchaseOrder()
	if d.Lines[0].PriceSource != "product_card" || d.Lines[0].Price.String() != rubles(item.BuyPrice) {
		t.Errorf("line %+v, want the card's purchase price %d", d.Lines[0], item.BuyPrice)
	}
	created, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest)
	if err != nil || created.State != drafts.Created {
		t.Fatalf("got %v, state %s", err, created.State)
	}
	if len(created.Document.Differences) > 0 {
		t.Errorf("got %s with differences %v", created.State, created.Document.Differences)
	}
	made := s.upstream.Books().Document(created.Document.ID)
	if d.Totals.VAT != "none" || !strings.HasSuffix(d.Summary, ", without VAT") || !made.WithoutVAT {
		t.Errorf("VAT is shown as %q in %q, and written: %t", d.Totals.VAT, d.Summary, !made.WithoutVAT)
	}
	again, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest)
	if err != nil || again.Document.ID != created.Document.ID {
		t.Errorf("confirming again: %v, %+v", err, again.Document)
	}
}

func TestChangedPurchasePriceMakesDraftStale(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	d := s.purchaseOrder()
	item.BuyPrice += sandbox.Rub(1)
	_, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest)
	if !errors.As(err, new(*drafts.StaleError)) {
		t.Errorf("got %v, want a stale draft", err)
	}
	if n := s.writes(); n != 0 {
		t.Errorf("%d writes reached the upstream", n)
	}
}

// Most variants have no purchase price of their own upstream.
func TestVariantIsOrderedAtItsProductsPurchasePrice(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	own := s.upstream.Books().Currencies[0]
	for _, variant := range s.upstream.Books().Assortment {
		product := variant.Parent
		if product == nil || variant.BuyPrice != 0 || variant.Archived ||
			product.BuyPrice == 0 || product.BuyCurrency != own || product.Supplier == nil {
			continue
		}
		line := object{"product": variant.ID, "units": 3}
		d, err := s.draft("draft_purchase_order", object{"supplier": product.Supplier.Name, "lines": []object{line}})
		if err != nil {
			t.Fatal(err)
		}
		if line := d.Lines[0]; line.PriceSource != "product_card" || line.Price.String() != rubles(product.BuyPrice) {
			t.Errorf("line %+v, want the product's purchase price %s", line, rubles(product.BuyPrice))
		}
		product.BuyPrice += sandbox.Rub(1)
		if _, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest); !errors.As(err, new(*drafts.StaleError)) {
			t.Errorf("confirmed after the product's price had changed: %v, want a stale draft", err)
		}
		return
	}
	t.Fatal("the shop has no variant without a purchase price of its own")
}

// An order from shortages names no warehouse unless the user did.
func TestUnitsOrderedToNoWarehouseAreNotOrderedAgain(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	for _, item := range s.upstream.Books().Assortment {
		if item.Supplier == nil || item.Threshold().Type != sandbox.MinimumVaried {
			continue
		}
		order := object{"supplier": item.Supplier.ID, "from_shortage": true}
		d, err := s.draft("draft_purchase_order", order)
		if err != nil || !slices.ContainsFunc(d.Lines, func(line drafts.Line) bool { return line.ProductID == item.ID }) {
			continue
		}
		s.post(d)
		again, err := s.draft("draft_purchase_order", order)
		if err != nil && !errors.As(err, new(*tools.ArgumentError)) {
			t.Fatal(err)
		}
		for _, line := range again.Lines {
			t.Errorf("%s is ordered again, %s units", line.Name, line.Units)
		}
		return
	}
	t.Fatal("nothing with a minimum per warehouse is short")
}

// The draft names them so that nobody thinks they were forgotten.
func TestOrderLeavesOutIncomingProducts(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	for _, supplier := range s.upstream.Books().Counterparties {
		order := object{"supplier": supplier.ID, "from_shortage": true}
		d, err := s.draft("draft_purchase_order", order)
		if err != nil || len(d.Lines) < 2 {
			continue
		}
		first := d.Lines[0]
		line := object{"product": first.ProductID, "units": first.Units}
		single, err := s.draft("draft_purchase_order", object{"supplier": supplier.ID, "lines": []object{line}})
		if err != nil {
			t.Fatal(err)
		}
		s.post(single)
		again, err := s.draft("draft_purchase_order", order)
		if err != nil {
			t.Fatal(err)
		}
		want := drafts.Omission{ProductID: first.ProductID, Name: first.Name, Why: "already_ordered"}
		if !slices.Contains(again.LeftOut, want) || len(again.Lines) != len(d.Lines)-1 {
			t.Errorf("%d lines of %d, left out %+v, want %+v", len(again.Lines), len(d.Lines), again.LeftOut, want)
		}
		return
	}
	t.Fatal("no supplier has two products that are short")
}

// A product whose stock is being recalculated may be short, too.
func TestShortageOrderNotesRecalculatedStock(t *testing.T) {
	switches := sandbox.Switches{Recalculating: 12}
	s := openWith(t, databasetest.SQLite(t), time.Now, sandbox.Config{Seed: 7, Products: 60, Switches: switches})
	for _, supplier := range s.upstream.Books().Counterparties {
		result, err := s.execute("draft_purchase_order", object{"supplier": supplier.ID, "from_shortage": true})
		if err != nil {
			continue
		}
		if !slices.ContainsFunc(result.Notes, func(n tools.Note) bool { return n.Code == tools.StockRecalculating }) {
			t.Errorf("the notes are %v", result.Notes)
		}
		return
	}
	t.Fatal("nothing is short")
}

// post creates the draft's document upstream and posts it, and empties the cache.
func (s *shop) post(d drafts.Draft) {
	s.Helper()
	var body object
	if err := json.Unmarshal(d.Writes[0].Body, &body); err != nil {
		s.Fatal(err)
	}
	body["applicable"], body["syncId"] = true, uuid.NewString()
	text, err := json.Marshal(body)
	if err != nil {
		s.Fatal(err)
	}
	if _, err := s.client.Create(s.Context(), d.Writes[0].Kind, text); err != nil {
		s.Fatal(err)
	}
	s.library = tools.NewLibrary(s.now)
}

func TestExpiredDraftCannotBeConfirmed(t *testing.T) {
	now := time.Now()
	s := open(t, databasetest.SQLite(t), func() time.Time { return now })
	d := s.purchaseOrder()
	now = now.Add(2 * time.Hour)
	var refused *drafts.NotConfirmableError
	if _, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest); !errors.As(err, &refused) || refused.State != drafts.Expired {
		t.Errorf("got %v, want expired", err)
	}
}

func TestPriceChangeShowsTheOldPriceAndSetsTheNewOne(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	old := item.SalePrices[0].Value
	d, err := s.draft("draft_price_change", object{"lines": []object{{"product": item.Code, "price": 1234.56}}})
	if err != nil {
		t.Fatal(err)
	}
	if shown := d.Lines[0].OldPrice; old > 0 && (shown == nil || shown.String() != rubles(old)) {
		t.Errorf("old price shown as %v, want %d", shown, old)
	}
	created, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest)
	if err != nil || created.State != drafts.Created {
		t.Fatalf("got %v, state %s", err, created.State)
	}
	if got := item.SalePrices[0].Value; got != sandbox.Kop(123456) {
		t.Errorf("the price upstream is %d, want 123456 kopecks", got)
	}
}

// The tool itself refuses, before a person confirms anything.
func TestPriceChangeNeedsTheRightToChangeProducts(t *testing.T) {
	s := openWith(t, databasetest.SQLite(t), time.Now, sandbox.Config{Seed: 7, Products: 60, Role: sandbox.ReadOnly})
	_, err := s.draft("draft_price_change", object{"lines": []object{{"product": s.priced().Code, "price": 1234.56}}})
	if !errors.Is(err, moysklad.ErrPermission) {
		t.Errorf("got %v, want ErrPermission for a read-only role", err)
	}
}

// A price list may name prices that stay the same.
func TestUnchangedPriceDoesNotCountAsWritten(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	var lines []object
	var last *sandbox.Item
	for _, item := range s.upstream.Books().Assortment {
		if len(lines) == 2 {
			break
		}
		price := item.SalePrices
		if item.Parent == nil && len(item.Variants) == 0 && item.Stocked() && !item.Archived &&
			price[0].Value > 0 && price[0].Value%sandbox.Kop(1) == 0 {
			last = item
			lines = append(lines, object{"product": item.ID, "price": json.RawMessage(rubles(price[0].Value))})
		}
	}
	lines[1]["price"] = 12345
	d, err := s.draft("draft_price_change", object{"lines": lines})
	if err != nil {
		t.Fatal(err)
	}
	old := rubles(last.SalePrices[0].Value)
	last.SalePrices[0].Value += sandbox.Rub(1)
	var stale *drafts.StaleError
	if _, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest); !errors.As(err, &stale) {
		t.Fatalf("got %v, want a stale draft of which nothing was written", err)
	}
	price := last.SalePrices[0]
	change := fmt.Sprintf("the price %q of product %q was %s and is %s", price.Type.Name, last.Name, old, rubles(price.Value))
	if stale.What != change {
		t.Errorf("the draft is stale because %s, want %s", stale.What, change)
	}
	if n := s.writes(); n != 0 {
		t.Errorf("%d writes reached the upstream", n)
	}
}

func TestTransferNeedsTwoWarehouses(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	stores := s.upstream.Books().Stores
	line := []object{{"product": s.priced().Code, "units": 2}}
	_, err := s.draft("draft_transfer", object{"from_warehouse": stores[0].Name, "to_warehouse": stores[0].Name, "lines": line})
	if !errors.As(err, new(*tools.ArgumentError)) {
		t.Errorf("the same warehouse twice: got %v", err)
	}
	d, err := s.draft("draft_transfer", object{"from_warehouse": stores[0].Name, "to_warehouse": stores[1].Name, "lines": line})
	if err != nil {
		t.Fatal(err)
	}
	if created, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest); err != nil || created.State != drafts.Created {
		t.Errorf("got %v, state %s", err, created.State)
	}
}

// A transfer of the whole stock gets no note.
func TestTransferOfMoreThanTheStockGetsANote(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	books := s.upstream.Books()
	from, to := books.Stores[0], books.Stores[1]
	i := slices.IndexFunc(books.Assortment, func(item *sandbox.Item) bool {
		return item.Stocked() && !item.Archived && len(item.Variants) == 0 && books.Holding(item, from).Stock > 0
	})
	product := books.Assortment[i]
	there := decimal.New(int64(books.Holding(product, from).Stock), -3)
	for units, want := range map[string]string{
		there.String(): "",
		there.Add(decimal.NewFromInt(3)).String(): fmt.Sprintf(
			"Lines that need more than %s has in stock: 1. %s: %s in stock, %s to move.",
			from.Name, product.Name, there, there.Add(decimal.NewFromInt(3))),
	} {
		line := object{"product": product.ID, "units": json.Number(units)}
		result, err := s.execute("draft_transfer", object{"from_warehouse": from.Name, "to_warehouse": to.Name, "lines": []object{line}})
		if err != nil {
			t.Fatal(err)
		}
		var notes []string
		for _, n := range result.Notes {
			notes = append(notes, n.Text)
		}
		if got := strings.Join(notes, " "); got != want {
			t.Errorf("%s units: %q, want %q", units, got, want)
		}
	}
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

func TestPriceCanBeSetOnlyOnce(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	_, err := s.draft("draft_price_change", object{"lines": []object{{"product": item.Code, "price": 10}, {"product": item.ID, "price": 11}}})
	var wrong *tools.ArgumentError
	if !errors.As(err, &wrong) || len(wrong.Problems) != 1 || wrong.Problems[0].Field != "lines.1.product" {
		t.Errorf("two prices for one: %v", err)
	}
	var lines []object
	for i, p := range item.SalePrices {
		lines = append(lines, object{"product": item.Code, "price_type": p.Type.Name, "price": 20 + i})
	}
	d, err := s.draft("draft_price_change", object{"lines": lines})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest); err != nil {
		t.Fatal(err)
	}
	for i, p := range item.SalePrices {
		if p.Value != sandbox.Rub(int64(20+i)) {
			t.Errorf("price %d upstream is %d", i, p.Value)
		}
	}
	if n := s.writes(); n != 1 {
		t.Errorf("the prices of one product took %d writes", n)
	}
}

// Variants without prices of their own keep none. Variants with their own prices get the new price.
func TestPriceChangeCoversVariants(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	i := slices.IndexFunc(s.upstream.Books().Assortment, func(i *sandbox.Item) bool {
		return len(i.Variants) > 1 && !i.Archived && !slices.ContainsFunc(i.Variants, func(v *sandbox.Item) bool { return v.Archived })
	})
	product := s.upstream.Books().Assortment[i]
	for _, v := range product.Variants {
		v.SalePrices = nil
	}
	product.Variants[1].SalePrices = slices.Clone(product.SalePrices)
	product.Variants[1].SalePrices[0].Value += sandbox.Rub(5)
	s.library = tools.NewLibrary(s.now)
	d, err := s.draft("draft_price_change", object{"lines": []object{{"product": product.Name, "price": 1234}}})
	if err != nil {
		t.Fatal(err)
	}
	own := slices.IndexFunc(d.Lines, func(line drafts.Line) bool { return line.ProductID == product.Variants[1].ID })
	if len(d.Lines) != 1+len(product.Variants) || d.Lines[0].ProductID != product.ID || own < 0 ||
		d.Lines[own].OldPrice.String() != rubles(product.SalePrices[0].Value+sandbox.Rub(5)) {
		t.Errorf("the lines are %+v", d.Lines)
	}
	created, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest)
	if err != nil || created.State != drafts.Created || len(created.Document.Differences) > 0 {
		t.Fatalf("%v, %s %+v", err, created.State, created.Document)
	}
	inherits, has := product.Variants[0], product.Variants[1]
	if product.SalePrices[0].Value != sandbox.Rub(1234) || has.SalePrices[0].Value != sandbox.Rub(1234) || inherits.SalePrices != nil ||
		s.writes() != 2 {
		t.Errorf("%d writes; the product has %+v, its variants %+v and %+v", s.writes(), product.SalePrices, inherits.SalePrices, has.SalePrices)
	}
	stores := s.upstream.Books().Stores
	_, err = s.draft("draft_transfer", object{"from_warehouse": stores[0].ID, "to_warehouse": stores[1].ID,
		"lines": []object{{"product": product.Code, "units": 1}}})
	var unclear *tools.ArgumentError
	if !errors.As(err, &unclear) || len(unclear.Candidates()) != len(product.Variants) {
		t.Errorf("a transfer of the product: %v, want an error that lists the variants", err)
	}
}

// The error lists candidates that differ, and an id from the list is accepted.
func TestAmbiguousSupplierCanBeChosenByID(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	line := []object{{"product": item.ID, "units": 1}}
	for _, other := range s.upstream.Books().Counterparties {
		if other != item.Supplier && !other.Archived {
			other.Name = item.Supplier.Name
			break
		}
	}
	_, err := s.draft("draft_purchase_order", object{"supplier": item.Supplier.Name, "lines": line})
	var unclear *tools.ArgumentError
	if !errors.As(err, &unclear) || len(unclear.Candidates()) != 2 || unclear.Candidates()[0] == unclear.Candidates()[1] {
		t.Fatalf("two suppliers of one name: %v", err)
	}
	for _, candidate := range unclear.Candidates() {
		_, id, _ := strings.Cut(candidate, "(id ")
		if _, err := s.draft("draft_purchase_order", object{"supplier": strings.TrimSuffix(id, ")"), "lines": line}); err != nil {
			t.Errorf("%s: %v", candidate, err)
		}
	}
	for _, blank := range []string{" ", "\u00a0"} {
		_, err := s.draft("draft_purchase_order", object{"supplier": blank, "lines": line})
		if !errors.As(err, &unclear) || !slices.Contains(unclear.Candidates(), item.Supplier.Name) {
			t.Errorf("a blank supplier: %v", err)
		}
	}
}

// The list has the suppliers of the ordered products, else those of earlier orders, else those of all products.
func TestOrderWithoutSupplierListsSuppliers(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item, books := s.priced(), s.upstream.Books()
	choice := func(supplier string) []string {
		t.Helper()
		_, err := s.draft("draft_purchase_order", object{"supplier": supplier, "lines": []object{{"product": item.ID, "units": 1}}})
		var unclear *tools.ArgumentError
		if !errors.As(err, &unclear) || len(unclear.Problems) != 1 || unclear.Problems[0].Field != "supplier" {
			t.Fatalf("an order of %q: %v", supplier, err)
		}
		return unclear.Candidates()
	}
	for _, nobody := range []string{"", "Nobody at all"} {
		if got := choice(nobody); !slices.Equal(got, []string{item.Supplier.Name}) {
			t.Errorf("%q: %q, want the product's supplier %q", nobody, got, item.Supplier.Name)
		}
	}
	_, err := s.draft("draft_purchase_order", object{"supplier": "", "lines": []object{{"product": "there is none", "units": 1}}})
	if err == nil || !strings.Contains(err.Error(), "lines.0.product") {
		t.Errorf("an unknown product must be reported first: %v", err)
	}

	item.Supplier = nil
	fresh := open(t, databasetest.SQLite(t), time.Now)
	fresh.upstream, fresh.client, s = s.upstream, s.client, fresh // with an empty cache of products
	orders := map[*sandbox.Counterparty][]*sandbox.Document{}
	for _, d := range books.Documents["purchaseorder"] {
		orders[d.Agent] = append(orders[d.Agent], d)
	}
	agents := slices.SortedFunc(maps.Keys(orders), func(a, b *sandbox.Counterparty) int { return len(orders[b]) - len(orders[a]) })
	often, rare := orders[agents[0]], orders[agents[1]]
	books.Documents["purchaseorder"] = []*sandbox.Document{rare[0], often[0], often[1]}
	if got, want := choice(""), []string{agents[0].Name, agents[1].Name}; !slices.Equal(got, want) {
		t.Errorf("of earlier orders: %q, want %q", got, want)
	}
	reads := s.upstream.Log().To("GET", "/entity/purchaseorder")
	if query := reads[0].Query; query.Get("order") != "moment,desc" || query.Get("limit") != "100" {
		t.Errorf("the latest orders are read with %v", query)
	}
	books.Documents["purchaseorder"] = nil
	suppliers := map[string]int{}
	for _, i := range books.Assortment {
		if supplier := i.Origin().Supplier; supplier != nil && i.Stocked() && len(i.Variants) == 0 && !i.Archived {
			suppliers[supplier.Name]++
		}
	}
	got := choice("")
	frequency := func(a, b string) int { return suppliers[b] - suppliers[a] }
	if len(got) == 0 || len(got) > len(suppliers) || !slices.IsSortedFunc(got, frequency) {
		t.Errorf("of all products: %q, want the most frequent ones first: %v", got, suppliers)
	}
}

// Products are cached for ten minutes.
func TestNewProductCanBeOrderedAtOnce(t *testing.T) {
	now := time.Now()
	s := open(t, databasetest.SQLite(t), func() time.Time { return now })
	s.purchaseOrder()
	order := func(product string) (drafts.Draft, error) {
		line := object{"product": product, "units": 1, "price": 100}
		return s.draft("draft_purchase_order", object{"supplier": s.priced().Supplier.Name, "lines": []object{line}})
	}
	for _, by := range []string{"name", "id"} {
		product := fmt.Sprintf(`{"name":"New by %s","syncId":%q}`, by, uuid.NewString())
		made, err := s.client.Create(t.Context(), "product", json.RawMessage(product))
		if err != nil {
			t.Fatal(err)
		}
		now = now.Add(2 * time.Minute)
		d, err := order(map[string]string{"name": made.Name, "id": made.ID}[by])
		if err != nil || d.Lines[0].ProductID != made.ID {
			t.Errorf("by %s: %v, lines %+v", by, err, d.Lines)
		}
	}
	now = now.Add(2 * time.Minute)
	if _, err := order("there is none"); !errors.As(err, new(*tools.ArgumentError)) {
		t.Errorf("an unknown product: %v", err)
	}
}

func TestPriceWithThreeDecimalsIsRefused(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	for tool, arguments := range map[string]object{
		"draft_price_change":   {"lines": []object{{"product": item.Code, "price": 12.345}}},
		"draft_purchase_order": {"supplier": item.Supplier.Name, "lines": []object{{"product": item.Code, "units": 1, "price": 12.345}}},
	} {
		if _, err := s.draft(tool, arguments); !errors.As(err, new(*tools.ArgumentError)) {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

// The upstream and the text that a digest covers use doubles. A number that a double cannot hold is refused; any other is sent
// with all its digits.
func TestNumberThatDoesNotFitADoubleIsRefused(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	order := func(units, price string) (drafts.Draft, error) {
		line := object{"product": item.Code, "units": json.Number(units), "price": json.Number(price)}
		return s.draft("draft_purchase_order", object{"supplier": item.Supplier.Name, "lines": []object{line, line}})
	}
	for _, c := range []struct{ units, price, field, problem, russian string }{
		{"0", "1", "lines.0.units", "must be above zero", "нужно число больше нуля"},
		{"1e30", "1", "lines.0.units", "must be at most 999999999999999", "нужно не больше 999999999999999"},
		{"1e399", "1", "lines.0.units", "must be at most 999999999999999", "нужно не больше 999999999999999"},
		{"1e-9", "1", "lines.0.units", "must be at least 0.00005", "нужно не меньше 0,00005"},
		{"1.000000000000001", "1", "lines.0.units", "must have at most 15 digits", "цифр допустимо не больше 15"},
		{"1234567890123456.7", "1", "lines.0.units", "must be at most 999999999999999", "нужно не больше 999999999999999"},
		{"1", "1e30", "lines.0.price", "must be at most 9999999999999.99", "нужно не больше 9999999999999,99"},
		{"1000000", "5000000", "lines", "must not add up to more than 9999999999999.99 RUB", "в сумме нужно не больше 9999999999999,99 RUB"},
	} {
		_, err := order(c.units, c.price)
		var wrong *tools.ArgumentError
		if !errors.As(err, &wrong) || wrong.Problems[0].Field != c.field || wrong.Problems[0].Wrong.In("en") != c.problem ||
			wrong.Problems[0].Wrong.In("ru") != c.russian {
			t.Errorf("%s for %s: %v, want %s %s", c.units, c.price, err, c.field, c.problem)
			continue
		}
		if same := slices.DeleteFunc(wrong.Problems, func(p *check.Problem) bool { return p.Field != c.field }); len(same) > 1 {
			t.Errorf("%s for %s is reported more than once: %v", c.units, c.price, err)
		}
	}
	for units, price := range map[string]string{"0.00005": "9999999999999.99", "0.5": "9999999999999.99", "49999999999.9999": "1"} {
		d, err := order(units, price)
		if err != nil || d.Lines[0].Units.String() != units || !strings.Contains(string(d.Writes[0].Body), `"quantity":`+units+`}`) {
			t.Errorf("%s for %s: %v", units, price, err)
		}
	}
}

func TestRenamedOrArchivedObjectMakesDraftStale(t *testing.T) {
	for name, change := range map[string]func(*sandbox.Item){
		"product renamed":   func(i *sandbox.Item) { i.Name += " (new)" },
		"product archived":  func(i *sandbox.Item) { i.Archived = true },
		"supplier renamed":  func(i *sandbox.Item) { i.Supplier.Name += " (new)" },
		"supplier archived": func(i *sandbox.Item) { i.Supplier.Archived = true },
	} {
		s := open(t, databasetest.SQLite(t), time.Now)
		d := s.purchaseOrder()
		change(s.priced())
		if _, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest); !errors.As(err, new(*drafts.StaleError)) {
			t.Errorf("%s: %v", name, err)
		}
		if n := s.writes(); n != 0 {
			t.Errorf("%s: %d writes", name, n)
		}
		if _, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest); !errors.As(err, new(*drafts.NotConfirmableError)) {
			t.Errorf("%s, confirmed again: %v", name, err)
		}
	}
}

// Confirmed and cancelled drafts and those of other connections stay as they are.
func TestDeletingAConnectionFailsItsOpenDrafts(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		s := open(t, db, time.Now)
		add := func(connection string) drafts.Draft {
			d, err := s.add(connection)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		waiting, cancelled, another, created := add(s.connection), add(s.connection), add(s.connect()), s.purchaseOrder()
		if _, err := s.store.Cancel(t.Context(), s.who, cancelled.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.creator.Confirm(t.Context(), s.who, created.ID, created.Digest); err != nil {
			t.Fatal(err)
		}
		s.disconnect()
		for id, want := range map[string]drafts.State{
			waiting.ID: drafts.Failed, cancelled.ID: drafts.Cancelled, another.ID: drafts.Drafted, created.ID: drafts.Created,
		} {
			d, err := s.store.Get(t.Context(), s.who.OrganizationID, id)
			if err != nil || d.State != want || (d.Failure != nil) != (want == drafts.Failed) {
				t.Errorf("%s, %+v, %v: want %s", d.State, d.Failure, err, want)
			}
		}
	})
}

// disconnect deletes the connection as its endpoint does.
func (s *shop) disconnect() {
	s.Helper()
	if err := s.keys.DeleteConnection(s.Context(), s.who, s.who.OrganizationID, s.connection); err != nil {
		s.Error(err)
	}
	if err := s.store.Abandon(s.Context(), s.who, s.connection); err != nil {
		s.Error(err)
	}
}

// A tool takes seconds to prepare a draft. Its connection may be deleted in the meantime.
func TestNoDraftIsAddedForADeletedConnection(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		s := open(t, db, time.Now)
		const makers, before = 4, 20
		var group sync.WaitGroup
		made, gone := make(chan struct{}, before), make(chan struct{})
		for range makers {
			group.Go(func() {
				for {
					if _, err := s.add(s.connection); err != nil {
						if !errors.Is(err, keys.ErrNotFound) {
							t.Error(err)
						}
						return
					}
					select {
					case made <- struct{}{}:
					case <-gone:
						return
					}
				}
			})
		}
		for range before {
			<-made
		}
		s.disconnect()
		close(gone)
		group.Wait()
		var waiting, failed int
		row := db.QueryRowContext(t.Context(),
			`SELECT count(*) FILTER (WHERE state = 'draft'), count(*) FILTER (WHERE state = 'failed') FROM drafts`)
		if err := row.Scan(&waiting, &failed); err != nil || waiting != 0 || failed < before {
			t.Errorf("%d drafts wait, %d have failed (%v)", waiting, failed, err)
		}
	})
}

func TestNothingIsConfirmedWithoutAWorkingConnection(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	d := s.purchaseOrder()
	s.deleted = true
	gone, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest)
	if !errors.As(err, new(*drafts.NotConfirmableError)) {
		t.Errorf("deleted: %v", err)
	}
	// Otherwise the conversation would keep asking for a confirmation.
	if gone.State != drafts.Failed || gone.Failure == nil || gone.Failure.Code != "CONNECTION_DELETED" {
		t.Errorf("deleted: %s, %+v", gone.State, gone.Failure)
	}
	s.deleted, s.writerErr = false, errFailing
	if _, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest); !errors.Is(err, errFailing) {
		t.Errorf("failing: %v", err)
	}
	s.writerErr = nil
	if created, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest); err != nil || created.State != drafts.Created {
		t.Errorf("healed: %v, %s", err, created.State)
	}
}

// A draft that could not be carried out within its own lifetime is not carried out weeks later.
func TestConfirmedDraftFailsAfterItsLifetime(t *testing.T) {
	now := time.Now()
	s := open(t, databasetest.SQLite(t), func() time.Time { return now })
	d := s.purchaseOrder()
	s.upstream.Fault(sandbox.Fault{Method: "POST", Status: 401, Times: 1, Body: `{"errors":[{"error":"x","code":1056}]}`})
	if waiting, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest); err != nil || waiting.State != drafts.Confirmed {
		t.Fatalf("%v, %s", err, waiting.State)
	}
	now, s.writerErr = now.Add(2*time.Hour), nil
	late, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest)
	if !errors.As(err, new(*drafts.NotConfirmableError)) || late.State != drafts.Failed || late.Failure.Code != "DRAFT_EXPIRED" ||
		late.Failure.Written {
		t.Errorf("%v, %s", err, late.State)
	}
	if n := len(s.upstream.CreatedDocuments()); n != 0 {
		t.Errorf("%d documents", n)
	}
}

// The digest does not cover what somebody else wrote into the database.
func TestAlteredDraftIsNotCreated(t *testing.T) {
	db := databasetest.SQLite(t)
	s := open(t, db, time.Now)
	d := s.purchaseOrder()
	if _, err := db.ExecContext(t.Context(), `UPDATE drafts SET payload = replace(payload, '"quantity":3', '"quantity":300')`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.creator.Confirm(t.Context(), s.who, d.ID, d.Digest); !errors.As(err, new(*drafts.NotConfirmableError)) {
		t.Errorf("got %v", err)
	}
	if n := s.writes(); n != 0 {
		t.Errorf("%d writes", n)
	}
}

func TestPriceChangesByAmountOrPercentage(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	item.SalePrices[0].Value = sandbox.Kop(99990)
	for _, c := range []struct {
		field string
		value float64
		want  string
	}{
		{"change_percent", 10, "1099.89"},
		{"change_percent", -7.5, "924.91"},
		{"change", 100, "1099.90"},
		{"change", -50.5, "949.40"},
	} {
		d, err := s.draft("draft_price_change", object{"lines": []object{{"product": item.Code, c.field: c.value}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Lines[0].Price.String(); got != c.want {
			t.Errorf("%s %v gives %s, want %s", c.field, c.value, got, c.want)
		}
	}
	line := func(more object) object {
		more["product"] = item.Code
		return object{"lines": []object{more}}
	}
	s.refuses("draft_price_change", line(object{"price": 5, "change": 1}),
		"lines.0.price must be given, or else change or change_percent, and only one of them",
		"lines.0.price: назовите новую цену или на сколько её изменить, что-то одно")
	s.refuses("draft_price_change", line(object{"change": -2000}),
		"lines.0.price must be above zero, got -1000.1", "lines.0.price: нужно число больше нуля, указано -1000,1")
}

// If both were confirmed, the goods would be ordered twice.
func TestACorrectedDraftReplacesTheEarlierOne(t *testing.T) {
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
		if err != nil {
			t.Fatal(err)
		}
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
	if _, err := s.creator.Confirm(t.Context(), s.who, first.ID, first.Digest); !errors.As(err, new(*drafts.NotConfirmableError)) {
		t.Errorf("the earlier one is confirmed: %v", err)
	}
}
