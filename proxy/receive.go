package proxy

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// Bounds of bodies. A body is read once the caller is known and may use the route, as it arrives: its buffer grows with
// what has come and not with what was announced.
const (
	maxBody       = 4 << 20  // of a request that this service reads itself
	maxPassedBody = 32 << 20 // of a request for a model that is passed through

	// bodyTime is for the whole body, and bodyMegabyte more for each MiB that the route takes: slow lines bring photos too.
	bodyTime     = 30 * time.Second
	bodyMegabyte = time.Second

	firstBuffer = 4 << 10
	// uncounted bodies are small and arrive with their heads, so the bound on connections bounds them too.
	uncounted = 16 << 10
	// perConnection is added to a body that is slow or long. It is more than a connection holds: the bound on bodies then lets
	// fewer slow ones in (340 by default) than one address may have connections, and slow senders keep nobody out.
	perConnection = 128 << 10
)

// bodyBound is how many bytes a body of the route may have, after it is unpacked.
func (s *Server) bodyBound(ro *route) int {
	if s.bodies()[ro].passes != nil && !s.cfg.Models.Set().Empty() {
		return maxPassedBody
	}
	return maxBody
}

// receive reads the request's body and puts it in the place of fasthttp's.
func (s *Server) receive(r *request) error {
	if !r.hasUnread() {
		return nil
	}
	most := s.bodyBound(r.route)
	header := &r.fast.Request.Header
	if header.ContentLength() > most {
		return tooLarge(most)
	}
	limit := bodyTime + time.Duration(most>>20)*bodyMegabyte
	if err := r.fast.Conn().SetReadDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	var from io.Reader = r.fast.Request.BodyStream()
	expected := header.ContentLength()
	if string(header.ContentEncoding()) == "gzip" {
		unpacked, err := gzip.NewReader(io.LimitReader(from, int64(most)+1))
		if err != nil {
			return bodyProblem(err, limit)
		}
		from, expected = unpacked, -1
	}
	body, err := s.readAll(r, from, expected, most)
	if err != nil {
		return bodyProblem(err, limit)
	}
	if header.ContentLength() < 0 {
		if err := r.withoutTrailer(); err != nil {
			return err
		}
	}
	r.fast.Request.SetBodyRaw(body)
	return nil
}

// hasUnread reports whether a part of the request's body may not have been read.
func (r *request) hasUnread() bool { return unread(r.fast) }

func unread(fast *fasthttp.RequestCtx) bool {
	return fast.Request.IsBodyStream() && fast.Request.Header.ContentLength() != 0
}

// readAll reads to the end. The buffer doubles when it is full; it is counted once it is long or the body is slow.
func (s *Server) readAll(r *request, from io.Reader, expected, most int) ([]byte, error) {
	size := firstBuffer
	if expected >= 0 {
		size = min(expected+1, uncounted) // one more, to see the end without growing
	}
	body := buffer(size)
	for reads := 1; ; reads++ {
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case len(body) > most:
			return nil, tooLarge(most)
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, err
		}
		size := cap(body)
		if len(body) == size {
			if size = min(2*size, most+1); expected >= 0 {
				size = min(size, expected+1)
			}
		}
		if size > uncounted || reads >= readsAtOnce {
			if err := s.arriving.hold(r, size+perConnection); err != nil {
				return nil, err
			}
		}
		if size > cap(body) {
			body = append(buffer(size), body...)
		}
	}
}

// spare buffers are of requests that were passed on: nothing of such a request outlives it. They save the collector most of its work
// where prompts are long.
var spare sync.Pool

// longestKept is the length of a buffer that is not worth keeping.
const longestKept = 1 << 20

// buffer is an empty one with room for so many bytes.
func buffer(size int) []byte {
	if size <= uncounted {
		return make([]byte, 0, size)
	}
	if kept, _ := spare.Get().(*[]byte); kept != nil && cap(*kept) >= size {
		return (*kept)[:0]
	}
	return make([]byte, 0, size)
}

// release gives the buffer of a request that was passed on to the next one.
func release(body []byte) {
	if cap(body) > uncounted && cap(body) <= longestKept {
		spare.Put(&body)
	}
}

// readsAtOnce is how many it takes to read a body that came with its head: fasthttp has read its first byte apart.
const readsAtOnce = 2

func tooLarge(most int) *problem {
	return refuse(
		http.StatusRequestEntityTooLarge,
		"REQUEST_TOO_LARGE",
		fmt.Sprintf("The body is over %d MiB.", most>>20),
		"Send less at once.",
	)
}

// bodyProblem says why a body could not be read.
func bodyProblem(err error, limit time.Duration) error {
	var known *problem
	switch {
	case errors.As(err, &known):
		return known
	case timedOut(err):
		return tooSlow(fmt.Sprintf("The request's body was not complete within %d seconds.", int(limit.Seconds()))).because(err)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, new(flate.CorruptInputError)):
		return invalid("The body is not gzip, as its Content-Encoding says.", "Send it whole, or without Content-Encoding.").because(err)
	}
	return invalid("The request's body is not well-formed HTTP, or ends early.", "Send it with an HTTP client.").because(err)
}

// arriving bounds the memory that the bodies of all requests under way take together, with the answers of models that are passed on
// whole, and those of one organization. A body
// without room is refused and may be sent again: two half-read bodies that waited for each other would wait for ever.
type arriving struct {
	most           int64
	ofOrganization int64

	mu     sync.Mutex
	all    int64
	counts map[string]int64 // :: organization → bytes
}

// organizationShare is how many tenths of the memory for bodies one organization may take.
const organizationShare = 8

func newArriving(most int64) *arriving {
	return &arriving{most: most, ofOrganization: most / 10 * organizationShare, counts: map[string]int64{}}
}

// hold counts so many bytes for a request, if it has not so many yet, until [arriving.give].
func (a *arriving) hold(r *request, bytes int) error {
	if bytes -= r.counted; bytes <= 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	organization := r.caller.OrganizationID
	switch n := int64(bytes); {
	case a.counts[organization]+n > a.ofOrganization:
		return rateLimited(
			"The bodies of the organization's requests and answers take too much memory together.",
			"Send fewer large requests at once, or ask for less in each.",
			time.Second,
		)
	case a.all+n > a.most:
		return notReady(errors.New("the bodies of all requests take as much memory as they may"))
	}
	a.all += int64(bytes)
	a.counts[organization] += int64(bytes)
	r.counted += bytes
	return nil
}

// besides holds bytes for the answer to a request, besides those that the request has already. An answer is held until the client
// has read it, so clients that read slowly would take as much memory as they like.
func (a *arriving) besides(r *request) func(bytes int) error {
	before := r.counted
	return func(bytes int) error { return a.hold(r, before+bytes) }
}

// give gives a request's bytes back. It may be called again.
func (a *arriving) give(r *request) {
	if r.counted == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	organization := r.caller.OrganizationID
	a.all -= int64(r.counted)
	if a.counts[organization] -= int64(r.counted); a.counts[organization] == 0 {
		delete(a.counts, organization)
	}
	r.counted = 0
}
