//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// MoySklad's answer is 2 MB of gzip that unpacks to 2 GiB. A gzip stream can consist of several members.
func TestAttackGzipBombs(t *testing.T) {
	// The answer is begin, followed by row again and again. The rows are compressed once, as a gzip member of 16 MiB that is
	// then repeated.
	bomb := func(begin, row string) []byte {
		packed := func(text string) []byte {
			var member bytes.Buffer
			z := gzip.NewWriter(&member)
			_, _ = io.WriteString(z, text) // cannot fail: writes to memory
			_ = z.Close()
			return member.Bytes()
		}
		return append(packed(begin+row[1:]), bytes.Repeat(packed(strings.Repeat(row, 16<<20/len(row))), 128)...)
	}
	const id = `"a0000000-0000-4000-8000-000000000001"`
	for _, attack := range []struct {
		tool, path string
		bomb       []byte
		takes      int64 // bytes of memory that must be used, which shows that the answer was unpacked up to its limit
	}{
		{"money_position", "/", bomb(`{"meta":{"size":9},"rows":[`, `,{"id":"1","name":"x"}`), 2 << 20},
		{"stock", "/report/stock/bystore/current", bomb(`[`, `,{"assortmentId":`+id+`,"storeId":`+id+`,"stock":1,"reserve":1,"inTransit":1}`), 32 << 20},
	} {
		t.Run(attack.tool, func(t *testing.T) {
			a := startTarget(t)
			for range 50 {
				a.setTrap(trap{method: http.MethodGet, path: attack.path, spring: func(_ *replica, w http.ResponseWriter, _ *http.Request, _ http.Handler) {
					w.Header().Set("Content-Type", "application/json;charset=utf-8")
					w.Header().Set("Content-Encoding", "gzip")
					_, _ = w.Write(attack.bomb) // the program closes the connection at some point
				}})
			}
			before := a.peakMemory()
			status, err := a.ask(t.Context(), a.process, "POST", "/tools/"+attack.tool+"/execute", map[string]any{"arguments": map[string]any{}}, nil)
			if err != nil || status != http.StatusUnprocessableEntity {
				t.Errorf("%d, %v", status, err)
			}
			if took := a.peakMemory() - before; took < attack.takes {
				t.Errorf("the answers took %d KiB of memory: nothing was unpacked", took>>10)
			}
			a.requireResponsive()
		})
	}
}

// One organization sends 1,200 test messages to twenty webhook receivers that hang. Another organization's message must
// still be delivered.
func TestAttackHangingReceivers(t *testing.T) {
	over, arrived := make(chan struct{}), make(chan time.Time, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/good" {
			arrived <- time.Now()
			return
		}
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	defer receiver.Close()
	defer close(over)
	a := startTarget(t, "KOPECK_WEBHOOK_PRIVATE=true")
	webhook := func(s *shop, path string) (id string) {
		var made struct{ ID string }
		s.request(http.StatusCreated, a.process, "POST", "/webhooks", map[string]string{"url": receiver.URL + path}, &made)
		return made.ID
	}
	var flood sync.WaitGroup
	for range 20 {
		id := webhook(a.shop, "/hanging")
		flood.Go(func() {
			for range 60 {
				_, _ = a.ask(t.Context(), a.process, "POST", "/webhooks/"+id+"/test", nil, nil) // most of them are refused
			}
		})
	}
	flood.Wait()
	other := a.register("Another", sandbox.New(sandbox.Config{Seed: 8, Products: 1}))
	id := webhook(other, "/good")
	began := time.Now()
	other.request(http.StatusAccepted, a.process, "POST", "/webhooks/"+id+"/test", nil, nil)
	select {
	case at := <-arrived:
		t.Logf("the other organization's message took %v", at.Sub(began))
		if at.Sub(began) > 3*time.Second { // deliveries start every second; the rest allows for a slow machine
			t.Errorf("another organization's message took %v", at.Sub(began))
		}
	case <-time.After(attackTime):
		t.Error("another organization's message did not arrive")
	}
	a.requireResponsive()
}
