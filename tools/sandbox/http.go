package sandbox

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// endpoint answers a call. An error must be a *refusal or a *redirect.
type endpoint func(*request) (any, error)

// Handler serves the API, both under the upstream's base path and without it.
func (s *Sandbox) Handler() http.Handler { return s.handler(s.limiter) }

// SeparatelyLimitedHandler serves the same account with a separate rate limiter: calls to it do not count for
// [Sandbox.Handler], and the other way round.
func (s *Sandbox) SeparatelyLimitedHandler() http.Handler {
	return s.handler(newLimiter(s.config.Unlimited))
}

func (s *Sandbox) handler(limiter *limiter) http.Handler {
	routes := s.routes()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, basePath), "/")
		s.serve(&recorder{ResponseWriter: w}, r, routes, limiter)
	})
}

// recorder records the status of the answer for the log.
type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// serve answers a call. It makes the checks in the order of the upstream: encoding, Accept, credentials, limits. Then
// it applies faults.
func (s *Sandbox) serve(w *recorder, r *http.Request, routes *http.ServeMux, limiter *limiter) {
	query, _ := parseQuery(r.URL.RawQuery) // if the query is invalid, [Sandbox.read] reports it
	call := Call{At: time.Now(), Method: r.Method, Path: r.URL.Path, Query: query, Units: s.units(r)}
	defer func() {
		call.Status = w.status
		s.faults.log(call)
	}()
	if err := s.checkRequest(r); err != nil {
		write(w, 0, nil, err)
		return
	}
	verdict := limiter.enter(call.At, call.Units)
	call.InFlight = verdict.inFlight
	verdict.setHeaders(w.Header())
	if verdict.code != 0 {
		call.InFlight--
		call.Code = verdict.code
		s.refuseRate(w, verdict)
		return
	}
	defer limiter.leave()
	if s.config.Latency > 0 {
		wait(r, s.config.Latency)
	}
	fault := s.faults.next(r.Method, r.URL.Path)
	if fault != nil {
		if fault.AfterApply {
			routes.ServeHTTP(&discard{header: http.Header{}}, r)
		}
		if fault.apply(w, r) {
			return
		}
	}
	routes.ServeHTTP(w, r)
}

// discard is a ResponseWriter that discards the answer.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header            { return d.header }
func (d *discard) WriteHeader(int)                {}
func (d *discard) Write(text []byte) (int, error) { return len(text), nil }

// errNoGzip is answered with 415 and an empty body.
var errNoGzip = errors.New("the caller does not accept gzip")

// headerCap limits the request line and the headers together, in bytes.
//
// Source: md/_restrictions.md.
const headerCap = 8 << 10

func headerSize(r *http.Request) int {
	size := len(r.RequestURI)
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(": \r\n") + len(value)
		}
	}
	return size
}

// checkRequest makes the checks that come before the rate limits. It also reads the body.
func (s *Sandbox) checkRequest(r *http.Request) error {
	if headerSize(r) > headerCap {
		return refuse(http.StatusRequestURITooLong, 0, "Слишком длинный запрос")
	}
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		return errNoGzip
	}
	if !s.acceptable(r.Header.Get("Accept")) {
		return refuse(http.StatusBadRequest, 1062, "Неверное значение заголовка 'Accept'. Допустимо 'application/json;charset=utf-8'")
	}
	if err := s.authenticate(r); err != nil {
		return err
	}
	// The body is read here, so that the lock is not held while a slow body arrives, and so that the context ends when the caller disconnects.
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil || len(body) > maxBody {
		return refuse(http.StatusRequestEntityTooLarge, 1044, "Размер тела запроса превышает 10 Мб")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

func (s *Sandbox) acceptable(accept string) bool {
	switch strings.ReplaceAll(strings.ToLower(accept), " ", "") {
	case "", "*/*", "application/json;charset=utf-8":
		return true
	}
	return false
}

// units returns how many units of the rate limit a call costs.
func (s *Sandbox) units(r *http.Request) int {
	if r.URL.Path == "/report/stock/all" || r.URL.Path == "/report/stock/bystore" {
		return stockUnits
	}
	return cmp.Or(s.config.UnitWeight, weightOn(s.config.Now()))
}

// setHeaders sets the rate limit headers. Times are in milliseconds. There is no header for the limit on calls in
// flight.
func (v verdict) setHeaders(h http.Header) {
	h.Set("X-RateLimit-Limit", strconv.Itoa(budget))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, v.remaining)))
	h.Set("X-Lognex-Retry-TimeInterval", strconv.FormatInt(window.Milliseconds(), 10))
	h.Set("X-Lognex-Reset", strconv.FormatInt(v.reset.Milliseconds(), 10))
	if v.code == 1049 {
		h.Set("X-Lognex-Retry-After", strconv.FormatInt(v.retry.Milliseconds()+1, 10))
	}
}

func (s *Sandbox) refuseRate(w *recorder, v verdict) {
	if s.config.RefusalsAreHTML {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, "<html><head><title>429 Too Many Requests</title></head>"+
			"<body><center><h1>429 Too Many Requests</h1></center><hr><center>nginx</center></body></html>")
		return
	}
	text := "Превышено ограничение на количество запросов в единицу времени"
	if v.code == 1073 {
		text = "Превышено ограничение на одновременное количество запросов"
	}
	write(w, 0, nil, refuse(http.StatusTooManyRequests, v.code, "%s", text))
}

// routes registers the API's paths.
func (s *Sandbox) routes() *http.ServeMux {
	mux := http.NewServeMux()
	read := func(pattern string, do endpoint) {
		mux.Handle("GET "+pattern, s.replayed(s.locked(s.mu.RLocker(), do)))
	}
	change := func(pattern string, do endpoint) {
		mux.Handle(pattern, s.locked(&s.mu, func(r *request) (any, error) {
			defer s.memo.clear()
			return do(r)
		}))
	}

	entityRoutes(read)
	s.contextRoutes(read)
	s.reportRoutes(read)
	s.writingRoutes(change)
	change("POST /security/token", s.issueToken)
	change("POST /report/counterparty", selectedCounterparties)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
			other := r.Clone(r.Context())
			other.Method = method
			if _, pattern := mux.Handler(other); pattern != "/" {
				write(w, 0, nil, refuse(http.StatusMethodNotAllowed, 1001, "Метод %s не поддерживается для пути %s", r.Method, r.URL.Path))
				return
			}
		}
		write(w, 0, nil, badPath(r.URL.Path))
	})
	return mux
}

// locked holds the lock while it computes and encodes the answer. It compresses and sends the answer without the lock.
func (s *Sandbox) locked(lock sync.Locker, do endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := buffers.Get().(*[]byte)
		defer buffers.Put(text)
		body, status, err := s.compute(lock, do, r, text)
		write(w, status, body, err)
	})
}

// buffers has buffers for answers, which take up to six megabytes.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func (s *Sandbox) compute(lock sync.Locker, do endpoint, r *http.Request, text *[]byte) (body []byte, status int, err error) {
	request, err := s.read(r)
	if err != nil {
		return nil, 0, err
	}
	lock.Lock()
	defer lock.Unlock()
	result, err := do(request)
	status = http.StatusOK
	if many, ok := result.(bulkAnswer); ok {
		result = many.results
		if many.failed && !s.config.BulkAlwaysOK {
			status = http.StatusBadRequest
		}
	}
	if err != nil || result == nil {
		return nil, status, err
	}
	if raw, ok := result.(json.RawMessage); ok {
		return raw, status, nil
	}
	body, err = appendJSON((*text)[:0], result)
	*text = body
	return body, status, err
}

// write sends a compressed body, or an error. If body is empty and err is nil, the answer has no body.
func write(w http.ResponseWriter, status int, body []byte, err error) {
	if moved, ok := errors.AsType[*redirect](err); ok {
		w.Header().Set("Location", moved.href)
		w.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	if err != nil {
		refused, ok := errors.AsType[*refusal](err)
		if !ok {
			w.WriteHeader(http.StatusUnsupportedMediaType)
			return
		}
		status = refused.status
		body, _ = appendJSON(nil, refused.body())
		if code := refused.errors[0].Code; status == http.StatusUnauthorized || status == http.StatusTooManyRequests {
			w.Header().Set("X-Lognex-Auth", strconv.Itoa(code))
		}
	}
	w.Header().Set("Content-Type", contentType)
	if len(body) == 0 {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	var packed bytes.Buffer
	zip := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(zip)
	zip.Reset(&packed)
	_, _ = zip.Write(body)
	_ = zip.Close()
	_, _ = w.Write(packed.Bytes())
}

const (
	contentType = "application/json;charset=utf-8"
	betaFeature = "X-Lognex-Remap-Beta-Feature"
)

// gzipWriters has writers for reuse, because each takes more than a megabyte.
var gzipWriters = sync.Pool{New: func() any {
	packer, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	return packer
}}
