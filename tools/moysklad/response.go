package moysklad

import (
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/schemas/wire"
)

// response is an answer of the upstream: the headers that this package uses, and the unpacked body, which can be read
// once.
type response struct {
	path        string // of the request
	status      int
	contentType string
	location    string
	limit, left int           // units of the upstream's budget; -1 if unknown
	retryAfter  time.Duration // waiting time that a refusal requests; 0 if none

	call    *wire.Call
	arrival *time.Timer // after lateArrival, reports to the pace that the call has arrived
	body    io.Reader   // the body, unpacked
	bound   int64       // bytes that may still be read
	ended   bool        // the body was read to the end, or reading failed
	err     error       // why reading failed; nil at the end of the body
}

// readHeaders decodes the headers that this package uses.
func (r *response) readHeaders() {
	h := &r.call.Response.Header
	r.status, r.contentType, r.location = h.StatusCode(), string(h.ContentType()), string(h.Peek(fasthttp.HeaderLocation))
	r.limit, r.left = headerNumber(h.Peek("X-RateLimit-Limit")), headerNumber(h.Peek("X-RateLimit-Remaining"))
	if wait := headerNumber(h.Peek("X-Lognex-Retry-After")); wait > 0 {
		r.retryAfter = time.Duration(min(wait, int(longestHold.Milliseconds()))) * time.Millisecond // a larger number could overflow
	}
	r.body = r.call
	if strings.EqualFold(string(h.ContentEncoding()), "gzip") {
		r.body = &unpackedBody{packed: r.call}
	}
}

// unpackedBody unpacks a body while it is read. Its gzip reader is created by the first read, because it begins to read the
// body at once.
type unpackedBody struct {
	packed io.Reader
	reader *gzip.Reader
}

func (b *unpackedBody) Read(p []byte) (n int, err error) {
	if b.reader == nil {
		if b.reader, err = gzip.NewReader(b.packed); err != nil {
			return 0, err
		}
	}
	return b.reader.Read(p)
}

// headerNumber parses a number in a header. It returns -1 if the header has none.
func headerNumber(text []byte) int {
	if n, err := fasthttp.ParseUint(text); err == nil {
		return n
	}
	return -1
}

// Maximum sizes of unpacked answers, in bytes. They are needed because two megabytes of gzip can unpack to two
// gigabytes.
const (
	answerCap  = 16 << 20  // of one object; a document with a thousand lines takes 1 MiB
	pageCap    = 64 << 20  // of a page of at most 1000 rows
	currentCap = 512 << 20 // of the short stock report, decoded as it arrives; [maxReportBytes] limits its rows
	rawCap     = 32 << 20  // of an answer that is passed on unchanged
	errorCap   = 256 << 10 // of an error
	drainCap   = 64 << 10  // at the end, this much is read and discarded, so that the connection can be reused
)

// Read reads the body, up to the bound. It returns io.EOF only if the body is complete. Some decoders use the data of a
// read and ignore its error, so an error comes without data, and later calls return it again.
func (r *response) Read(p []byte) (int, error) {
	switch {
	case r.err != nil:
		return 0, r.err
	case r.ended:
		return 0, io.EOF
	}
	n, err := r.body.Read(p[:min(int64(len(p)), r.bound+1)])
	if r.bound -= int64(n); r.bound < 0 {
		err = ErrTooLarge
	}
	if err == nil {
		return n, nil
	}
	if r.ended = true; errors.Is(err, io.EOF) {
		return n, io.EOF
	}
	r.err = err
	return 0, err
}

// close releases the connection and must be called once.
func (r *response) close() {
	if !r.ended {
		_, _ = io.CopyN(io.Discard, r, drainCap)
	}
	r.arrival.Stop()
	r.call.Close()
}
