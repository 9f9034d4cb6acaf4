package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// PostgreSQL crashes four times during a hundred confirmations. A draft whose confirmation was acknowledged is created
// exactly once, and any other draft at most once. The test is not parallel, because all tests share the server.
func TestDatabaseCrashKeepsConfirmations(t *testing.T) {
	// Commits must be durable in this test. By default they are not on the tests' server.
	f := launch(t, databasetest.PostgresURL(t)+"&application_name=replica&synchronous_commit=on", 2)
	const organizations, each, deaths = 4, 25, 4
	shops := make([]*shop, organizations)
	made := make([][]clientDraft, organizations)
	for i := range shops {
		shops[i] = f.open(fmt.Sprintf("Shop %d", i), int64(200+i))
		for range each {
			made[i] = append(made[i], shops[i].order(f.replicas[i%2]))
		}
	}
	acknowledged := make([]map[string]bool, organizations)
	var confirming sync.WaitGroup
	left := make(chan struct{}, organizations*each) // gets a value for each draft that is done
	for i, s := range shops {
		acknowledged[i] = map[string]bool{}
		confirming.Go(func() {
			for n, d := range made[i] {
				// If there is no answer, the client tries again for a while.
				acknowledged[i][d.ID] = f.succeedsWithin(time.Second, func() bool {
					status, _ := s.confirm(f.replicas[n%2], d)
					return status == http.StatusOK || status == http.StatusAccepted
				})
				left <- struct{}{}
			}
		})
	}
	for range deaths {
		for range organizations * each / (deaths + 1) {
			<-left
		}
		f.crash()
	}
	confirming.Wait()
	f.waitUntilSettled()
	answered := 0
	for i, s := range shops {
		for _, broken := range s.readHistory(acknowledged[i]).check() {
			t.Errorf("organization %d: %s", i, broken)
		}
		for _, yes := range acknowledged[i] {
			if yes {
				answered++
			}
		}
	}
	t.Logf("%d confirmations acknowledged, %d created, %d left unconfirmed", answered, f.count(`state = 'created'`), f.count(`state = 'draft'`))
}

// crash kills a server process to which a replica is connected. PostgreSQL then ends all connections and recovers, as after
// any crash.
func (f *fleet) crash() {
	f.Helper()
	var pids []int
	f.waitFor("a replica is connected", func() bool {
		var err error // while the server is recovering
		pids, err = database.Rows(f.Context(), f.db, func(row database.Row) (pid int, err error) { return pid, row.Scan(&pid) },
			`SELECT pid FROM pg_stat_activity WHERE application_name = 'replica'`)
		return len(pids) > 0 && err == nil
	})
	must(f, syscall.Kill(pids[rand.N(len(pids))], syscall.SIGKILL))
}

// waitUntilSettled waits until no draft is in state confirmed. Meanwhile the database may still be recovering.
func (f *fleet) waitUntilSettled() {
	f.Helper()
	f.waitFor("every confirmed draft is settled", func() bool {
		var left int
		err := f.db.QueryRowContext(f.Context(), `SELECT count(*) FROM drafts WHERE state = 'confirmed'`).Scan(&left)
		return err == nil && left == 0
	})
}
