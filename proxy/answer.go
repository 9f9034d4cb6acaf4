package proxy

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"
)

// answer is what a route's function gives back: a value to encode, bytes as they are, or a stream.
type answer struct {
	status int
	kind   string // the Content-Type, where header does not say it
	header map[string]string
	value  any       // encoded as JSON
	raw    []byte    // instead of value
	owner  io.Closer // of raw, closed when it has been written; nil is nobody
	stream flow      // instead of both; the head goes with the first that it gives
}

// flow is the body of an answer that is written as it is made. fasthttp reads and closes it after the function that
// answered has returned.
type flow interface {
	io.ReadCloser
	// start begins it. leave ends the work; finish writes the request's record, when nothing of it is under way.
	start(leave, finish func())
}

func ok(value any) (answer, error) { return answer{status: http.StatusOK, value: value}, nil }

func created(value any) (answer, error) { return answer{status: http.StatusCreated, value: value}, nil }

// list is the body of every list.
type list[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor"`
}

func listed[T any](rows []T, next string) (answer, error) {
	l := list[T]{Data: rows}
	if l.Data == nil {
		l.Data = []T{}
	}
	if next != "" {
		l.NextCursor = &next
	}
	return ok(l)
}

// part is the page that is asked for of a list that is read whole. Its cursor is how many rows come before.
func part[T any](r *request, rows []T) (answer, error) {
	page, err := r.page()
	if err != nil {
		return answer{}, err
	}
	from := 0
	if page.Cursor != "" {
		if from, err = strconv.Atoi(page.Cursor); err != nil || from < 1 {
			return answer{}, wrongCursor(page.Cursor)
		}
	}
	next, rest := "", rows[min(from, len(rows)):]
	if len(rest) > page.Limit {
		rest, next = rest[:page.Limit], strconv.Itoa(from+page.Limit)
	}
	return listed(rest, next)
}

// refusal is the answer that reports a problem.
func (r *request) refusal(p *problem) answer {
	r.refused(p)
	header := map[string]string{}
	if p.final() {
		header["X-Should-Retry"] = "false"
	}
	if p.retryAfter > 0 {
		header["Retry-After"] = strconv.Itoa(int(math.Ceil(p.retryAfter.Seconds())))
		header["Retry-After-Ms"] = strconv.FormatInt(p.retryAfter.Milliseconds(), 10)
	}
	if p.status == http.StatusUnauthorized {
		header["WWW-Authenticate"] = `Bearer realm="kopeck"`
	}
	if p.status == http.StatusServiceUnavailable {
		header["Connection"] = "close"
	}
	if r.api.anthropic() {
		return answer{status: p.status, header: header, value: anthropicFailure(p)}
	}
	return answer{status: p.status, header: header, value: p.body()}
}

// refused notes a problem for the log, and completes it. What is wrong with a caller's own request is not logged beyond
// its code: the words repeat what the caller sent.
func (r *request) refused(p *problem) {
	r.record.status, r.record.code = p.status, p.detail.Code
	if p.status >= http.StatusInternalServerError || p.detail.Upstream != nil {
		r.record.err = p.cause
	}
	if p.status == http.StatusInternalServerError {
		p.detail.RequestID = r.record.id
	}
}

// write puts the answer into the response; a stream's body is left to the caller.
func (r *request) write(a answer) {
	r.record.status = a.status
	response := &r.fast.Response
	response.SetStatusCode(a.status)
	if a.kind != "" {
		response.Header.SetContentType(a.kind)
	}
	for name, value := range a.header {
		if strings.ContainsAny(value, "\r\n") {
			continue
		}
		response.Header.Set(name, value)
	}
	switch {
	case a.stream != nil:
		return
	case a.raw != nil:
		response.SetBodyRaw(a.raw)
	case a.value != nil:
		text, err := json.Marshal(a.value)
		if err != nil { // a type of ours that cannot be encoded: a defect
			r.record.err = err
			r.record.status = http.StatusInternalServerError
			response.SetStatusCode(r.record.status)
			text = []byte(`{"detail":{"code":"INTERNAL","message":"The answer could not be encoded.","hint":"Report the request id."}}`)
		}
		response.Header.SetContentType("application/json")
		response.SetBodyRaw(append(text, '\n'))
	}
}

// head sets what every answer has, whatever it is of.
func (s *Server) head(fast *fasthttp.RequestCtx, requestID string) {
	fast.Response.Header.Set("X-Request-Id", requestID)
	fast.Response.Header.Set("X-Content-Type-Options", "nosniff")
	s.allowOrigin(fast)
}

// unreadable answers a request that fasthttp could not read: too large, too slow, or not HTTP.
func (s *Server) unreadable(fast *fasthttp.RequestCtx, err error) {
	s.running.start()
	ro := &route{path: "(unreadable)"}
	r := &request{fast: fast, route: ro, log: s.logOf(ro)}
	r.record = newRecord(r, s.cfg.Now())
	s.head(fast, r.record.id)
	r.write(r.refusal(unreadableProblem(err).because(err)))
	connectionOf(fast.Conn()).refuse()
	s.finish(r)
}
