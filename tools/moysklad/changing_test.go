package moysklad_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// ledgerBook is a list of documents by id. The test changes it between the calls that read it.
type ledgerBook struct {
	mu     sync.Mutex
	ids    []string // in order
	calls  int
	change func(*ledgerBook) // called before each call after the first
}

func newLedgerBook(n int, change func(*ledgerBook)) *ledgerBook {
	b := &ledgerBook{change: change}
	for i := range n {
		b.ids = append(b.ids, fmt.Sprintf("%06d", i*1000))
	}
	return b
}

func (b *ledgerBook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls++; b.calls > 1 {
		b.change(b)
	}
	offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	var rows []string
	for _, id := range b.ids[min(offset, len(b.ids)):min(offset+limit, len(b.ids))] {
		rows = append(rows, `{"id":"`+id+`","moment":"2026-08-04 09:10:00.000"}`)
	}
	fmt.Fprint(w, list(len(b.ids), limit, offset, rows...))
}

func (b *ledgerBook) insert(id string) {
	if at, there := slices.BinarySearch(b.ids, id); !there {
		b.ids = slices.Insert(b.ids, at, id)
	}
}

func (b *ledgerBook) remove(at int) { b.ids = slices.Delete(b.ids, at, at+1) }

// Documents are created or removed anywhere in a list while it is read page by page. Every document that exists from
// beginning to end must be read exactly once.
func TestListThatChangesWhileItIsReadIsComplete(t *testing.T) {
	for name, change := range map[string]func(*ledgerBook, *rand.Rand){
		"created in front":   func(b *ledgerBook, _ *rand.Rand) { b.insert(fmt.Sprintf("%06d", b.calls)) },
		"created at the end": func(b *ledgerBook, _ *rand.Rand) { b.insert(fmt.Sprintf("9%06d", b.calls)) },
		"created anywhere":   func(b *ledgerBook, r *rand.Rand) { b.insert(fmt.Sprintf("%06d", r.IntN(60_000))) },
		"removed in front":   func(b *ledgerBook, _ *rand.Rand) { b.remove(0) },
		"removed anywhere":   func(b *ledgerBook, r *rand.Rand) { b.remove(r.IntN(len(b.ids))) },
		"several removed":    func(b *ledgerBook, r *rand.Rand) { b.remove(r.IntN(len(b.ids))); b.remove(r.IntN(len(b.ids))) },
		"removed in front, while another is created at the end": func(b *ledgerBook, _ *rand.Rand) {
			b.remove(0)
			b.insert(fmt.Sprintf("9%06d", b.calls))
		},
		"removed anywhere, while another is created at the end": func(b *ledgerBook, r *rand.Rand) {
			b.remove(r.IntN(len(b.ids)))
			b.insert(fmt.Sprintf("9%06d", b.calls))
		},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(5) {
				random := rand.New(rand.NewPCG(seed, 0))
				changes := 0
				book := newLedgerBook(60, func(b *ledgerBook) {
					if changes++; changes <= 1+int(seed) {
						change(b, random)
					}
				})
				before := slices.Clone(book.ids)
				_, c := serveAtOnce(t, book.ServeHTTP)
				read, err := collect(c.Documents(t.Context(), "demand", moysklad.Query{Limit: 10}))
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				times := map[string]int{}
				for _, d := range read {
					times[d.ID]++
				}
				for _, id := range before {
					if _, stays := slices.BinarySearch(book.ids, id); stays && times[id] != 1 {
						t.Errorf("seed %d: %s was read %d times", seed, id, times[id])
					}
				}
			}
		})
	}
}

// Stock is listed by name, so a good that is renamed moves. Between two pages it moves to the front, while another one
// sells out. The list must still have it, although neither its size nor the order of the pages shows that it moved.
func TestRowThatMovesWhileAListIsReadIsNotMissing(t *testing.T) {
	var goods []string
	for i := range 30 {
		goods = append(goods, fmt.Sprintf("g%02d", i))
	}
	calls, mu := 0, sync.Mutex{} // guards calls and goods
	u, c := serveAtOnce(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls == 2 {
			goods = slices.Concat(goods[25:26], goods[1:25], goods[26:]) // g00 has left, g25 has moved
		}
		offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
		limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		var rows []string
		for _, id := range goods[min(offset, len(goods)):min(offset+limit, len(goods))] {
			rows = append(rows, `{"meta":{"href":"x/`+id+`"},"stock":1,"reserve":0,"inTransit":0,"quantity":1}`)
		}
		fmt.Fprint(w, list(len(goods), limit, offset, rows...))
	})
	read, err := collect(c.StockAll(t.Context(), moysklad.Query{Order: "name", Limit: 10}))
	must(t, err)
	times := map[string]int{}
	for _, row := range read {
		times[row.Meta.ID()]++
	}
	for _, id := range goods {
		if times[id] != 1 {
			t.Errorf("%s was read %d times", id, times[id])
		}
	}
	if n := len(u.requests()); n > 8 {
		t.Errorf("%d calls, want 4 for each of two readings", n)
	}
}

// A list that changes with every call must end in an error. It must not be returned as complete or be read forever.
func TestListThatKeepsChangingIsAnError(t *testing.T) {
	book := newLedgerBook(60, func(b *ledgerBook) {
		b.insert(fmt.Sprintf("a%06d", b.calls))
		b.insert(fmt.Sprintf("b%06d", b.calls))
	})
	_, c := serveAtOnce(t, book.ServeHTTP)
	if read, err := collect(c.Documents(t.Context(), "demand", moysklad.Query{Limit: 2})); err == nil || !strings.Contains(err.Error(), "it had") {
		t.Errorf("%d rows, %v", len(read), err)
	}
}

// While one page is processed, the next ones are fetched, with as many calls in flight as the account may have. This
// needs no additional calls. Each page begins with the last row of the one before it.
func TestPagesAreFetchedAhead(t *testing.T) {
	arrived := make(chan string, 20)
	answer := catalogue(90, 10)
	u, c := serveAtOnce(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- r.URL.Query().Get("offset")
		answer(w, r)
	})
	n := 0
	for _, err := range c.Products(t.Context(), moysklad.Query{Limit: 10}) {
		must(t, err)
		if n++; n == 2 { // the second call for the first page
			var ahead []string
			for range 4 {
				ahead = append(ahead, <-arrived)
			}
			if slices.Sort(ahead); !slices.Equal(ahead, []string{"0", "18", "27", "9"}) {
				t.Errorf("under way: %v", ahead)
			}
		}
	}
	if n != 90 || len(u.requests()) != 10 {
		t.Errorf("%d rows in %d calls", n, len(u.requests()))
	}
}
