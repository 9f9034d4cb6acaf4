package drafts_test

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// repricing is a confirmed draft of new prices. It has its own clock, and the test makes the attempts one by one.
type repricing struct {
	*shop
	drafts.Draft
	items []*sandbox.Item
	clock time.Time
}

const newPrice = 1234

// reprice makes a draft with a new price for each of the given number of products.
func reprice(t *testing.T, products int) *repricing {
	t.Helper()
	r := &repricing{clock: time.Now()}
	r.shop = open(t, databasetest.SQLite(t), func() time.Time { return r.clock })
	var lines []object
	for _, item := range r.upstream.Books().Assortment {
		if len(r.items) < products && item.Parent == nil && len(item.Variants) == 0 && item.Stocked() && !item.Archived &&
			item.SalePrices[0].Value > 0 {
			r.items = append(r.items, item)
			lines = append(lines, object{"product": item.ID, "price": newPrice})
		}
	}
	r.Draft = r.mustDraft("draft_price_change", object{"lines": lines})
	r.creator.Patience = 1 // Confirm does not wait for the document
	return r
}

// attempt confirms the draft if it is not confirmed yet, waits for one attempt, and reads the draft again.
func (r *repricing) attempt() {
	r.Helper()
	if _, err := r.confirm(r.Draft); err != nil && !errors.As(err, new(*drafts.NotConfirmableError)) {
		r.Fatal(err)
	}
	_ = r.creator.Attempt(r.Context(), r.Draft) // the draft shows the outcome
	var err error
	if r.Draft, err = r.store.Get(r.Context(), r.who.OrganizationID, r.ID); err != nil {
		r.Fatal(err)
	}
}

// attemptAfter makes another attempt after the given time.
func (r *repricing) attemptAfter(d time.Duration) {
	r.Helper()
	r.clock = r.clock.Add(d)
	r.attempt()
}

// Times until the next attempt. Both are long enough for the attempt to be due.
const (
	soon  = time.Minute     // a write without an answer may still take effect
	later = 7 * time.Minute // it can no longer take effect
)

// checkState fails the test unless the draft is in the given state, sent prices have been sent, and the products have
// the given prices.
func (r *repricing) checkState(state drafts.State, sent int, rubles ...int64) {
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

// checkFailure fails the test unless the draft has failed with the given code and outcomes.
func (r *repricing) checkFailure(code string, written bool, changes ...drafts.ChangeState) {
	r.Helper()
	if r.Failure == nil || r.Failure.Code != code || r.Failure.Written != written {
		r.Fatalf("failed as %+v, want %s, written: %t", r.Failure, code, written)
	}
	var states []drafts.ChangeState
	for i, c := range r.Failure.Changes {
		states = append(states, c.State)
		if c.ID != r.items[i].ID || c.Name != r.items[i].Name {
			r.Errorf("change %d is of %s %q, want %s %q", i, c.ID, c.Name, r.items[i].ID, r.items[i].Name)
		}
	}
	if !reflect.DeepEqual(states, changes) {
		r.Errorf("the outcomes are %v, want %v", states, changes)
	}
}

// failPut makes the requests fail that change the given product.
func (r *repricing) failPut(item int, f sandbox.Fault) {
	f.Method, f.Path = http.MethodPut, "/entity/product/"+r.items[item].ID
	r.upstream.Fault(f)
}

// Faults of one request.
var (
	unanswered = sandbox.Fault{Reset: true, Times: 1}
	tooMany    = sandbox.Fault{
		Status: http.StatusTooManyRequests, Times: 1,
		Header: http.Header{"X-Lognex-Retry-After": {"1"}}, Body: `{"errors":[{"error":"Превышено ограничение","code":1049}]}`,
	}
)

// refusal makes the upstream refuse every request with this answer.
func refusal(status int, text string, code int) sandbox.Fault {
	return sandbox.Fault{Status: status, Body: fmt.Sprintf(`{"errors":[{"error":%q,"code":%d}]}`, text, code)}
}

// onPut calls do before the upstream handles the first PUT to a product.
func (r *repricing) onPut(item *sandbox.Item, do func()) {
	call := func(req *http.Request) {
		if req.Method == http.MethodPut && strings.HasSuffix(req.URL.Path, item.ID) {
			r.onCall.Store(nil)
			do()
		}
	}
	r.onCall.Store(&call)
}

// However many attempts have waited because a write without an answer may still take effect, the draft goes on as soon as
// that is over.
func TestDraftGoesOnAsSoonAsAWriteCannotTakeEffect(t *testing.T) {
	for range 4 { // the times between attempts are random
		r := reprice(t, 2)
		r.failPut(1, sandbox.Fault{Reset: true, Times: 1})
		r.attempt()
		for range 71 {
			r.attemptAfter(5 * time.Second)
		}
		r.checkState(drafts.Confirmed, 2)
		r.attemptAfter(6 * time.Second)
		r.checkState(drafts.Created, 3, newPrice, newPrice)
	}
}

// A second request could overwrite a price that somebody else sets in between.
func TestUnansweredPriceIsNotSentAgainWhileItMayTakeEffect(t *testing.T) {
	r := reprice(t, 1)
	old := int64(r.items[0].SalePrices[0].Value / sandbox.Rub(1))
	r.failPut(0, unanswered)
	r.attempt()
	r.attemptAfter(soon)
	r.checkState(drafts.Confirmed, 1, old)
	r.items[0].SalePrices[0].Value = sandbox.Rub(newPrice) // the first request takes effect
	r.attemptAfter(soon)
	r.checkState(drafts.Created, 1, newPrice)
}

func TestUnansweredPriceIsSentAgainOnceItCannotTakeEffect(t *testing.T) {
	r := reprice(t, 1)
	r.failPut(0, unanswered)
	r.attempt()
	r.attemptAfter(later)
	r.checkState(drafts.Created, 2, newPrice)
}

func TestPriceSetBySomebodyElseIsNotOverwritten(t *testing.T) {
	r := reprice(t, 1)
	r.failPut(0, unanswered)
	r.attempt()
	r.items[0].SalePrices[0].Value = sandbox.Rub(77)
	r.attemptAfter(soon)
	r.checkState(drafts.Confirmed, 1, 77)
	r.attemptAfter(later)
	r.checkState(drafts.Failed, 1, 77)
	r.checkFailure("OUTCOME_UNKNOWN", true)
}

// The write to the first product got no answer, and somebody else changes the last one. As long as the write may take effect,
// its outcome is unknown. After that, the failure must not mention any other write.
func TestUnansweredPriceIsNotConfusedWithOneSetBySomebodyElse(t *testing.T) {
	for applied, want := range map[bool][]drafts.ChangeState{
		false: {drafts.NotMade, drafts.NotMade, drafts.Unknown}, true: {drafts.Made, drafts.Made, drafts.Unknown},
	} {
		r := reprice(t, 3)
		r.failPut(0, sandbox.Fault{Reset: true, Times: 1, AfterApply: applied})
		r.attempt()
		r.items[2].SalePrices[0].Value = sandbox.Rub(77)
		r.attemptAfter(soon)
		r.checkState(drafts.Confirmed, 1)
		r.attemptAfter(later)
		r.checkState(drafts.Failed, map[bool]int{false: 1, true: 2}[applied])
		r.checkFailure(map[bool]string{false: "OUTCOME_UNKNOWN", true: "PARTLY_WRITTEN"}[applied], true, want...)
	}
}

// After an error answer or a redirect, reading the price shows whether it was changed.
func TestPriceIsReadRightAfterAnErrorAnswer(t *testing.T) {
	for _, status := range []int{http.StatusInternalServerError, http.StatusFound} {
		for applied, writes := range map[bool]int{false: 2, true: 1} {
			r := reprice(t, 1)
			r.failPut(0, sandbox.Fault{Status: status, Times: 1, AfterApply: applied})
			r.attempt()
			r.attemptAfter(soon)
			r.checkState(drafts.Created, writes, newPrice)
		}
	}
}

func TestRefusedPriceDoesNotStopTheOthers(t *testing.T) {
	r := reprice(t, 3)
	r.failPut(1, refusal(http.StatusPreconditionFailed, "Цена закрыта", 3001))
	second := int64(r.items[1].SalePrices[0].Value / sandbox.Rub(1))
	r.attempt()
	r.checkState(drafts.Failed, 3, newPrice, second, newPrice)
	r.checkFailure("PARTLY_WRITTEN", true, drafts.Made, drafts.Refused, drafts.Made)
	if !strings.HasSuffix(r.Failure.Message, "Цена закрыта; of 3 changes 2 were made") ||
		r.Failure.MessageRU != "отказ МойСклада: Цена закрыта; изменений: 3, записано: 2" ||
		r.Failure.Upstream == nil || r.Failure.Upstream.Code != 3001 {
		t.Errorf("%q, upstream %+v", r.Failure.Message, r.Failure.Upstream)
	}
}

// An employee who may not change one product may not change any, so no more requests are sent.
func TestMissingRightStopsThePriceChange(t *testing.T) {
	r := reprice(t, 3)
	r.failPut(1, refusal(http.StatusForbidden, "Нет прав", 1017))
	r.attempt()
	r.checkState(drafts.Failed, 2, newPrice)
	r.checkFailure("PARTLY_WRITTEN", true, drafts.Made, drafts.Refused, drafts.NotMade)
}

func TestNothingIsWrittenIfAllPricesAreRefused(t *testing.T) {
	r := reprice(t, 2)
	r.failPut(0, refusal(http.StatusPreconditionFailed, "Цена закрыта", 3001))
	r.failPut(1, refusal(http.StatusPreconditionFailed, "Цена закрыта", 3001))
	r.attempt()
	r.checkState(drafts.Failed, 2)
	r.checkFailure("UPSTREAM_REJECTED", false, drafts.Refused, drafts.Refused)
}

// The prices after it in the draft are still set.
func TestPriceThatChangesWhileOthersAreSetIsLeftAlone(t *testing.T) {
	r := reprice(t, 3)
	r.onPut(r.items[0], func() { r.items[1].SalePrices[0].Value = sandbox.Rub(77) })
	r.attempt()
	r.checkState(drafts.Failed, 2, newPrice, 77, newPrice)
	r.checkFailure("PARTLY_WRITTEN", true, drafts.Made, drafts.ChangedMeanwhile, drafts.Made)
}

// The failure must not say that nothing was written.
func TestPriceSetAndChangedAgainIsReportedAsWritten(t *testing.T) {
	r := reprice(t, 2)
	r.failPut(1, tooMany)
	r.attempt()
	r.checkState(drafts.Confirmed, 2, newPrice)
	r.items[0].SalePrices[0].Value = sandbox.Rub(77)
	r.attemptAfter(soon)
	r.checkState(drafts.Failed, 2, 77)
	r.checkFailure("OUTCOME_UNKNOWN", true, drafts.Unknown, drafts.NotMade)
}

// The first of two prices was set. The request for the second got no answer, and somebody else set that price. Once the lost
// request can no longer take effect, the failure must list both outcomes.
func TestPriceChangedBetweenAttemptsIsReportedTogetherWithTheOneSet(t *testing.T) {
	r := reprice(t, 2)
	r.failPut(1, unanswered)
	r.attempt()
	r.items[1].SalePrices[0].Value = sandbox.Rub(77)
	r.attemptAfter(soon)
	r.checkState(drafts.Confirmed, 2, newPrice, 77)
	r.attemptAfter(later)
	r.checkState(drafts.Failed, 2, newPrice, 77)
	r.checkFailure("PARTLY_WRITTEN", true, drafts.Made, drafts.Unknown)
}

// Before the first attempt, somebody else sets one price to exactly the new value, and another price to a different value.
// The equal price does not mean that the draft has written something.
func TestStaleDraftWritesNothingIfSomebodyElseSetAWantedPrice(t *testing.T) {
	r := reprice(t, 3)
	third := int64(r.items[2].SalePrices[0].Value / sandbox.Rub(1))
	r.items[0].SalePrices[0].Value, r.items[1].SalePrices[0].Value = sandbox.Rub(newPrice), sandbox.Rub(77)
	r.attempt()
	r.checkState(drafts.Failed, 0, newPrice, 77, third)
	r.checkFailure("DRAFT_STALE", false)
}

// The failure must not count a price as written that somebody else set.
func TestPriceSetBySomebodyElseIsNotReportedAsMade(t *testing.T) {
	r := reprice(t, 2)
	r.failPut(1, refusal(http.StatusPreconditionFailed, "Цена закрыта", 3001))
	r.items[0].SalePrices[0].Value = sandbox.Rub(newPrice)
	r.attempt()
	r.checkState(drafts.Failed, 1, newPrice)
	r.checkFailure("UPSTREAM_REJECTED", false, drafts.NotMade, drafts.Refused)
}

// However many attempts follow without a write, the failure must list what the first attempt has written.
func TestPriceSetByAnEarlierAttemptIsReportedAsMade(t *testing.T) {
	r := reprice(t, 2)
	for range 2 {
		r.failPut(1, tooMany)
		r.attemptAfter(soon)
	}
	r.items[1].SalePrices[0].Value = sandbox.Rub(77)
	r.attemptAfter(soon)
	r.checkState(drafts.Failed, 3, newPrice, 77)
	r.checkFailure("PARTLY_WRITTEN", true, drafts.Made, drafts.Unknown)
}

// An answer with status 429 means that the price was not set, so the next attempt does not have to wait.
func TestRateLimitedPriceIsSetByTheNextAttempt(t *testing.T) {
	r := reprice(t, 2)
	r.failPut(1, tooMany)
	r.attempt()
	r.checkState(drafts.Confirmed, 2, newPrice)
	r.attemptAfter(soon)
	r.checkState(drafts.Created, 3, newPrice, newPrice)
}

// The price is read twice before it is sent. It changes between the two reads. The failure must say that nothing was
// written.
func TestPriceThatChangesRightBeforeItIsSetIsLeftAlone(t *testing.T) {
	r := reprice(t, 1)
	reads := 0
	count := func(req *http.Request) {
		if strings.HasSuffix(req.URL.Path, r.items[0].ID) {
			if reads++; reads == 2 {
				r.items[0].SalePrices[0].Value = sandbox.Rub(77)
			}
		}
	}
	r.onCall.Store(&count)
	r.attempt()
	r.checkState(drafts.Failed, 0, 77)
	r.checkFailure("DRAFT_STALE", false)
}

func TestUnansweredLastPriceIsSetByALaterAttempt(t *testing.T) {
	r := reprice(t, 2)
	r.failPut(1, unanswered)
	r.attempt()
	r.checkState(drafts.Confirmed, 2, newPrice)
	r.attemptAfter(later)
	r.checkState(drafts.Created, 3, newPrice, newPrice)
}

// The upstream refuses one of two simultaneous writes. The next attempt must read the price and send it again.
func TestPriceRefusedForASimultaneousChangeIsSentAgain(t *testing.T) {
	r := reprice(t, 1)
	conflict := refusal(http.StatusConflict, "Одновременное изменение", 1065)
	conflict.Times = 1
	r.failPut(0, conflict)
	r.attempt()
	r.attemptAfter(soon)
	r.checkState(drafts.Created, 2, newPrice)
}

// If the process dies during the write, the database must already show that a write was sent.
func TestWriteIsRecordedBeforeItIsSent(t *testing.T) {
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
		r.onCall.Store(&write)
		if r.attempt(); r.State != drafts.Created || !noted {
			t.Errorf("%s: the draft is %s (%+v), noted: %t", kind, r.State, r.Failure, noted)
		}
	}
}

// The first request got no answer and set nothing. The second was refused. The failure must say that nothing was
// written.
func TestUnansweredThenRefusedPriceCountsAsNotWritten(t *testing.T) {
	r := reprice(t, 1)
	r.failPut(0, unanswered)
	r.failPut(0, refusal(http.StatusPreconditionFailed, "Цена закрыта", 3001))
	r.attempt()
	r.attemptAfter(later)
	r.checkState(drafts.Failed, 2)
	r.checkFailure("UPSTREAM_REJECTED", false)
}
