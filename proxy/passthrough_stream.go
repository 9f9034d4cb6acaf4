package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/proxy/routing"
	"github.com/kopeck/kopeck/proxy/skim"
)

const (
	// maxEvent is the largest event of a stream. One event may contain all arguments of a tool call.
	maxEvent = 8 << 20
	// minReadSpace is how much free space the buffer must have before a read.
	minReadSpace = 1 << 10
	// firstStreamBuffer is the size of the buffer as long as no event is larger.
	firstStreamBuffer = 4 << 10
	// maxUnreserved is the largest buffer for which no memory is reserved.
	maxUnreserved = 1 << 20
	// closeGrace is how long a provider may take to close its stream after the last event.
	closeGrace = time.Second
)

// passStream returns a response that passes a provider's stream on.
func (s *Server) passStream(ctx context.Context, r *request, reply *routing.Response) httpResponse {
	header := map[string]string{routeHeader: reply.Route.Name}
	setStreamHeaders(header)
	p := &passedStream{
		request:   r,
		reply:     reply,
		ping:      s.cfg.Ping,
		api:       r.modelRequest.api,
		results:   r.modelRequest.streamResults(),
		keepUsage: r.modelRequest.IncludeUsage || !r.modelRequest.api.usageOnRequest,
		buffer:    make([]byte, 0, firstStreamBuffer),
		reserve:   s.bodyMemory.reserveMore(r),
	}
	return httpResponse{status: http.StatusOK, header: header, stream: &sseStream{
		conn:   r.fast.Conn(),
		next:   p.next,
		failed: func(err error) []byte { return p.failed(ctx, err) },
		end: func(finish func()) {
			p.close()
			finish()
		},
	}}
}

// passedStream is a provider's stream that is passed on to the client. It passes on only complete events, so that a ping never
// ends up inside an event.
type passedStream struct {
	request   *request // use only its record: the rest is no longer valid
	reply     *routing.Response
	ping      time.Duration
	api       *api
	results   int  // how many end events there are
	keepUsage bool // the client gets the usage

	buffer     []byte // the received data: complete events, then an incomplete one
	reserve    func(bytes int) error
	ready      int   // where the complete events end
	lineStart  int   // where the incomplete line begins
	started    bool  // an event was already sent
	tokens     int   // estimated tokens of the answer so far
	unanswered bool  // no answer has been sent that the provider could charge for
	finished   bool  // a choice has a finish_reason
	ends       int   // number of end events received
	done       bool  // the last of them was received
	readErr    error // why reading ended; io.EOF is the normal end
	ended      bool  // nothing follows the buffer
}

// next returns the next complete events, or nothing if none come for the duration p.ping.
func (p *passedStream) next() ([]byte, error) {
	p.discardSent()
	for p.ready == 0 {
		if p.ended {
			return nil, errStreamEnd
		}
		if arrived, err := p.waitForEvents(); err != nil || !arrived {
			return p.buffer[:p.ready], err
		}
	}
	p.started = true
	return p.buffer[:p.ready], nil
}

// discardSent removes the complete events, which next has returned before.
func (p *passedStream) discardSent() {
	p.buffer = p.buffer[:copy(p.buffer, p.buffer[p.ready:])]
	p.ready, p.lineStart = 0, p.lineStart-p.ready
}

// waitForEvents waits for data and reads it. It returns false if no data comes for the duration p.ping. After the last
// event of the protocol it waits only for closeGrace.
func (p *passedStream) waitForEvents() (arrived bool, err error) {
	if err := p.release(); err != nil || p.ready > 0 { // another event arrived together with the first one
		return true, err
	}
	if p.readErr != nil {
		return true, p.end()
	}
	timeout := p.ping
	if p.done {
		timeout = min(timeout, closeGrace)
	}
	arrived, err = p.reply.Wait(timeout)
	if p.done && (err != nil || !arrived) {
		p.ended = true
		return true, nil
	}
	for more := arrived; err == nil && more && p.readErr == nil; {
		err = p.readMore()
		more = p.reply.Buffered() && !p.firstReady()
	}
	return arrived, err
}

// readMore reads once, and marks complete events as ready.
func (p *passedStream) readMore() error {
	if err := p.makeRoom(); err != nil {
		return err
	}
	n, err := p.reply.Read(p.buffer[len(p.buffer):cap(p.buffer)])
	p.buffer = p.buffer[:len(p.buffer)+n]
	if releaseErr := p.release(); releaseErr != nil {
		return releaseErr
	}
	if p.readErr = err; err == nil && len(p.buffer)-p.ready > maxEvent {
		return &provider.Error{Message: fmt.Sprintf("an event of the stream has more than %d bytes", maxEvent)}
	}
	return nil
}

// makeRoom makes sure that there is room at the end of the buffer.
func (p *passedStream) makeRoom() error {
	if cap(p.buffer)-len(p.buffer) >= minReadSpace {
		return nil
	}
	size := 2 * cap(p.buffer)
	if size > maxUnreserved {
		if err := p.reserve(size); err != nil {
			return err
		}
	}
	p.buffer = append(make([]byte, 0, size), p.buffer...)
	return nil
}

// firstReady reports whether the stream's first event can be sent. It is sent alone and without delay, before anything
// after it is inspected. Later events that arrive together are sent together.
func (p *passedStream) firstReady() bool { return !p.started && p.ready > 0 }

// release marks complete events as ready to send. An empty line ends an event.
func (p *passedStream) release() error {
	for !p.firstReady() {
		length := bytes.IndexByte(p.buffer[p.lineStart:], '\n')
		if length < 0 {
			return nil
		}
		empty := length == 0 || length == 1 && p.buffer[p.lineStart] == '\r'
		p.lineStart += length + 1
		if !empty {
			continue
		}
		event := p.buffer[p.ready:p.lineStart]
		visible, err := p.visiblePart(event)
		if err != nil {
			return err
		}
		if len(visible) != len(event) {
			p.buffer = slices.Replace(p.buffer, p.ready, p.lineStart, visible...)
			p.lineStart = p.ready + len(visible)
		}
		p.ready = p.lineStart
	}
	return nil
}

// visiblePart returns the part of an event that the client gets, which is usually all of it.
func (p *passedStream) visiblePart(event []byte) ([]byte, error) {
	if p.api.isEnd(event) {
		p.ends++
		p.done = p.ends >= p.results || skim.IsDone(event)
	}
	p.tokens += skim.EventTokens(event)
	if bytes.Contains(event, errorKey) {
		if err := p.reply.Route.Refused(skim.Object(event)); err != nil {
			return nil, err
		}
	}
	p.finished = p.finished || skim.HasFinishReason(event)
	if usage := skim.Usage(event); usage != nil {
		p.request.record.addUsage(usage)
		if !p.keepUsage && skim.HasNoChoices(event) {
			return nil, nil
		}
	}
	return p.reply.Route.WithoutSecrets(event), nil
}

// end handles the end of the provider's stream. If the last event of the protocol is missing, the stream has broken off.
func (p *passedStream) end() error {
	rest := p.buffer[p.ready:]
	p.buffer = p.buffer[:p.ready]
	switch {
	case p.done, p.ends > 0 && errors.Is(p.readErr, io.EOF): // a provider may give fewer results than were asked for
	case !errors.Is(p.readErr, io.EOF):
		return p.readErr
	case p.api.isEnd(rest):
		p.appendFrame(append(bytes.TrimRight(slices.Clone(rest), "\r\n"), "\n\n"...))
	case len(p.api.endEvents) == 0 && p.finished:
		p.appendFrame(doneFrame)
	default:
		return &provider.Error{Message: "the stream ended before the answer did"}
	}
	p.ended = true
	return nil
}

// failed returns the event that reports an error to the client.
func (p *passedStream) failed(ctx context.Context, err error) []byte {
	if of, is := errors.AsType[*provider.Error](err); is && of.RetryElsewhere() {
		p.reply.MarkBroken(time.Now())
	}
	p.unanswered = p.tokens == 0 && !provider.MayHaveAnswered(err)
	failure := problem.Of(ctx, problem.OfProvider(err))
	p.request.noteProblem(failure)
	return p.api.errorFrame(failure)
}

// appendFrame adds an event of this service after the complete events.
func (p *passedStream) appendFrame(frame []byte) {
	p.buffer = append(p.buffer[:p.ready], frame...)
	p.ready = len(p.buffer)
}

// streamResults returns how many end events a stream of the request has.
func (m *modelRequest) streamResults() int {
	if m.api.endsEach {
		return m.choiceCount()
	}
	return 1
}

// estimate estimates the usage of a stream as far as the provider did not report it.
func (p *passedStream) estimate() {
	reported := p.request.record.usage
	switch {
	case !p.api.countsText || reported != nil && p.done, p.unanswered:
		return
	case reported == nil && p.tokens == 0:
		p.request.record.usage = p.request.modelRequest.lostUsage()
		return
	}
	estimated := p.request.modelRequest.estimate(p.tokens)
	if reported != nil {
		estimated.PromptTokens, estimated.CachedTokens = reported.PromptTokens, reported.CachedTokens
		estimated.CompletionTokens = max(reported.CompletionTokens, p.tokens)
		estimated.TotalTokens = estimated.PromptTokens + estimated.CompletionTokens
	}
	p.request.record.usage = estimated
}

// close ends the request to the provider and records its usage.
func (p *passedStream) close() {
	_ = p.reply.Close()
	p.estimate()
}

var errorKey = []byte(`"error"`)
