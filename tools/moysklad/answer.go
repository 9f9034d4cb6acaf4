package moysklad

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/schemas/wire"
)

// answer is the upstream's answer to a call: what is used of its head and, to be read once, its body, unpacked.
type answer struct {
	status      int
	contentType string
	location    string
	limit, left int           // units of the upstream's budget; -1 if it does not say
	retryAfter  time.Duration // what a refusal asks for; 0 if it asks for nothing

	call    *wire.Call
	arrival *time.Timer   // tells the pace that the call has surely arrived
	packed  *unpackedBody // nil if it is not packed
	bound   int64         // how many bytes of it may yet be read
	ended   bool          // it was read to the end, or cannot be read any more
	err     error         // why not; nil at the end
}

// begin takes what is used of the head.
func (a *answer) begin() {
	h := &a.call.Response.Header
	a.status, a.contentType, a.location = h.StatusCode(), string(h.ContentType()), string(h.Peek(fasthttp.HeaderLocation))
	a.limit, a.left = number(h.Peek("X-RateLimit-Limit")), number(h.Peek("X-RateLimit-Remaining"))
	if wait := number(h.Peek("X-Lognex-Retry-After")); wait > 0 {
		a.retryAfter = time.Duration(min(wait, int(longestHold.Milliseconds()))) * time.Millisecond // more might not fit
	}
	if strings.EqualFold(string(h.ContentEncoding()), "gzip") {
		a.packed = &unpackedBody{packed: a.call}
	}
}

// number reads a number of a header; -1 if there is none.
func number(text []byte) int {
	if n, err := fasthttp.ParseUint(text); err == nil {
		return n
	}
	return -1
}

// Bounds of an answer, in bytes and unpacked. Two megabytes of gzip may hold two gigabytes.
const (
	answerCap  = 16 << 20  // of one thing: a document with a thousand lines takes one
	pageCap    = 64 << 20  // of a page of at most 1000 rows
	currentCap = 512 << 20 // of the short report of a whole account, which is not kept as text: [mostHeld] bounds its rows
	rawCap     = 32 << 20  // of one that is handed on as it is
	errorCap   = 256 << 10 // of one that is an error
	drainCap   = 64 << 10  // read past what was needed, so that the connection can be kept
)

var errTooLarge = errors.New("the answer is larger than this client reads")

// Read reads the body. It ends with io.EOF only when all of it was there. Nothing is given past the bound, and an error
// comes without bytes, and again each time: decoders take what they get and do not look at the error beside it.
func (a *answer) Read(p []byte) (int, error) {
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

// close is called in the end.
func (a *answer) close() {
	if !a.ended {
		_, _ = io.CopyN(io.Discard, a, drainCap)
	}
	if a.packed != nil {
		a.packed.close()
	}
	a.arrival.Stop()
	a.call.Close()
}
