package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// plainTargets returns kopeck, the bare proxy and the model itself. All get the same requests.
func (b *bench) plainTargets() (kopeck, bare, direct target) {
	at := target{path: "/v1/chat/completions", model: "bench"}
	bare, direct, kopeck = at, at, at
	bare.process, direct.process, kopeck.process = b.bare, b.model, b.kopeck
	kopeck.key = b.key
	return kopeck, bare, direct
}

// samples are measurements of kopeck and of the bare proxy, one for each round.
type samples struct{ kopeck, bare []float64 }

func (s *samples) add(kopeck, bare float64) {
	s.kopeck, s.bare = append(s.kopeck, kopeck), append(s.bare, bare)
}

func (b *bench) size(context.Context) error {
	info, err := os.Stat(b.binary)
	if err != nil {
		return err
	}
	b.table.absolute("binary", "MB", 46, float64(info.Size())/1e6)
	return nil
}

// idleTime is the pause before memory is measured.
const idleTime = 20 * time.Second

// collectTime is long enough for Go's runtime to release the memory that the load used: it collects garbage at least every
// two minutes.
const collectTime = 150 * time.Second

func (b *bench) idle(ctx context.Context) error {
	if err := wait(ctx, idleTime); err != nil {
		return err
	}
	b.table.absolute("memory, idle", "MB", 30, b.kopeck.memory()/mb)
	return nil
}

// plainRequests measures requests whose answer is not streamed.
func (b *bench) plainRequests(ctx context.Context) error {
	kopeck, bare, direct := b.plainTargets()
	var added, rate, cpu, long samples
	small := [][]byte{kopeck.question(200, "", false), bare.question(200, "", false), direct.question(200, "", false)}
	large := [][]byte{kopeck.question(33_000, "", false), bare.question(33_000, "", false)}
	for range b.rounds {
		alone, err := alternate(ctx, 1, b.time/2, small, kopeck, bare, direct)
		if err != nil {
			return err
		}
		added.add(float64(alone[0].p50-alone[2].p50)/1e3, float64(alone[1].p50-alone[2].p50)/1e3)
		many, err := alternate(ctx, 64, b.time, small[:2], kopeck, bare)
		if err != nil {
			return err
		}
		rate.add(many[0].perSecond(), many[1].perSecond())
		cpu.add(many[0].cpuEach(), many[1].cpuEach())
		heavy, err := alternate(ctx, 16, b.time, large, kopeck, bare)
		if err != nil {
			return err
		}
		long.add(heavy[0].cpuEach(), heavy[1].cpuEach())
	}
	b.table.compare("plain: CPU per request", "µs", 2, false, cpu.kopeck, cpu.bare)
	b.table.compare("plain: added p50, 1 connection", "µs", 1.6, false, added.kopeck, added.bare)
	b.table.compare("plain: requests per second, 64 connections", "", 0.6, true, rate.kopeck, rate.bare)
	b.table.compare("plain: CPU, 33 KB prompt", "µs", 2, false, long.kopeck, long.bare)
	return nil
}

// growth measures how the cost of a request grows with its prompt, whose length increases tenfold at each step. Only the
// ratio has a goal.
func (b *bench) growth(ctx context.Context) error {
	kopeck, bare, _ := b.plainTargets()
	for size := 330; size <= 330_000; size *= 10 {
		var cpu samples
		bodies := [][]byte{kopeck.question(size, "", false), bare.question(size, "", false)}
		for range b.rounds {
			found, err := alternate(ctx, 4, b.time/2, bodies, kopeck, bare)
			if err != nil {
				return err
			}
			cpu.add(found[0].cpuEach(), found[1].cpuEach())
		}
		b.table.compare(fmt.Sprintf("plain: CPU, prompt of %d bytes", size), "µs", 3, false, cpu.kopeck, cpu.bare)
	}
	return nil
}

// logLines compares kopeck with a kopeck that does not log its requests.
func (b *bench) logLines(ctx context.Context) error {
	without, key, err := b.serveAnother(ctx, "silent.db", "KOPECK_LOG_LEVEL=error")
	if err != nil {
		return err
	}
	defer without.stop()
	keeping, _, _ := b.plainTargets()
	careless := keeping
	careless.process, careless.key = without, key
	var cpu samples
	body := keeping.question(200, "", false)
	for range b.rounds {
		found, err := alternate(ctx, 64, b.time, [][]byte{body, body}, keeping, careless)
		if err != nil {
			return err
		}
		cpu.add(found[0].cpuEach(), found[1].cpuEach())
	}
	b.table.compare("plain: CPU with a log line per request, relative to without", "µs", 1.1, false, cpu.kopeck, cpu.bare)
	return nil
}

// streams measures streamed answers with 53 events. The model writes them one by one as fast as it can, or all at once.
func (b *bench) streams(ctx context.Context) error {
	return errors.Join(b.stream(ctx, "one at a time", ""), b.stream(ctx, "all at once", onceWord))
}

func (b *bench) stream(ctx context.Context, way, text string) error {
	kopeck, bare, direct := b.plainTargets()
	bodies := [][]byte{kopeck.question(200, text, true), bare.question(200, text, true), direct.question(200, text, true)}
	var first, cpu samples
	for range b.rounds {
		alone, err := alternate(ctx, 1, b.time/2, bodies, kopeck, bare, direct)
		if err != nil {
			return err
		}
		first.add(float64(alone[0].first-alone[2].first)/1e3, float64(alone[1].first-alone[2].first)/1e3)
		many, err := alternate(ctx, 16, b.time, bodies[:2], kopeck, bare)
		if err != nil {
			return err
		}
		cpu.add(many[0].cpuEach(), many[1].cpuEach())
	}
	b.table.compare("stream: added time to the first event of 53 that come "+way, "µs", 1.5, false, first.kopeck, first.bare)
	b.table.compare("stream: CPU of 53 events that come "+way, "µs", 2.5, false, cpu.kopeck, cpu.bare)
	return nil
}

// openStreams measures many open streams that get an event each second.
func (b *bench) openStreams(ctx context.Context) error {
	kopeck, bare, _ := b.plainTargets()
	for _, count := range []int{500, 5000} {
		var memory [2]float64
		var received [2]int64
		for i, t := range []target{kopeck, bare} {
			var err error
			if memory[i], received[i], err = t.holdStreams(ctx, count); err != nil {
				return err
			}
		}
		figure := fmt.Sprintf("stream: memory of each of %d open ones", count)
		b.table.compare(figure, "KB", 2.5, false, []float64{memory[0] / 1024}, []float64{memory[1] / 1024})
		b.table.compare(
			fmt.Sprintf("stream: events in 5 s of %d slow ones", count), "", 0.9, true, []float64{float64(received[0])}, []float64{float64(received[1])},
		)
	}
	return nil
}

// holdStreams opens streams. It returns the memory of each, and the number of events within 5 seconds.
func (t target) holdStreams(ctx context.Context, count int) (memory float64, events int64, err error) {
	before := t.memory()
	var received atomic.Int64
	body := t.question(0, slowWord, true)
	for range count {
		conn, err := t.open(body, &received)
		if err != nil {
			return 0, 0, err
		}
		defer conn.Close()
	}
	for begun := time.Now(); received.Load() < int64(count) && time.Since(begun) < 20*time.Second; {
		if err := wait(ctx, 50*time.Millisecond); err != nil {
			return 0, 0, err
		}
	}
	if received.Load() < int64(count) {
		return 0, 0, fmt.Errorf("%s: %d of %d streams have begun", t.url, received.Load(), count)
	}
	since := received.Load()
	if err := wait(ctx, 5*time.Second); err != nil {
		return 0, 0, err
	}
	return (t.memory() - before) / float64(count), received.Load() - since, nil
}

// leavingClients measures how soon the requests to the model end after forty clients have disconnected.
func (b *bench) leavingClients(ctx context.Context) error {
	kopeck, _, _ := b.plainTargets()
	for name, streamed := range map[string]bool{"streamed": true, "not streamed": false} {
		var worst time.Duration
		for range b.rounds {
			var ignored atomic.Int64
			var all []net.Conn
			for range 40 {
				conn, err := kopeck.open(kopeck.question(0, hangWord, streamed), &ignored)
				if err != nil {
					return err
				}
				all = append(all, conn)
			}
			if err := b.waitForHanging(ctx, 40); err != nil {
				return err
			}
			for _, conn := range all {
				conn.Close()
			}
			begun := time.Now()
			if err := b.waitForHanging(ctx, 0); err != nil {
				return err
			}
			worst = max(worst, time.Since(begun))
		}
		b.table.absolute("40 clients disconnect, "+name+": until 40 model requests end", "ms", 1000, float64(worst.Milliseconds()))
	}
	return nil
}

// waitForHanging waits until want requests hang at the model.
func (b *bench) waitForHanging(ctx context.Context, want int) error {
	for begun := time.Now(); time.Since(begun) < 10*time.Second; {
		text, err := get(b.model.url)
		if err != nil {
			return err
		}
		if text == fmt.Sprint(want) {
			return nil
		}
		if err := wait(ctx, time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("the model does not have %d hanging requests", want)
}

func get(url string) (string, error) {
	res, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return string(text), err
}

// With this many accounts, 64 connections (or one) stay below the rate limit of 6 calls a second for each account.
const (
	accountsOfLoad = 2000
	accountsOfOne  = 800
)

// gateway measures reads through the connector. They are spread over so many accounts that none reaches its rate limit.
func (b *bench) gateway(ctx context.Context) error {
	connections, err := b.connect(b.kopeck, accountsOfLoad)
	if err != nil {
		return err
	}
	reading := func(accounts int) target {
		return target{process: b.kopeck, key: b.key, get: func(i int) string {
			return "/api/v1/connectors/moysklad/gateway/entity/store?connection_id=" + connections[i%accounts]
		}}
	}
	bare := target{process: b.bareUpstream, get: func(int) string { return "/api/remap/1.2/entity/store" }}
	direct := target{process: b.upstream, get: bare.get}
	var added, cpu samples
	for range b.rounds {
		alone, err := alternate(ctx, 1, b.time, make([][]byte, 3), reading(accountsOfOne), bare, direct)
		if err != nil {
			return err
		}
		added.add(float64(alone[0].p50-alone[2].p50)/1e3, float64(alone[1].p50-alone[2].p50)/1e3)
		many, err := alternate(ctx, 64, b.time, make([][]byte, 2), reading(accountsOfLoad), bare)
		if err != nil {
			return err
		}
		cpu.add(many[0].cpuEach(), many[1].cpuEach())
	}
	b.table.compare("gateway: CPU per request", "µs", 2, false, cpu.kopeck, cpu.bare)
	b.table.compare("gateway: added p50, 1 connection", "µs", 1.6, false, added.kopeck, added.bare)
	return nil
}

// connect connects accounts and returns the ids of the connections.
func (b *bench) connect(to *process, count int) ([]string, error) {
	ids := make([]string, count)
	failed := make([]error, 16)
	var all sync.WaitGroup
	for first := range failed {
		all.Go(func() {
			for i := first; i < count && failed[first] == nil; i += len(failed) {
				ids[i], failed[first] = b.connectOne(to, i)
			}
		})
	}
	all.Wait()
	return ids, errors.Join(failed...)
}

func (b *bench) connectOne(to *process, i int) (string, error) {
	text, err := b.post(to.url+"/api/v1/connections", fmt.Sprintf(`{"connector":"moysklad","name":"Account %d","token":"token-%d"}`, i, i))
	if err != nil {
		return "", err
	}
	var made struct{ ID string }
	err = json.Unmarshal(text, &made)
	return made.ID, err
}

func (b *bench) post(url, body string) ([]byte, error) {
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+b.key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		return nil, fmt.Errorf("%s: %d %s: %w", url, res.StatusCode, text, err)
	}
	return text, nil
}

// agent measures questions with one tool call. The data for the tool was read just before.
func (b *bench) agent(ctx context.Context) error {
	connections, err := b.connect(b.kopeck, 1)
	if err != nil {
		return err
	}
	asked := target{process: b.kopeck, path: "/v1/chat/completions", model: "kopeck", key: b.key}
	body := bytes.Replace(asked.question(0, "Which products are there?", true), []byte(`{"model"`),
		fmt.Appendf(nil, `{"metadata":{"connection_id":%q},"model"`, connections[0]), 1)
	turnsBefore, promptsBefore, err := b.modelRequests()
	if err != nil {
		return err
	}
	received, err := b.post(b.kopeck.url+asked.path, string(body)) // makes the service read the data
	if err != nil {
		return err
	}
	if !bytes.Contains(received, []byte(`"state":"finished"`)) || !bytes.Contains(received, []byte("Only one")) {
		return fmt.Errorf("no tool was called, or the answer ignores its result: %s", received)
	}
	turns, prompts, err := b.modelRequests()
	if err != nil {
		return err
	}
	b.table.absolute("agent: model turns of a question with one tool call", "", 2, turns-turnsBefore)
	b.table.absolute("agent: size of its prompts", "KB", 50, (prompts-promptsBefore)/1e3)
	var each []float64
	for range b.rounds {
		found, err := alternate(ctx, 4, b.time, [][]byte{body}, asked)
		if err != nil {
			return err
		}
		each = append(each, found[0].cpuEach()/1e3)
	}
	b.table.absolute("agent: CPU of a question with one tool call", "ms", 3, median(each))
	return nil
}

// modelRequests returns how many requests the agents have sent to the model, and how many bytes of prompts.
func (b *bench) modelRequests() (turns, prompts float64, err error) {
	answer, err := http.Get(b.model.url + askedPath)
	if err != nil {
		return 0, 0, err
	}
	defer answer.Body.Close()
	_, err = fmt.Fscan(answer.Body, &turns, &prompts)
	return turns, prompts, err
}

// afterLoad measures the memory that remains after the load.
func (b *bench) afterLoad(ctx context.Context) error {
	fresh, key, err := b.serveAnother(ctx, "fresh.db")
	if err != nil {
		return err
	}
	defer fresh.stop()
	t, _, _ := b.plainTargets()
	t.process, t.key = fresh, key
	if err := wait(ctx, idleTime); err != nil {
		return err
	}
	before := fresh.memory()
	if _, err := alternate(ctx, 64, 5*b.time, [][]byte{t.question(200, "", false)}, t); err != nil {
		return err
	}
	peak := fresh.memory()
	if err := wait(ctx, collectTime); err != nil {
		return err
	}
	b.table.compare(fmt.Sprintf("memory %s after load, relative to before (%.0f MB under load)", collectTime, peak/mb), "MB", 1.3, false,
		[]float64{fresh.memory() / mb}, []float64{before / mb})
	return nil
}

// accounts measures the memory of connected accounts that were used once. It does not count the first thousand, because
// with these the program also allocates memory that further accounts do not need.
func (b *bench) accounts(ctx context.Context) error {
	const first, most = 1000, 10_000
	busy, key, err := b.serveAnother(ctx, "accounts.db")
	if err != nil {
		return err
	}
	defer busy.stop()
	whole := *b
	whole.key = key
	var resident [2]float64
	for i, count := range []int{first, most} { // connecting the first accounts again has no effect
		if _, err := whole.connect(busy, count); err != nil {
			return err
		}
		if err := wait(ctx, idleTime); err != nil {
			return err
		}
		resident[i] = busy.memory()
	}
	b.table.absolute(fmt.Sprintf("memory of each of %d connected accounts, idle", most), "KiB", 4, (resident[1]-resident[0])/1024/(most-first))
	return nil
}

// startTime measures the time from exec to the first successful answer of /readyz.
func (b *bench) startTime(ctx context.Context) error {
	for _, c := range []struct {
		name, database string
		goal           float64
	}{{"SQLite", "start.db", 150}, {"PostgreSQL", b.postgres, 300}} {
		if c.database == "" {
			fmt.Println("start with PostgreSQL: not measured, -postgres names no database")
			continue
		}
		var took []float64
		for i := range b.rounds + 1 {
			p, err := b.serve(ctx, c.database)
			if err != nil {
				return err
			}
			p.stop()
			if i > 0 { // the first start also migrates the database
				took = append(took, float64(p.took.Microseconds())/1e3)
			}
		}
		b.table.absolute("start on migrated "+c.name+": exec to ready", "ms", c.goal, median(took))
	}
	return nil
}
