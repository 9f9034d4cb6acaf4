package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// running is a demo in this process.
type running struct {
	*demo
	url      string // without a path
	upstream string // address of the simulated MoySklad
}

// runDemo starts the service with a shop (nil means the demo's own), and stops it when the test ends. The test fails if
// anything is logged, because the demo logs only warnings and errors.
func runDemo(t *testing.T, shop *sandbox.Sandbox, with ...func(*serveCommand)) running {
	t.Helper()
	c := &serveCommand{
		upstream:        upstream{UpstreamRate: 6, UpstreamStockRate: 2, UpstreamParallel: 4},
		models:          models{Model: "offline", ModelFallback: "offline", ModelSecrets: "mask"},
		capacity:        capacity{BodyMemory: minBodyMemory},
		serviceSettings: serviceSettings{Addr: "127.0.0.1:0", DraftTTL: time.Hour},
		logging:         logging{LogLevel: "info"},
	}
	for _, set := range with {
		set(c)
	}
	log := &lockedBuffer{}
	p := &program{Out: &bytes.Buffer{}, Err: log}
	start := func() (*demo, error) { return c.startDemo(t.Context(), p) }
	if shop != nil {
		start = func() (*demo, error) { return c.startWithShops(t.Context(), p, shop) }
	}
	d, err := start()
	must(t, err)
	t.Cleanup(func() {
		if err := d.stop(t.Context()); err != nil {
			t.Errorf("stop the demo: %v", err)
		}
		if wrong := log.String(); wrong != "" {
			t.Errorf("the demo logged:\n%s", wrong)
		}
	})
	return running{d, "http://" + d.address, c.UpstreamURL}
}

type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func TestFiguresAreReadInBothLanguages(t *testing.T) {
	text := "Касса 1\u00a0234\u202f567,89 ₽ | 40 | 1,234,567.89 RUB, 44,7 % of 2.5 units and −3"
	var got []string
	for _, figure := range figuresOf(text) {
		got = append(got, figure.String())
	}
	if diff := cmp.Diff([]string{"1234567.89", "40", "1234567.89", "44.7", "2.5", "3"}, got); diff != "" {
		t.Error(diff)
	}
}

// An address such as 0.0.0.0 is one to listen on. A client needs another, and OpenAI's clients need the path /v1.
func TestGreetingHasAddressesThatWorkWhenPasted(t *testing.T) {
	for listener, want := range map[string]string{
		"[::]:8472": "127.0.0.1:8472", "0.0.0.0:8472": "127.0.0.1:8472", "127.0.0.2:8472": "127.0.0.2:8472", "[::1]:8472": "[::1]:8472",
	} {
		var out strings.Builder
		d := demo{service: &service{address: listener}, secret: "sk-org-x"}
		d.printGreeting(&program{Out: &out})
		for _, line := range []string{"console   http://%s\n", "OpenAI    http://%s/v1 ", "base URL  http://%s/api/v1\n", "curl -s http://%s/v1/"} {
			if line = fmt.Sprintf(line, want); !strings.Contains(out.String(), line) {
				t.Errorf("%s: %q is not in\n%s", listener, line, out.String())
			}
		}
	}
}
