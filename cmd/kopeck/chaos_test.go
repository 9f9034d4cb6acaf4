package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/drafts"
)

func sortByPosition(audit []keys.AuditRecord) {
	slices.SortFunc(audit, func(a, b keys.AuditRecord) int {
		x, _ := strconv.Atoi(a.ID)
		y, _ := strconv.Atoi(b.ID)
		return cmp.Compare(x, y)
	})
}

// testSetting returns the number in a test's environment variable, or standard if it is not set.
func testSetting(t *testing.T, setting string, standard int) int {
	t.Helper()
	text := os.Getenv(setting)
	if text == "" {
		return standard
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s is %q, want a number", setting, text)
	}
	return n
}

// lanes is how many accounts are used in parallel to create drafts. Several are needed because each account has its own
// rate limit.
const lanes = 8

// Processes die and MoySklad fails at random. At the end, each confirmed draft must have one document and other drafts
// none, and no acknowledged confirmation may be unfinished. KOPECK_TEST_RUNS is the number of drafts (200, or 80 with
// -short), and KOPECK_TEST_SEED the seed.
func TestRandomFaultsKeepConfirmations(t *testing.T) {
	t.Parallel()
	usual := 200
	if testing.Short() {
		usual = 80
	}
	runs, seed := testSetting(t, "KOPECK_TEST_RUNS", usual), testSetting(t, "KOPECK_TEST_SEED", int(time.Now().Unix()))
	t.Logf("%d drafts, seed %d", runs, seed)
	f := launchTwo(t)
	var shops []*shop
	for i := range lanes {
		shops = append(shops, f.open(fmt.Sprintf("Lane %d", i), int64(100+i)))
	}
	acknowledged := make([]map[string]bool, lanes)
	chaos, calm := context.WithCancel(t.Context())
	defer calm()
	var havoc, working sync.WaitGroup
	for _, r := range f.replicas {
		havoc.Go(func() { r.keepAlive(chaos) })
		havoc.Go(func() { r.disturb(chaos, rand.New(rand.NewPCG(uint64(seed), uint64(1000+r.n)))) })
	}
	for i, s := range shops {
		working.Go(func() {
			l := lane{shop: s, random: rand.New(rand.NewPCG(uint64(seed), uint64(i))), acknowledged: map[string]bool{}}
			for range (runs + lanes - 1) / lanes {
				l.run()
			}
			acknowledged[i] = l.acknowledged
		})
	}
	working.Wait()
	calm()
	havoc.Wait()
	for _, r := range f.replicas {
		r.signal(syscall.SIGCONT)
		r.restart()
	}
	for _, s := range shops {
		s.disarm()
		s.request(http.StatusOK, f.replicas[0], "POST", "/connections/"+s.connection+"/verify", nil, nil)
	}
	f.waitUntilSettled()
	for i, s := range shops {
		for _, broken := range s.readHistory(acknowledged[i]).check() {
			t.Errorf("lane %d: %s", i, broken)
		}
	}
	if err := f.keys.VerifyAudit(t.Context()); err != nil {
		t.Error(err)
	}
	if made := f.count(`true`); made < runs {
		t.Errorf("only %d drafts were made", made)
	}
	t.Logf("%d created, %d failed, %d cancelled, %d left", f.count(`state = 'created'`), f.count(`state = 'failed'`),
		f.count(`state = 'cancelled'`), f.count(`state = 'draft'`))
}

func (f *fleet) count(where string) (n int) {
	f.Helper()
	must(f, f.db.QueryRowContext(f.Context(), `SELECT count(*) FROM drafts WHERE `+where).Scan(&n))
	return n
}

// keepAlive restarts the replica each time it dies.
func (r *replica) keepAlive(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.exited():
			r.start()
		}
	}
}

// disturb kills the replica at random times, or pauses it for longer than its lease.
func (r *replica) disturb(ctx context.Context, random *rand.Rand) {
	pass := func(least, most time.Duration) bool { return sleep(ctx, least+rand.N(most-least)) }
	for pass(500*time.Millisecond, 2*time.Second) {
		if random.IntN(2) == 0 {
			r.kill()
			continue
		}
		r.signal(syscall.SIGSTOP)
		pass(shortLease/2, 3*shortLease)
		r.signal(syscall.SIGCONT)
	}
}

// lane creates drafts of one account, one after another.
type lane struct {
	*shop
	random       *rand.Rand
	acknowledged map[string]bool
	prices       int
}

// run creates a draft while faults occur. Then it confirms or cancels the draft, possibly several times, or does nothing.
func (l *lane) run() {
	var d clientDraft
	// If the answer is lost, the draft may exist, but nobody will confirm it.
	l.fleet.waitFor("a draft is made", func() (made bool) {
		d, made = l.makeDraft()
		return made
	})
	l.planFault()
	var group sync.WaitGroup
	defer group.Wait()
	switch chance := l.random.IntN(10); {
	case chance == 0:
		return
	case chance == 1:
		l.cancel(l.replica(), d)
		return
	case chance == 2:
		r := l.replica()
		group.Go(func() { l.cancel(r, d) })
	}
	for range 1 + l.random.IntN(3) {
		l.fleet.waitFor("a confirmation is answered, or given up", func() bool {
			status, _ := l.confirm(l.replica(), d)
			if status == http.StatusOK || status == http.StatusAccepted {
				l.acknowledged[d.ID] = true
			}
			return status != 0 || l.random.IntN(10) == 0
		})
	}
}

func (l *lane) replica() *replica { return l.fleet.replicas[l.random.IntN(len(l.fleet.replicas))] }

func (l *lane) cancel(r *replica, d clientDraft) {
	_, _ = l.ask(l.fleet.Context(), r, "POST", "/drafts/"+d.ID+"/cancel", map[string]any{}, nil) // the answer may be lost
}

// makeDraft creates a draft of a random kind. The answer may be lost.
func (l *lane) makeDraft() (d clientDraft, ok bool) {
	item := l.orderable
	path, body, wrapped := "/connectors/moysklad/gateway/entity/purchaseorder", l.orderBody(), false
	switch l.random.IntN(6) {
	case 0:
		path, wrapped = "/tools/draft_purchase_order/execute", true
		body = map[string]any{"arguments": map[string]any{"supplier": item.Supplier.Name, "lines": []any{map[string]any{"product": item.ID, "units": 2}}}}
	case 1:
		path, wrapped = "/tools/draft_transfer/execute", true
		stores := l.Books().Stores
		body = map[string]any{"arguments": map[string]any{"from_warehouse": stores[0].ID, "to_warehouse": stores[1].ID,
			"lines": []any{map[string]any{"product": item.ID, "units": 2}}}}
	case 2:
		l.prices++
		path, wrapped = "/tools/draft_price_change/execute", true
		body = map[string]any{"arguments": map[string]any{"lines": []any{map[string]any{"product": item.ID, "price": 1000 + l.prices}}}}
	}
	var result struct{ Result clientDraft }
	var into any = &d
	if wrapped {
		into = &result
	}
	status, err := l.ask(l.fleet.Context(), l.replica(), "POST", path, body, into)
	if wrapped {
		d = result.Result
	}
	return d, err == nil && status == http.StatusAccepted && d.State == drafts.Drafted
}

// planFault chooses a fault for the next write.
func (l *lane) planFault() {
	switch l.random.IntN(4) {
	case 0: // no fault
	case 1:
		l.setTrap(killTrap([]string{"POST", "PUT", "GET"}[l.random.IntN(3)], "/entity/", l.random.IntN(2) == 0, l.random.IntN(2) == 0))
	default:
		c := upstreamFaults[l.random.IntN(len(upstreamFaults))]
		fault := c.fault
		fault.Method, fault.Path, fault.Times, fault.AfterApply = []string{"POST", "PUT"}[l.random.IntN(2)], "/entity/", 1, c.after
		fault.Delay = time.Duration(l.random.IntN(300)) * time.Millisecond
		l.Fault(fault)
	}
}
