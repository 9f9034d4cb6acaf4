package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// target is a process under load, and the headers of requests to it.
type target struct {
	*process
	path  string
	model string // in requests
	key   string
	get   func(i int) string // returns the path of the i-th request; such requests have no body
}

func (t target) request(i int, body []byte) *fasthttp.Request {
	r := &fasthttp.Request{}
	r.SetRequestURI(t.url + t.path)
	if t.get != nil {
		r.SetRequestURI(t.url + t.get(i))
	} else {
		r.Header.SetMethod("POST")
		r.Header.SetContentType("application/json")
		r.SetBodyRaw(body)
	}
	if t.key != "" {
		r.Header.Set("Authorization", "Bearer "+t.key)
	}
	return r
}

// question returns a chat request of about size bytes.
func (t target) question(size int, text string, streamed bool) []byte {
	text += string(bytes.Repeat([]byte("word "), max(0, size-100)/5))
	return fmt.Appendf(nil, `{"model":%q,"stream":%v,"messages":[{"role":"user","content":%q}]}`, t.model, streamed, text)
}

// measurement is the result of a period of load.
type measurement struct {
	requests int
	took     time.Duration
	cpu      time.Duration // used by the process
	p50      time.Duration
	first    time.Duration // median of the time to a stream's first event
}

// cpuEach returns the CPU time of a request in µs.
func (m measurement) cpuEach() float64 {
	return float64(m.cpu.Nanoseconds()) / 1e3 / float64(max(1, m.requests))
}

func (m measurement) perSecond() float64 { return float64(m.requests) / m.took.Seconds() }

// load sends requests on several connections. Each connection sends the next request once it has read the answer to the
// previous one.
type load struct {
	target
	connections int
	body        []byte
	client      *fasthttp.HostClient
	sent        atomic.Int64

	mu     sync.Mutex
	all    []time.Duration
	firsts []time.Duration
	failed error
	took   time.Duration
}

func (t target) newLoad(connections int, body []byte) *load {
	client := &fasthttp.HostClient{Addr: t.address, MaxConns: connections, StreamResponseBody: true, ReadBufferSize: 8 << 10}
	return &load{target: t, connections: connections, body: body, client: client}
}

func (l *load) run(ctx context.Context, lasts time.Duration) {
	var working sync.WaitGroup
	begun := time.Now()
	for range l.connections {
		working.Go(func() {
			var took, first []time.Duration
			var err error
			for err == nil && ctx.Err() == nil && time.Since(begun) < lasts {
				var whole, beginning time.Duration
				whole, beginning, err = l.send(l.client, int(l.sent.Add(1)), l.body)
				took, first = append(took, whole), append(first, beginning)
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			l.all, l.firsts, l.failed = append(l.all, took...), append(l.firsts, first...), errors.Join(l.failed, err)
		})
	}
	working.Wait()
	l.took += time.Since(begun)
}

// turns is how often the targets alternate in a round. They alternate because the speed of the machine changes over time.
const turns = 10

// alternate puts load on the targets in turn, each with its own body and for the same total time. It also counts the CPU
// time that a target uses between its turns.
func alternate(ctx context.Context, connections int, lasts time.Duration, bodies [][]byte, targets ...target) ([]measurement, error) {
	loads, before := make([]*load, len(targets)), make([]time.Duration, len(targets))
	for i, t := range targets {
		loads[i], before[i] = t.newLoad(connections, bodies[i]), t.cpu()
	}
	for turn := range turns {
		for n := range loads {
			i := n
			if turn%2 == 1 {
				i = len(loads) - 1 - n
			}
			loads[i].run(ctx, lasts/turns)
		}
	}
	found := make([]measurement, len(loads))
	failed := context.Cause(ctx)
	for i, l := range loads {
		l.client.CloseIdleConnections()
		found[i] = measurement{requests: len(l.all), took: l.took, cpu: l.cpu() - before[i], p50: median(l.all), first: median(l.firsts)}
		failed = errors.Join(failed, l.failed)
	}
	return found, failed
}

// send sends one request. It returns the time to the whole answer and to its first byte.
func (t target) send(client *fasthttp.HostClient, i int, body []byte) (whole, first time.Duration, err error) {
	request := t.request(i, body)
	response := fasthttp.Response{StreamBody: true}
	begun := time.Now()
	if err := client.Do(request, &response); err != nil {
		return 0, 0, err
	}
	buffer := make([]byte, 4096)
	read := 0
	for err == nil {
		var n int
		n, err = response.BodyStream().Read(buffer)
		if read == 0 {
			first = time.Since(begun)
		}
		read += n
	}
	if response.StatusCode() != fasthttp.StatusOK || !errors.Is(err, io.EOF) {
		return 0, 0, fmt.Errorf("%s answers %d %.300s: %w", t.url, response.StatusCode(), buffer, err)
	}
	response.CloseBodyStream()
	return time.Since(begun), first, nil
}

// open sends a request on a new connection. In the background it counts the events of the answer.
func (t target) open(body []byte, events *atomic.Int64) (net.Conn, error) {
	conn, err := net.Dial("tcp", t.address)
	if err != nil {
		return nil, err
	}
	writer := bufio.NewWriter(conn)
	request := t.request(0, body)
	err = request.Write(writer)
	if err == nil {
		err = writer.Flush()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	go func() {
		buffer := make([]byte, 512)
		for {
			n, err := conn.Read(buffer)
			if err != nil {
				return
			}
			events.Add(int64(bytes.Count(buffer[:n], []byte("data: "))))
		}
	}()
	return conn, nil
}

func median[T ~int64 | ~float64](all []T) T {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
