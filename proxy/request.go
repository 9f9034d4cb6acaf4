package proxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/trace"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/schemas/check"
)

// request is one request on its way through the server. Everything that its methods return is a copy: fasthttp uses the
// memory again.
type request struct {
	fast     *fasthttp.RequestCtx
	route    *route
	from     netip.Addr // the client's address
	caller   keys.Caller
	record   record
	api      *api       // by which it may be passed on; nil is none
	plain    *plainChat // of a request for a model that is passed through
	language string     // of a question to the agent: "ru" or "en"
	span     trace.Span // of the whole of it
	server   *Server
	log      slog.Handler // of its route
	owner    io.Closer    // of the answer's body; nil is nobody
	counted  int          // bytes of the body that the bound on all bodies counts
}

// handle answers every request. It closes a connection with an unread body: its rest would be read as the next request.
func (s *Server) handle(fast *fasthttp.RequestCtx) {
	c := connectionOf(fast.Conn())
	if !c.begin() {
		fast.SetConnectionClose()
		return
	}
	s.router.Handler(fast)
	if unread(fast) {
		fast.SetConnectionClose()
		c.refuse()
	}
}

// enter is the way of every request to the function of its route and back.
func (s *Server) enter(ro *route) fasthttp.RequestHandler {
	log, at := s.logOf(ro), apiOf(ro)
	return func(fast *fasthttp.RequestCtx) {
		s.running.start()
		r := &request{fast: fast, route: ro, api: at, from: s.cfg.address(fast), server: s, log: log}
		r.record = newRecord(r, s.cfg.Now())
		s.head(fast, r.record.id)

		ctx, leave := s.traced(s.bounded(), r), func() {}
		var a answer
		err := s.let(ctx, r)
		if err == nil { // the body has been read: the connection can be watched
			ctx, leave = s.watching.watch(ctx, fast.Conn())
			a, err = s.run(ctx, r)
		}
		if err != nil {
			a = r.refusal(problemOf(ctx, err))
		}
		r.write(a)
		if a.stream == nil {
			leave()
			r.owner = a.owner
			fast.SetUserValue(written{}, r)
			return
		}
		a.stream.start(leave, func() { s.finish(r) })
		if fast.Request.Header.IsHTTP11() || fast.IsHead() {
			fast.SetBodyStream(a.stream, -1)
			return
		}
		untilClosed(fast, a.stream)
	}
}

// written is the name under which fasthttp finds a request to close when its answer has been written, or could not be.
type written struct{}

// Close lets go of the answer and writes the record: only now, so that nobody waits for that.
func (r *request) Close() error {
	if r.owner != nil {
		_ = r.owner.Close() // nobody can be told any more
	}
	r.server.finish(r)
	return nil
}

// let decides by the head whether the request is allowed, and then reads its body.
func (s *Server) let(ctx context.Context, r *request) (err error) {
	defer recovered(&err)
	if err := r.framed(); err != nil || r.route.need == nothing {
		return err
	}
	if s.stopping.Load() {
		return notReady(errStopping)
	}
	if err := s.admit(ctx, r); err != nil {
		return err
	}
	return s.receive(r)
}

// run checks the body and calls the route's function.
func (s *Server) run(ctx context.Context, r *request) (a answer, err error) {
	defer recovered(&err)
	if r.route.need != nothing {
		if err := s.checkBody(r); err != nil {
			return answer{}, err
		}
	}
	return r.route.run(s, ctx, r)
}

// recovered turns a panic of the function that defers it into its error, with the stack for the log.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = &caught.Defect{Panic: v, Stack: debug.Stack()}
	}
}

// framed refuses a request that two readers could understand differently: fasthttp takes Content-Length together with
// Transfer-Encoding, where a proxy in front may have believed the other one.
func (r *request) framed() error {
	var length, encoding bool
	sent := r.fast.Request.Header.RawHeaders()
	for line := range bytes.Lines(sent) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		length = length || bytes.EqualFold(name, []byte(fasthttp.HeaderContentLength))
		encoding = encoding || bytes.EqualFold(name, []byte(fasthttp.HeaderTransferEncoding))
	}
	if length && encoding {
		r.fast.SetConnectionClose()
		return invalid("The request has both Content-Length and Transfer-Encoding.", "Send one of them.")
	}
	return nil
}

// withoutTrailer refuses fields that are there more often than before the body, by their lines as sent: fasthttp adds the
// fields after a chunked body to the headers, which a proxy in front has not seen there.
func (r *request) withoutTrailer() error {
	before := map[string]int{}
	for line := range bytes.Lines(r.fast.Request.Header.RawHeaders()) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		before[strings.ToLower(string(name))]++
	}
	for name := range r.fast.Request.Header.All() {
		field := strings.ToLower(string(name))
		before[field]--
		if before[field] < 0 {
			return invalid(fmt.Sprintf("The request has the field %s after its body.", name), "Send it as a header, before the body.")
		}
	}
	return nil
}

func (r *request) method() string { return string(r.fast.Method()) }
func (r *request) path() string   { return string(r.fast.URI().PathOriginal()) }

// param is a part of the path, by its name in the route.
func (r *request) param(name string) string {
	text, _ := r.fast.UserValue(name).(string)
	return strings.Clone(text)
}

// unescaped is a part of the path in which a client may have escaped slashes.
func (r *request) unescaped(name string) string {
	text, err := url.PathUnescape(r.param(name))
	if err != nil {
		return r.param(name)
	}
	return text
}

// header is a header's only value. Several different ones are an error: which one counts would be a guess.
func (r *request) header(name string) (string, error) {
	values := r.fast.Request.Header.PeekAll(name)
	if len(values) == 0 {
		return "", nil
	}
	for _, v := range values[1:] {
		if string(v) != string(values[0]) {
			return "", invalid(fmt.Sprintf("The request has %d different %s headers.", len(values), name), "Send one.")
		}
	}
	return string(values[0]), nil
}

// query is a parameter of the address; empty if it is not there.
func (r *request) query(name string) string { return string(r.fast.QueryArgs().Peek(name)) }

// flag is a parameter of the address that is true or false; false if it is not there.
func (r *request) flag(name string) (bool, error) {
	switch text := r.query(name); text {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	default:
		return false, invalidFields(field{name, fmt.Sprintf("must be true or false, got %q", text)})
	}
}

// page reads limit and cursor.
func (r *request) page() (keys.Page, error) {
	p := keys.Page{Limit: 50, Cursor: r.query("cursor")}
	text := r.query("limit")
	if text == "" {
		return p, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 100 {
		return p, invalidFields(field{"limit", fmt.Sprintf("must be 1 to 100, got %q", text)})
	}
	p.Limit = n
	return p, nil
}

// into decodes the body, which [Server.checkBody] has found to fit its schema. An empty body leaves v as it is.
func (r *request) into(v any) error {
	body := r.fast.PostBody()
	if len(body) == 0 {
		return nil
	}
	if problems := check.Decode(body, v); problems != nil {
		return invalidBody(problems)
	}
	return nil
}

// requestID is the caller's own, if it sent a usable one without a secret, or a new one.
func requestID(fast *fasthttp.RequestCtx) string {
	sent := fast.Request.Header.Peek("X-Request-Id")
	visible := func(b byte) bool { return b > ' ' && b < 0x7f }
	if len(sent) > 0 && len(sent) <= 128 && !redact.ContainsSecret(string(sent)) &&
		!slices.ContainsFunc(sent, func(b byte) bool { return !visible(b) }) {
		return string(sent)
	}
	id, err := uuid.NewV7()
	if err != nil { // no randomness: the request can still be served
		return strconv.FormatInt(time.Now().UnixNano(), 36)
	}
	return id.String()
}
