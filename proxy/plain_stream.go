package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/routing"
	"github.com/kopeck/kopeck/schemas/caught"
)

const (
	// maxEvent bounds one event of a stream: a tool call's arguments may come in one.
	maxEvent = 8 << 20
	// leastRoom is what there must be to read into.
	leastRoom = 1 << 10
	// longestPooled is the longest buffer that is kept; longer ones are left to the collector.
	longestPooled = 1 << 20
	// afterDone is how long a provider may take to end its stream when it has said that it is done.
	afterDone = time.Second
)

// passStream is the answer that hands a provider's stream on.
func (s *Server) passStream(ctx context.Context, r *request, reply *routing.Response) answer {
	header := map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no",
		routeHeader: reply.Route.Name}
	return answer{status: http.StatusOK, header: header, stream: &passage{
		ctx:     ctx,
		conn:    r.fast.Conn(),
		request: r,
		reply:   reply,
		ping:    s.cfg.Ping,
		api:     r.plain.api,
		usage:   r.plain.usage || !r.plain.api.asks,
		held:    buffers.Get().(*[]byte),
		room:    s.arriving.besides(r),
	}}
}

// buffers hold the part of a stream that has come and not gone.
var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, 4<<10)
	return &b
}}

// passage is a provider's stream on its way to the client, read by fasthttp from the connection's own goroutine: whole
// events only, each as soon as it is there, so that a comment of ours never falls into one.
type passage struct {
	ctx     context.Context
	conn    net.Conn
	request *request // its record; the rest of it is gone when the stream is read
	reply   *routing.Response
	ping    time.Duration
	api     *api
	usage   bool // the client gets it

	held     *[]byte // what has come: events that may go, then the one that is coming
	room     func(bytes int) error
	gone     int   // up to here it has been read
	ready    int   // up to here are events that may go
	line     int   // where the line begins that is coming
	begun    bool  // an event has gone
	tokens   int   // of the answer that have come, about
	refused  bool  // there is no answer that the provider could charge for
	finished bool  // a choice has said why it ended
	done     bool  // the protocol's last event has come
	over     error // why nothing comes any more; io.EOF is the end
	ended    bool  // nothing follows what is held
	leave    func()
	finish   func()
	closing  sync.Once
}

func (p *passage) start(leave, finish func()) { p.leave, p.finish = leave, finish }

// Read gives the next events, or a comment when there are none for a while.
func (p *passage) Read(to []byte) (n int, err error) {
	defer func() {
		if v := recover(); v != nil { // nothing above recovers
			p.fail(&caught.Defect{Panic: v, Stack: debug.Stack()})
			n, err = 0, io.EOF
		}
	}()
	for p.gone == p.ready {
		if p.ended {
			return 0, io.EOF
		}
		there, err := p.wait()
		if err == nil && !there {
			_ = p.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
			return copy(to, pingFrame), nil
		}
		if err != nil {
			p.fail(err)
		}
	}
	n = copy(to, (*p.held)[p.gone:p.ready])
	p.gone, p.begun = p.gone+n, true
	_ = p.conn.SetWriteDeadline(time.Now().Add(writeTimeout)) // its own for each write, as in [stream.Read]
	return n, nil
}

// wait takes in what comes next, and tells whether something has. After [DONE] it is not waited for long.
func (p *passage) wait() (there bool, err error) {
	if err := p.release(); err != nil || p.gone < p.ready { // what came with the first event
		return true, err
	}
	if p.over != nil {
		return true, p.end()
	}
	most := p.ping
	if p.done {
		most = min(most, afterDone)
	}
	there, err = p.reply.Wait(most)
	if p.done && (err != nil || !there) {
		p.ended = true
		return true, nil
	}
	for more := there; err == nil && more && p.over == nil; {
		err = p.more()
		more = p.reply.Buffered() && !p.first()
	}
	return there, err
}

// more reads once, and lets go the events that are whole by then.
func (p *passage) more() error {
	if err := p.compact(); err != nil {
		return err
	}
	held := *p.held
	n, err := p.reply.Read(held[len(held):cap(held)])
	*p.held = held[:len(held)+n]
	if wrong := p.release(); wrong != nil {
		return wrong
	}
	if p.over = err; err == nil && len(*p.held)-p.ready > maxEvent {
		return &provider.Error{Message: fmt.Sprintf("an event of the stream has more than %d bytes", maxEvent)}
	}
	return nil
}

// compact makes room behind what is held.
func (p *passage) compact() error {
	held := *p.held
	if p.gone > 0 {
		held = held[:copy(held, held[p.gone:])]
		p.ready, p.line, p.gone = p.ready-p.gone, p.line-p.gone, 0
	}
	if cap(held)-len(held) < leastRoom {
		if size := 2 * cap(held); size > longestPooled {
			if err := p.room(size); err != nil {
				return err
			}
		}
		held = append(make([]byte, 0, 2*cap(held)), held...)
	}
	*p.held = held
	return nil
}

// first tells that the first event may go. Events that came together go together, but the first waits for none, not even for
// being looked at.
func (p *passage) first() bool { return !p.begun && p.gone < p.ready }

// release lets the events go that are whole: an event ends with an empty line.
func (p *passage) release() error {
	for !p.first() {
		held := *p.held
		length := bytes.IndexByte(held[p.line:], '\n')
		if length < 0 {
			return nil
		}
		empty := length == 0 || length == 1 && held[p.line] == '\r'
		p.line += length + 1
		if !empty {
			continue
		}
		event := held[p.ready:p.line]
		shown, err := p.shown(event)
		if err != nil {
			return err
		}
		if len(shown) != len(event) {
			*p.held = slices.Replace(held, p.ready, p.line, shown...)
			p.line = p.ready + len(shown)
		}
		p.ready = p.line
	}
	return nil
}

// shown is what the client gets of an event: all of it, as a rule.
func (p *passage) shown(event []byte) ([]byte, error) {
	p.done = p.done || p.api.ends(event)
	p.tokens += eventTokens(event)
	if bytes.Contains(event, errorKey) {
		if err := p.reply.Route.Refused(object(event)); err != nil {
			return nil, err
		}
	}
	p.finished = p.finished || saysWhyItEnded(event)
	if usage := usageIn(event); usage != nil {
		p.request.record.use(usage)
		if !p.usage && withoutChoices(event) {
			return nil, nil
		}
	}
	return p.reply.Route.WithoutSecrets(event), nil
}

// end is the end of the provider's stream. One that has not said that it ends is broken off.
func (p *passage) end() error {
	rest := (*p.held)[p.ready:]
	*p.held = (*p.held)[:p.ready]
	switch {
	case p.done:
	case !errors.Is(p.over, io.EOF):
		return p.over
	case p.api.ends(rest):
		p.let(append(bytes.TrimRight(slices.Clone(rest), "\r\n"), "\n\n"...))
	case len(p.api.last) == 0 && p.finished:
		p.let(doneFrame)
	default:
		return &provider.Error{Message: "the stream ended before the answer did"}
	}
	p.ended = true
	return nil
}

// fail reports an error in the place of the next event.
func (p *passage) fail(err error) {
	var failure *provider.Error
	if errors.As(err, &failure) && failure.Elsewhere() {
		p.reply.MarkBroken(time.Now())
	}
	p.refused = p.tokens == 0 && !provider.MayHaveAnswered(err)
	problem := problemOf(p.ctx, plainProblem(err))
	p.request.refused(problem)
	p.let(p.api.failed(problem))
	p.ended = true
}

// let lets a frame of ours go after what may go already.
func (p *passage) let(frame []byte) {
	*p.held = append((*p.held)[:p.ready], frame...)
	p.ready = len(*p.held)
}

// estimate completes the usage of a stream whose provider has not told it, or not to the end.
func (p *passage) estimate() {
	told := p.request.record.usage
	switch {
	case !p.api.text || told != nil && p.done, p.refused:
		return
	case told == nil && p.tokens == 0:
		p.request.record.usage = p.request.plain.lost()
		return
	}
	estimated := p.request.plain.estimate(p.tokens)
	if told != nil {
		estimated.PromptTokens, estimated.CachedTokens = told.PromptTokens, told.CachedTokens
		estimated.CompletionTokens = max(told.CompletionTokens, p.tokens)
		estimated.TotalTokens = estimated.PromptTokens + estimated.CompletionTokens
	}
	p.request.record.usage = estimated
}

// Close ends the work, and the request's record with it.
func (p *passage) Close() error {
	p.closing.Do(func() {
		_ = p.reply.Close()
		p.estimate()
		if cap(*p.held) <= longestPooled {
			*p.held = (*p.held)[:0]
			buffers.Put(p.held)
		}
		p.leave()
		p.finish()
	})
	return nil
}

var (
	errorKey  = []byte(`"error"`)
	finishKey = []byte(`"finish_reason"`)
)

// isDone tells whether an event is the last of the protocol.
func isDone(event []byte) bool {
	data, ok := bytes.CutPrefix(event, []byte("data:"))
	return ok && string(bytes.TrimSpace(data)) == "[DONE]"
}

// saysWhyItEnded tells whether a choice of an event has a finish_reason. A quote inside a JSON string is escaped, so what
// stands in quotes here is a name.
func saysWhyItEnded(event []byte) bool {
	_, after, found := bytes.Cut(event, finishKey)
	after, colon := bytes.CutPrefix(bytes.TrimLeft(after, " "), []byte(":"))
	return found && colon && bytes.HasPrefix(bytes.TrimLeft(after, " "), []byte(`"`))
}

// object is the JSON object of an event.
func object(event []byte) []byte {
	from, to := bytes.IndexByte(event, '{'), bytes.LastIndexByte(event, '}')
	if from < 0 || to < from {
		return nil
	}
	return event[from : to+1]
}

func withoutChoices(event []byte) bool {
	var chunk struct{ Choices []json.RawMessage }
	return json.Unmarshal(object(event), &chunk) == nil && len(chunk.Choices) == 0
}
