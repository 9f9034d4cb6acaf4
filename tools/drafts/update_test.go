package drafts_test

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// repricing is a confirmed draft of new prices, whose attempts a test makes one by one, and a clock that it sets.
type repricing struct {
	*shop
	drafts.Draft
	items []*sandbox.Item
	at    time.Time
}

const newPrice = 1234

// reprice drafts a new price of each of some products.
func reprice(t *testing.T, products int) *repricing {
	t.Helper()
	r := &repricing{at: time.Now()}
	r.shop = open(t, databasetest.SQLite(t), func() time.Time { return r.at })
	var lines []object
	for _, item := range r.upstream.Books().Assortment {
		if len(r.items) < products && item.Parent == nil && len(item.Variants) == 0 && item.Stocked() && !item.Archived && item.SalePrices[0].Value > 0 {
			r.items = append(r.items, item)
			lines = append(lines, object{"product": item.ID, "price": newPrice})
		}
	}
	var err error
	if r.Draft, err = r.draft("draft_price_change", object{"lines": lines}); err != nil {
		t.Fatal(err)
	}
	r.creator.Patience = 1 // nobody waits for an attempt but the test
	return r
}

// attempt confirms the draft, once for all, and ends with the attempt that is made then.
func (r *repricing) attempt() {
	r.Helper()
	if _, err := r.creator.Confirm(r.Context(), r.who, r.ID, r.Digest); err != nil && !errors.As(err, new(*drafts.NotConfirmableError)) {
		r.Fatal(err)
	}
	_ = r.creator.Attempt(r.Context(), r.ID) // what came of it is in the draft
	var err error
	if r.Draft, err = r.store.Get(r.Context(), r.who.OrganizationID, r.ID); err != nil {
		r.Fatal(err)
	}
}

// later attempts it again when the next attempt is due, and a write that nobody answered may still take effect.
func (r *repricing) later() { r.at = r.at.Add(time.Minute); r.attempt() }

// is fails the test unless the draft is in a state, the products have certain prices and so many were sent.
func (r *repricing) is(state drafts.State, sent int, rubles ...int64) {
	r.Helper()
	if r.State != state {
		r.Errorf("the draft is %s (%+v), want %s", r.State, r.Failure, state)
	}
	for i, want := range rubles {
		if is := r.items[i].SalePrices[0].Value; is != sandbox.Rub(want) {
			r.Errorf("price %d is %d, want %d rubles", i, is, want)
		}
	}
	if n := len(r.upstream.Log().To("PUT", "/entity/")); n != sent {
		r.Errorf("%d prices were sent, want %d", n, sent)
	}
	if state == drafts.Created && (r.Document == nil || r.Document.ID != r.items[0].ID || r.Document.Name != r.items[0].Name) {
		r.Errorf("the document is %+v, want the first product", r.Document)
	}
}

// failed fails the test unless the draft has failed in a certain way, with what became of each change.
func (r *repricing) failed(code string, written bool, changes ...drafts.ChangeState) {
	r.Helper()
	if r.Failure == nil || r.Failure.Code != code || r.Failure.Written != written {
		r.Fatalf("failed as %+v, want %s, written: %t", r.Failure, code, written)
	}
	var became []drafts.ChangeState
	for i, c := range r.Failure.Changes {
		became = append(became, c.State)
		if c.ID != r.items[i].ID || c.Name != r.items[i].Name {
			r.Errorf("change %d is of %s %q, want %s %q", i, c.ID, c.Name, r.items[i].ID, r.items[i].Name)
		}
	}
	if !reflect.DeepEqual(became, changes) {
		r.Errorf("what became of the changes: %v, want %v", became, changes)
	}
}

// onPut does something when a price of a product is being sent for the first time.
func (r *repricing) onPut(item *sandbox.Item, do func()) {
	told := func(req *http.Request) {
		if req.Method == http.MethodPut && strings.HasSuffix(req.URL.Path, item.ID) {
			r.calling.Store(nil)
			do()
		}
	}
	r.calling.Store(&told)
}

// A price whose answer was lost may still be set: it is looked for, and not sent again, lest it come over what somebody else
// sets in between.
func TestAPriceThatMayStillBeSetIsNotSentAgain(t *testing.T) {
	r := reprice(t, 1)
	old := int64(r.items[0].SalePrices[0].Value / sandbox.Rub(1))
	r.upstream.Fault(sandbox.Fault{Method: "PUT", Reset: true, Times: 1})
	r.attempt()
	r.later()
	r.is(drafts.Confirmed, 1, old)
	r.items[0].SalePrices[0].Value = sandbox.Rub(newPrice) // it arrives
	r.later()
	r.is(drafts.Created, 1, newPrice)
}

func TestAPriceThatCannotBeSetAnyMoreIsSentAgain(t *testing.T) {
	r := reprice(t, 1)
	r.upstream.Fault(sandbox.Fault{Method: "PUT", Reset: true, Times: 1})
	r.attempt()
	r.at = r.at.Add(7 * time.Minute)
	r.attempt()
	r.is(drafts.Created, 2, newPrice)
}

func TestAPriceThatSomebodyElseHasSetIsNotOverwritten(t *testing.T) {
	r := reprice(t, 1)
	r.upstream.Fault(sandbox.Fault{Method: "PUT", Reset: true, Times: 1})
	r.attempt()
	r.items[0].SalePrices[0].Value = sandbox.Rub(77)
	r.later()
	r.is(drafts.Failed, 1, 77)
	r.failed("OUTCOME_UNKNOWN", true)
}

// An upstream that ended a change with an error has made it or not: that can be seen at once.
func TestAPriceThatWasAnsweredWithAnErrorIsLookedAtAtOnce(t *testing.T) {
	for _, applied := range []bool{false, true} {
		r := reprice(t, 1)
		r.upstream.Fault(sandbox.Fault{Method: "PUT", Status: http.StatusInternalServerError, Times: 1, AfterApply: applied})
		r.attempt()
		r.later()
		r.is(drafts.Created, map[bool]int{false: 2, true: 1}[applied], newPrice)
	}
}

func TestWhatTheUpstreamRefusesKeepsNoOtherPriceFromBeingSet(t *testing.T) {
	r := reprice(t, 3)
	r.upstream.Fault(sandbox.Fault{Method: "PUT", Path: "/entity/product/" + r.items[1].ID, Status: http.StatusPreconditionFailed,
		Body: `{"errors":[{"error":"Цена закрыта","code":3001}]}`})
	second := int64(r.items[1].SalePrices[0].Value / sandbox.Rub(1))
	r.attempt()
	r.is(drafts.Failed, 3, newPrice, second, newPrice)
	r.failed("PARTLY_WRITTEN", true, drafts.Made, drafts.Refused, drafts.Made)
	if !strings.HasSuffix(r.Failure.Message, "Цена закрыта; of 3 changes 2 were made") || r.Failure.Upstream == nil || r.Failure.Upstream.Code != 3001 {
		t.Errorf("%q, upstream %+v", r.Failure.Message, r.Failure.Upstream)
	}
}

// Who may not change one product may change none: the upstream is not asked a hundred times more.
func TestAMissingRightEndsAPriceChange(t *testing.T) {
	r := reprice(t, 3)
	r.upstream.Fault(sandbox.Fault{Method: "PUT", Path: "/entity/product/" + r.items[1].ID, Status: http.StatusForbidden,
		Body: `{"errors":[{"error":"Нет прав","code":1017}]}`})
	r.attempt()
	r.is(drafts.Failed, 2, newPrice)
	r.failed("PARTLY_WRITTEN", true, drafts.Made, drafts.Refused, drafts.NotMade)
}

func TestNothingIsWrittenOfPricesThatAreAllRefused(t *testing.T) {
	r := reprice(t, 2)
	r.upstream.Fault(sandbox.Fault{Method: "PUT", Status: http.StatusPreconditionFailed, Body: `{"errors":[{"error":"Цена закрыта","code":3001}]}`})
	r.attempt()
	r.is(drafts.Failed, 2)
	r.failed("UPSTREAM_REJECTED", false, drafts.Refused, drafts.Refused)
}

// A price that changes while the ones before it are being set is left alone, and named; those behind it are set.
func TestAPriceThatChangesWhileOthersAreSetIsLeftAlone(t *testing.T) {
	r := reprice(t, 3)
	r.onPut(r.items[0], func() { r.items[1].SalePrices[0].Value = sandbox.Rub(77) })
	r.attempt()
	r.is(drafts.Failed, 2, newPrice, 77, newPrice)
	r.failed("PARTLY_WRITTEN", true, drafts.Made, drafts.ChangedMeanwhile, drafts.Made)
}

// Of two prices one was set, and then changed by somebody: that nothing was written would not be true.
func TestAPriceThatWasSetAndChangedAgainIsNotForgotten(t *testing.T) {
	r := reprice(t, 2)
	r.upstream.Fault(sandbox.Fault{Method: "PUT", Path: "/entity/product/" + r.items[1].ID, Status: http.StatusTooManyRequests, Times: 1,
		Header: http.Header{"X-Lognex-Retry-After": {"1"}}, Body: `{"errors":[{"error":"Превышено ограничение","code":1049}]}`})
	r.attempt()
	r.is(drafts.Confirmed, 2, newPrice)
	r.items[0].SalePrices[0].Value = sandbox.Rub(77)
	r.later()
	r.is(drafts.Failed, 2, 77)
	r.failed("OUTCOME_UNKNOWN", true)
}

// Of two prices one was set, and the other, whose answer was lost, was set by somebody else: what was made is told with what
// was not, once the lost one cannot come over it any more.
func TestAPriceThatIsStaleByALaterAttemptIsNamedBesideTheOneThatWasSet(t *testing.T) {
	r := reprice(t, 2)
	r.upstream.Fault(sandbox.Fault{Method: "PUT", Path: "/entity/product/" + r.items[1].ID, Reset: true, Times: 1})
	r.attempt()
	r.items[1].SalePrices[0].Value = sandbox.Rub(77)
	r.later()
	r.is(drafts.Confirmed, 2, newPrice, 77)
	r.at = r.at.Add(7 * time.Minute)
	r.attempt()
	r.is(drafts.Failed, 2, newPrice, 77)
	r.failed("PARTLY_WRITTEN", true, drafts.Made, drafts.ChangedMeanwhile)
}

// What was answered is known: the next attempt does not wait for it as for one whose answer was lost.
func TestAPriceThatWasHeldBackIsSetByTheNextAttempt(t *testing.T) {
	r := reprice(t, 2)
	r.upstream.Fault(sandbox.Fault{Method: "PUT", Path: "/entity/product/" + r.items[1].ID, Status: http.StatusTooManyRequests, Times: 1,
		Header: http.Header{"X-Lognex-Retry-After": {"1"}}, Body: `{"errors":[{"error":"Превышено ограничение","code":1049}]}`})
	r.attempt()
	r.is(drafts.Confirmed, 2, newPrice)
	r.later()
	r.is(drafts.Created, 3, newPrice, newPrice)
}

// A price that changes between the two times that it is looked at is not sent, and that nothing was written is known.
func TestAPriceThatChangesRightBeforeItIsSetIsLeftAlone(t *testing.T) {
	r := reprice(t, 1)
	looks := 0
	look := func(req *http.Request) {
		if strings.HasSuffix(req.URL.Path, r.items[0].ID) {
			if looks++; looks == 2 {
				r.items[0].SalePrices[0].Value = sandbox.Rub(77)
			}
		}
	}
	r.calling.Store(&look)
	r.attempt()
	r.is(drafts.Failed, 0, 77)
	r.failed("DRAFT_STALE", false)
}

func TestTheLastPriceIsSetByALaterAttempt(t *testing.T) {
	r := reprice(t, 2)
	r.upstream.Fault(sandbox.Fault{Method: "PUT", Path: "/entity/product/" + r.items[1].ID, Reset: true, Times: 1})
	r.attempt()
	r.is(drafts.Confirmed, 2, newPrice)
	r.at = r.at.Add(7 * time.Minute)
	r.attempt()
	r.is(drafts.Created, 3, newPrice, newPrice)
}

// Somebody else writes at the same moment: the upstream refuses the later one, which is looked at and sent again.
func TestAPriceRefusedForASimultaneousChangeIsSentAgain(t *testing.T) {
	r := reprice(t, 1)
	r.upstream.Fault(sandbox.Fault{Method: "PUT", Status: http.StatusConflict, Times: 1, Body: `{"errors":[{"error":"Одновременное изменение","code":1065}]}`})
	r.attempt()
	r.later()
	r.is(drafts.Created, 2, newPrice)
}

// A process that dies while it writes leaves the note that a write has left.
func TestAWriteIsNotedBeforeItLeaves(t *testing.T) {
	for _, kind := range []string{http.MethodPut, http.MethodPost} {
		r := reprice(t, 1)
		if kind == http.MethodPost {
			r.Draft = r.purchaseOrder()
		}
		noted := false
		write := func(req *http.Request) {
			var sent int64
			if req.Method != kind {
				return
			}
			if err := r.db.QueryRowContext(t.Context(), `SELECT sent_at FROM drafts WHERE id = $1`, r.ID).Scan(&sent); err != nil {
				t.Error(err)
			}
			noted = sent > 0
		}
		r.calling.Store(&write)
		if r.attempt(); r.State != drafts.Created || !noted {
			t.Errorf("%s: the draft is %s (%+v), noted: %t", kind, r.State, r.Failure, noted)
		}
	}
}

// A lost price that was not set, and is refused when it is sent again, has changed nothing, and that is known.
func TestAPriceThatWasLostAndThenRefusedHasChangedNothing(t *testing.T) {
	r := reprice(t, 1)
	r.upstream.Fault(sandbox.Fault{Method: "PUT", Reset: true, Times: 1})
	r.upstream.Fault(sandbox.Fault{Method: "PUT", Status: http.StatusPreconditionFailed, Body: `{"errors":[{"error":"Цена закрыта","code":3001}]}`})
	r.attempt()
	r.at = r.at.Add(7 * time.Minute)
	r.attempt()
	r.is(drafts.Failed, 2)
	r.failed("UPSTREAM_REJECTED", false)
}
