package proxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/trace"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/proxy/clients"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
)

// request is a request that is being served. Its methods return copies, because fasthttp reuses the memory.
type request struct {
	fast          *fasthttp.RequestCtx
	route         *route
	client        netip.Addr // the client's address
	caller        keys.Caller
	record        record
	api           *api          // the API through which the request may be passed to a model; may be nil
	modelRequest  *modelRequest // set if the request is passed through
	language      string        // of errors: that of a question to the agent, or what the client asks for; "ru", "en" or ""
	span          trace.Span    // covers the whole request
	server        *Server
	bodyCloser    io.Closer // releases the response body; may be nil
	reservedBytes int       // bytes reserved in the server's bodyMemory
}

// handle handles every request. If part of the body was not read, it closes the connection, because that part would be read
// as the next request.
func (s *Server) handle(fast *fasthttp.RequestCtx) {
	c := clients.Of(fast.Conn())
	if !c.StartRequest() {
		fast.SetConnectionClose()
		return
	}
	s.dispatch(fast)
	if unread(fast) {
		fast.SetConnectionClose()
		c.LingerOnClose()
	}
}

// handlerFor returns the handler of a route.
func (s *Server) handlerFor(ro *route) fasthttp.RequestHandler {
	api := apiFor(ro)
	return func(fast *fasthttp.RequestCtx) {
		s.running.start()
		r := &request{fast: fast, route: ro, api: api, client: s.cfg.address(fast), server: s}
		r.language = r.acceptedLanguage()
		r.record = newRecord(r, s.cfg.Now())
		s.setCommonHeaders(fast, r.record.id)

		ctx, cancel := s.requestContext(fast.Conn())
		ctx = s.traced(ctx, r)
		var response httpResponse
		err := s.authorizeAndRead(ctx, r)
		if err == nil {
			response, err = s.run(ctx, r)
		}
		if err != nil {
			response = r.problemResponse(r.problemFor(ctx, err))
		}
		r.write(response)
		if response.stream == nil {
			cancel()
			r.bodyCloser = response.bodyCloser
			fast.SetUserValue(responseKey{}, r)
			return
		}
		response.stream.cancel, response.stream.finish = cancel, func() { s.finish(r) }
		if fast.Request.Header.IsHTTP11() || fast.IsHead() {
			fast.SetBodyStream(response.stream, -1)
			return
		}
		writeUntilClose(fast, response.stream)
	}
}

// requestContext returns the context of a request. It ends with cancel, after the deadline, or when the client disconnects.
func (s *Server) requestContext(conn net.Conn) (_ context.Context, cancel func()) {
	limited, end := context.WithTimeout(s.baseContext, s.cfg.Deadline)
	ctx, stopWatching := s.disconnects.Watch(limited, conn)
	return ctx, func() {
		stopWatching()
		end()
	}
}

// responseKey is the key under which a request is stored in fasthttp's user values. fasthttp calls Close on user values
// once the response has been written or could not be written.
type responseKey struct{}

// Close releases the response and writes the request's record. It is called after the response, so that the client does not
// wait for it.
func (r *request) Close() error {
	if r.bodyCloser != nil {
		_ = r.bodyCloser.Close() // the response is already sent
	}
	r.server.finish(r)
	return nil
}

// authorizeAndRead checks the request's head and permissions, then reads its body. A slow body must not outlive a revoked key,
// so the key is checked again after it.
func (s *Server) authorizeAndRead(ctx context.Context, r *request) (err error) {
	defer caught.Into(&err)
	if err := r.checkFraming(); err != nil || r.route.access == public {
		return err
	}
	if s.stopping.Load() {
		return problem.NotReady(problem.ErrStopping)
	}
	secret, err := s.authenticate(ctx, r)
	if err != nil || !unread(r.fast) {
		return err
	}
	if err := s.receive(r); err != nil {
		return err
	}
	if _, err := s.cfg.Keys.Verify(ctx, secret); err != nil {
		return problem.OfRefusedKey(ctx, err)
	}
	return nil
}

// run validates the body and calls the route's function.
func (s *Server) run(ctx context.Context, r *request) (_ httpResponse, err error) {
	defer caught.Into(&err)
	if r.route.access != public {
		if err := s.checkBody(r); err != nil {
			return httpResponse{}, err
		}
	}
	return r.route.run(s, ctx, r)
}

// acceptedLanguage returns the language that the client prefers: "ru" or "en", or "" for any other.
func (r *request) acceptedLanguage() string {
	language := strings.ToLower(string(r.fast.Request.Header.Peek(fasthttp.HeaderAcceptLanguage)))
	for _, known := range []string{"ru", "en"} {
		if rest, ok := strings.CutPrefix(language, known); ok && (rest == "" || strings.ContainsAny(rest[:1], "-,;")) {
			return known
		}
	}
	return ""
}

// checkFraming refuses a request that has both Content-Length and Transfer-Encoding. fasthttp accepts it, but a proxy in
// front may use the other header and find a different end of the request.
func (r *request) checkFraming() error {
	var length, encoding bool
	sent := r.fast.Request.Header.RawHeaders()
	for line := range bytes.Lines(sent) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		length = length || bytes.EqualFold(name, []byte(fasthttp.HeaderContentLength))
		encoding = encoding || bytes.EqualFold(name, []byte(fasthttp.HeaderTransferEncoding))
	}
	if length && encoding {
		r.fast.SetConnectionClose()
		return problem.Invalid("The request has both Content-Length and Transfer-Encoding.", "Send one of them.")
	}
	return nil
}

// checkTrailers refuses fields after a chunked body. fasthttp adds them to the headers, although a proxy in front has only
// checked the fields before the body. It finds them by comparing with the header lines as they were sent.
func (r *request) checkTrailers() error {
	before := map[string]int{}
	for line := range bytes.Lines(r.fast.Request.Header.RawHeaders()) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		before[strings.ToLower(string(name))]++
	}
	for name := range r.fast.Request.Header.All() {
		field := strings.ToLower(string(name))
		before[field]--
		if before[field] < 0 {
			return problem.Invalid(fmt.Sprintf("The request has the field %s after its body.", name), "Send it as a header, before the body.")
		}
	}
	return nil
}

func (r *request) method() string { return string(r.fast.Method()) }
func (r *request) path() string   { return string(r.fast.URI().PathOriginal()) }

// param returns a parameter of the route's path.
func (r *request) param(name string) string {
	text, _ := r.fast.UserValue(name).(string)
	return strings.Clone(text)
}

// unescaped returns a path parameter after unescaping it, because clients may escape slashes.
func (r *request) unescaped(name string) string {
	text, err := url.PathUnescape(r.param(name))
	if err != nil {
		return r.param(name)
	}
	return text
}

// header returns the value of a header. Several different values are an error, because any choice would be a guess.
func (r *request) header(name string) (string, error) {
	values := r.fast.Request.Header.PeekAll(name)
	if len(values) == 0 {
		return "", nil
	}
	for _, v := range values[1:] {
		if string(v) != string(values[0]) {
			return "", problem.Invalid(fmt.Sprintf("The request has %d different %s headers.", len(values), name), "Send one.")
		}
	}
	return string(values[0]), nil
}

// query returns a query parameter; "" if it is absent.
func (r *request) query(name string) string { return string(r.fast.QueryArgs().Peek(name)) }

// flag returns a query parameter that is true or false; false if it is absent.
func (r *request) flag(name string) (bool, error) {
	switch text := r.query(name); text {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	default:
		return false, problem.InvalidField(name, "must be true or false, got %q", text)
	}
}

// page reads limit and cursor.
func (r *request) page() (database.Page, error) {
	limit, err := r.limit(50)
	return database.Page{Limit: limit, Cursor: r.query("cursor")}, err
}

// limit reads the parameter limit, from 1 to 100; fallback if it is absent.
func (r *request) limit(fallback int) (int, error) {
	text := r.query("limit")
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 100 {
		return 0, problem.InvalidField("limit", "must be 1 to 100, got %.60q", text)
	}
	return n, nil
}

// decode decodes the body into v. [Server.checkBody] has already validated it. If the body is empty, v is not changed.
func (r *request) decode(v any) error {
	body := r.fast.PostBody()
	if len(body) == 0 {
		return nil
	}
	if problems := check.Decode(body, v); problems != nil {
		return invalidBody(problems)
	}
	return nil
}

// requestID returns the caller's own id if it is usable and contains no secret. Otherwise it returns a new one.
func requestID(fast *fasthttp.RequestCtx) string {
	sent := fast.Request.Header.Peek("X-Request-Id")
	visible := func(b byte) bool { return b > ' ' && b < 0x7f }
	if len(sent) > 0 && len(sent) <= 128 && !redact.ContainsSecret(string(sent)) &&
		!slices.ContainsFunc(sent, func(b byte) bool { return !visible(b) }) {
		return string(sent)
	}
	return database.NewID()
}
