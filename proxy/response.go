package proxy

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/proxy/clients"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/database"
)

// httpResponse is what a route's function returns: a value to encode, raw bytes, or a stream.
type httpResponse struct {
	status      int
	contentType string // used if header has none
	header      map[string]string
	value       any        // encoded as JSON
	raw         []byte     // instead of value
	bodyCloser  io.Closer  // releases raw once it has been written; may be nil
	created     bool       // something was created, although status is 200
	stream      *sseStream // instead of value and raw; the headers are sent together with its first bytes
}

func ok(value any) (httpResponse, error) {
	return httpResponse{status: http.StatusOK, value: value}, nil
}

func created(value any) (httpResponse, error) {
	return httpResponse{status: http.StatusCreated, value: value}, nil
}

// resultResponse returns the response for a value or error.
func resultResponse(status int, value any, err error) (httpResponse, error) {
	if err != nil {
		return httpResponse{}, err
	}
	return httpResponse{status: status, value: value}, nil
}

func okResult[T any](value T, err error) (httpResponse, error) {
	return resultResponse(http.StatusOK, value, err)
}

func createdResult[T any](value T, err error) (httpResponse, error) {
	return resultResponse(http.StatusCreated, value, err)
}

func acceptedResult[T any](value T, err error) (httpResponse, error) {
	return resultResponse(http.StatusAccepted, value, err)
}

func noContent(err error) (httpResponse, error) {
	return resultResponse(http.StatusNoContent, nil, err)
}

// list is the body of every list. Data is a slice, and not nil.
type list struct {
	Data       any     `json:"data"`
	NextCursor *string `json:"next_cursor"`
}

// listResult returns the response for a page of a list or an error. It is not generic, because the binary has a copy of a
// generic function for each type.
func listResult(rows any, next string, err error) (httpResponse, error) {
	l := list{Data: rows}
	if next != "" {
		l.NextCursor = &next
	}
	return resultResponse(http.StatusOK, l, err)
}

// pageResult returns the page that the request asks for, of a list of its organization.
func pageResult[T any](
	ctx context.Context, r *request, read func(context.Context, string, database.Page) ([]T, string, error),
) (httpResponse, error) {
	page, err := r.page()
	if err != nil {
		return httpResponse{}, err
	}
	return listResult(read(ctx, r.caller.OrganizationID, page))
}

// pageOf returns one page of a list that is already complete in memory.
func pageOf[T any](r *request, rows []T) (httpResponse, error) {
	page, err := r.page()
	if err != nil {
		return httpResponse{}, err
	}
	return listResult(database.PageOf(rows, page))
}

// problemResponse returns the response for a problem.
func (r *request) problemResponse(p *problem.Problem) httpResponse {
	r.noteProblem(p)
	header := map[string]string{}
	if p.IsFinal() {
		header["X-Should-Retry"] = "false"
	}
	if p.RetryAfter > 0 {
		header["Retry-After"] = strconv.Itoa(int(math.Ceil(p.RetryAfter.Seconds())))
		header["Retry-After-Ms"] = strconv.FormatInt(p.RetryAfter.Milliseconds(), 10)
	}
	if p.Status == http.StatusUnauthorized {
		header["WWW-Authenticate"] = `Bearer realm="kopeck"`
	}
	if p.Status == http.StatusServiceUnavailable {
		header["Connection"] = "close"
	}
	if r.api.anthropic() {
		return httpResponse{status: p.Status, header: header, value: p.Anthropic()}
	}
	return httpResponse{status: p.Status, header: header, value: p.Body()}
}

// noteProblem records a problem for the log and completes it. For a client's mistake it records only the code, because the
// message quotes the request.
func (r *request) noteProblem(p *problem.Problem) {
	r.record.status, r.record.code = p.Status, p.Detail.Code
	if p.Status >= http.StatusInternalServerError || p.Detail.Upstream != nil {
		r.record.err = p.Unwrap()
	}
	if p.Status == http.StatusInternalServerError {
		p.Detail.RequestID = r.record.id
	}
}

// write writes the response, but not the body of a stream. It drops headers whose value contains line breaks.
func (r *request) write(response httpResponse) {
	r.record.status = response.status
	out := &r.fast.Response
	out.SetStatusCode(response.status)
	if response.contentType != "" {
		out.Header.SetContentType(response.contentType)
	}
	for name, value := range response.header {
		if strings.ContainsAny(value, "\r\n") {
			continue
		}
		out.Header.Set(name, value)
	}
	switch {
	case response.stream != nil:
		return
	case response.raw != nil:
		out.SetBodyRaw(response.raw)
	case response.value != nil:
		text, err := json.Marshal(response.value)
		if err != nil { // a bug: one of our types cannot be encoded
			r.record.err = err
			r.record.status = http.StatusInternalServerError
			out.SetStatusCode(r.record.status)
			text = []byte(`{"detail":{"code":"INTERNAL","message":"The response could not be encoded.","hint":"Report the request id."}}`)
		}
		out.Header.SetContentType("application/json")
		out.SetBodyRaw(append(text, '\n'))
	}
}

// setCommonHeaders sets the headers that every response has.
func (s *Server) setCommonHeaders(fast *fasthttp.RequestCtx, requestID string) {
	fast.Response.Header.Set("X-Request-Id", requestID)
	fast.Response.Header.Set("X-Content-Type-Options", "nosniff")
	s.allowOrigin(fast)
}

// unreadable responds to a request that fasthttp could not read: too large, too slow, or not HTTP.
func (s *Server) unreadable(fast *fasthttp.RequestCtx, err error) {
	s.running.start()
	r := &request{fast: fast, route: &route{path: "(unreadable)"}}
	r.record = newRecord(r, s.cfg.Now())
	s.setCommonHeaders(fast, r.record.id)
	r.write(r.problemResponse(unreadableProblem(err).WithCause(err)))
	clients.Of(fast.Conn()).LingerOnClose()
	s.finish(r)
}
