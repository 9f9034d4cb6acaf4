package moysklad_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// sharedLedgers passes ledgers on as JSON, as between processes.
type sharedLedgers struct {
	mu    sync.Mutex
	texts map[string][]byte // by account
}

func (s *sharedLedgers) Shared() bool { return true }

func (s *sharedLedgers) Of(account string) moysklad.Changer { return sharedLedger{s, account} }

type sharedLedger struct {
	*sharedLedgers
	account string
}

func (s sharedLedger) Change(_ context.Context, f func(time.Time, *moysklad.Ledger) bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var l moysklad.Ledger
	if text := s.texts[s.account]; text != nil {
		if err := json.Unmarshal(text, &l); err != nil {
			return err
		}
	}
	if !f(time.Now(), &l) {
		return nil
	}
	text, err := json.Marshal(&l)
	s.texts[s.account] = text
	return err
}

// Calls that wait in the queue of a token go on waiting in the queue of its account once that is known, in every process.
func TestWaitingProbesJoinThePaceOfTheAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var at []time.Time
		var group sync.WaitGroup
		answered := make(chan struct{}, 12)
		answer := func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			at = append(at, time.Now())
			says(200, employee)(w, r)
		}
		ledgers := &sharedLedgers{texts: map[string][]byte{}}
		var pools []*moysklad.Pool
		for range 2 {
			p, err := moysklad.NewPool(moysklad.Config{Rate: 1, Ledgers: ledgers, Dial: direct(t, answer)})
			if err != nil {
				t.Fatal(err)
			}
			pools = append(pools, p)
		}
		ask := func(c *moysklad.Client) {
			group.Go(func() {
				if _, err := c.Employee(t.Context()); err != nil {
					t.Error(err)
				}
				answered <- struct{}{}
			})
		}
		for i := range 6 {
			ask(pools[i%2].Probe(token))
		}
		<-answered // the account is known from here on
		for i := range 6 {
			ask(pools[i%2].Client("0b7c9a3e", token))
		}
		group.Wait()
		for i := 1; i < len(at); i++ {
			if between := at[i].Sub(at[i-1]); between < time.Second {
				t.Errorf("call %d came %s after the previous one", i, between)
			}
		}
	})
}
