package moysklad

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/schemas/wire"
)

// response is the upstream's response to a call: the headers that we use, and the unpacked body, which can be read once.
type response struct {
	status      int
	contentType string
	location    string
	limit, left int           // units of the upstream's budget; -1 if unknown
	retryAfter  time.Duration // requested by a refusal; 0 if none

	call    *wire.Call
	arrival *time.Timer   // reports the call as arrived after lateArrival
	packed  *unpackedBody // nil if the body is not compressed
	bound   int64         // bytes that may still be read
	ended   bool          // read to the end, or failed
	err     error         // why reading failed; nil at the end of the body
}

// readHeaders stores the headers that we use.
func (a *response) readHeaders() {
	h := &a.call.Response.Header
	a.status, a.contentType, a.location = h.StatusCode(), string(h.ContentType()), string(h.Peek(fasthttp.HeaderLocation))
	a.limit, a.left = headerNumber(h.Peek("X-RateLimit-Limit")), headerNumber(h.Peek("X-RateLimit-Remaining"))
	if wait := headerNumber(h.Peek("X-Lognex-Retry-After")); wait > 0 {
		a.retryAfter = time.Duration(min(wait, int(longestHold.Milliseconds()))) * time.Millisecond // a larger number could overflow
	}
	if strings.EqualFold(string(h.ContentEncoding()), "gzip") {
		a.packed = &unpackedBody{packed: a.call}
	}
}

// headerNumber parses a number in a header. It returns -1 if there is none.
func headerNumber(text []byte) int {
	if n, err := fasthttp.ParseUint(text); err == nil {
		return n
	}
	return -1
}

// Maximum sizes of unpacked answers, in bytes. Two megabytes of gzip can unpack to two gigabytes.
const (
	answerCap  = 16 << 20  // of one object; a document with a thousand lines takes 1 MiB
	pageCap    = 64 << 20  // of a page of at most 1000 rows
	currentCap = 512 << 20 // of the short stock report, decoded as it arrives; [maxReportBytes] limits its rows
	rawCap     = 32 << 20  // of an answer that is passed on unchanged
	errorCap   = 256 << 10 // of an error
	drainCap   = 64 << 10  // read and discarded at the end, to keep the connection
)

var errTooLarge = errors.New("the answer is larger than this client reads")

// Read reads the body. It returns io.EOF only if the body is complete, and nothing beyond the bound. An error comes
// without data and is repeated by later calls, because decoders use the data of a read and may ignore its error.
func (a *response) Read(p []byte) (int, error) {
	switch {
	case a.err != nil:
		return 0, a.err
	case a.ended:
		return 0, io.EOF
	}
	var body io.Reader = a.call
	if a.packed != nil {
		body = a.packed
	}
	n, err := body.Read(p[:min(int64(len(p)), a.bound+1)])
	if a.bound -= int64(n); a.bound < 0 {
		err = errTooLarge
	}
	if err == nil {
		return n, nil
	}
	if a.ended = true; errors.Is(err, io.EOF) {
		return n, io.EOF
	}
	a.err = err
	return 0, err
}

// close releases the connection and must be called once.
func (a *response) close() {
	if !a.ended {
		_, _ = io.CopyN(io.Discard, a, drainCap)
	}
	if a.packed != nil {
		a.packed.close()
	}
	a.arrival.Stop()
	a.call.Close()
}
