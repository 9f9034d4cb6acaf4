package tools

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// This test logs a table of what each question costs on an account with 100,000 products and 20 warehouses. Set
// KOPECK_LARGE to the names of tools, or to "cost" for all of them. The table has calls and time with an empty cache,
// the time that the pace alone takes for the same calls, CPU time, peak memory, and the calls when the question is
// repeated. Each question is first asked in a synctest bubble, where answers take no time. This measures the tool
// itself, and makes the simulated upstream prepare its answers, so that its own work is not measured afterwards.
func TestCostsOfLargeAccount(t *testing.T) {
	wanted := os.Getenv("KOPECK_LARGE")
	if wanted == "" || wanted == "1" {
		return
	}
	shop, ask := openLarge(t, true)
	table := []string{"| tool | calls | of these stock reports | pace alone, s | took in a bubble, s | took, s | an answer took, ms | CPU, s | peak MiB | calls when asked again |", "|---|---|---|---|---|---|---|---|---|---|"}
	for _, costs := range callCosts(t) {
		q := costs.workerQuestion
		if wanted != "cost" && !slices.Contains(strings.Split(wanted, ","), q.Tool) {
			continue
		}
		q.Arguments, q.Cold = cmp.Or(q.Arguments, "{}"), true
		ideal := prepare(t, shop, q).Seconds()
		cold := ask(q)
		q.Cold = false
		calls := shop.Log()[:cold.Calls]
		warm := ask(q)
		if cold.Error+warm.Error != "" {
			t.Fatalf("%s: %s%s", q.Tool, cold.Error, warm.Error)
		}
		alone := paceAlone(t, calls).Seconds()
		stock := len(slices.DeleteFunc(slices.Clone(calls), func(c sandbox.Call) bool { return !c.Stock() }))
		table = append(table, fmt.Sprintf("| %s %s | %d | %d | %.1f | %.1f | %.1f | %.0f | %.1f | %d | %d |",
			q.Tool, strings.Trim(q.Arguments, "{}"), cold.Calls, stock, alone, ideal, cold.Seconds, 1000*cold.Took, cold.CPU, cold.PeakKiB>>10,
			warm.Calls))
		t.Log(table[len(table)-1])
		if cold.PeakKiB>>10 >= 200 {
			t.Errorf("%s: the process took %d MiB, want less than 200", q.Tool, cold.PeakKiB>>10)
		}
	}
	t.Log("\n" + strings.Join(table, "\n"))
}

// prepare asks a question in a synctest bubble, so that the account computes its answers in advance. It returns how
// long the question took by the clock of the bubble.
func prepare(t *testing.T, account *sandbox.Sandbox, q workerQuestion) (took time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{t: t, Sandbox: account}
		s.account = s.newAccount(pipedPool(t, s.SeparatelyLimitedHandler(), nil), sandbox.Config{})
		began := time.Now()
		if _, err := s.call(q.Tool, q.Arguments); err != nil {
			t.Fatalf("%s: %v", q.Tool, err)
		}
		took = time.Since(began)
	})
	account.ForgetLog()
	runtime.GC()
	return took
}

// paceAlone returns how long the client's pace takes for the same calls if all of them are known in advance and
// answered at once.
func paceAlone(t *testing.T, calls sandbox.Calls) (took time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		client, began := pipedPool(t, http.HandlerFunc(answerAtOnce), nil).Client("account", "token"), time.Now()
		var all sync.WaitGroup
		for _, call := range calls {
			all.Go(func() {
				if _, err := client.Get(t.Context(), strings.TrimPrefix(call.Path, "/"), nil); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		took = time.Since(began)
	})
	return took
}

// answerAtOnce is an upstream that answers every call at once and charges one unit for it.
func answerAtOnce(w http.ResponseWriter, _ *http.Request) {
	for name, value := range map[string]string{"Content-Type": "application/json", "X-RateLimit-Limit": "45", "X-RateLimit-Remaining": "44"} {
		w.Header().Set(name, value)
	}
	_, _ = io.WriteString(w, "{}")
}
