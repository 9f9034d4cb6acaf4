package moysklad

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// head is what is read of an answer's head.
type head struct {
	status      int
	contentType string
	location    string
	packed      bool // with gzip

	length  int64 // of the body; -1 if it is not told
	chunked bool  // the body is in chunks, of which the last is empty
	last    bool  // the upstream closes the connection after it

	limit, left int           // units of the upstream's budget; -1 if it does not say
	retryAfter  time.Duration // what a refusal asks for; 0 if it asks for nothing
}

// Bounds of a head. Lines are read within the connection's buffer.
const (
	longestLine = 8 << 10
	maxHead     = 64 << 10 // of all heads together, should there be others before the answer's (1xx)
)

var errHead = errors.New("the answer is not HTTP/1.1 as it should be")

// headReader reads heads and trailers. It is stricter than most: where two readers could disagree about where an answer
// ends, there is none.
type headReader struct {
	*bufio.Reader
	left int // bytes that may yet be read
}

// head reads the head of an answer, and those before it that only announce it.
func (r *headReader) head() (h head, err error) {
	for h.status < http.StatusOK {
		h = head{length: -1, limit: -1, left: -1}
		if err = r.one(&h); err != nil {
			return head{}, err
		}
	}
	if h.status == http.StatusNoContent || h.status == http.StatusNotModified {
		h.length, h.chunked = 0, false
	}
	return h, nil
}

// one reads a head with its fields.
func (r *headReader) one(h *head) error {
	line, err := r.line()
	if err != nil {
		return err
	}
	if err := h.begin(line); err != nil {
		return err
	}
	unchunked := h.last // in HTTP/1.0 there were no chunks
	if err := r.fields(h.field); err != nil {
		return err
	}
	if h.chunked && (unchunked || h.length >= 0) {
		return fmt.Errorf("%w: it tells two ends", errHead)
	}
	return nil
}

// fields reads the fields of a head or trailer, up to the empty line behind them. Names are in small letters; they and values
// are good until the next one is read.
func (r *headReader) fields(take func(name, value []byte) error) error {
	for {
		line, err := r.line()
		if err != nil || len(line) == 0 {
			return err
		}
		name, value, found := bytes.Cut(line, []byte(":"))
		if !found || !lowered(name) || slices.ContainsFunc(value, isControl) {
			return fmt.Errorf("%w: a malformed field", errHead)
		}
		if err := take(name, bytes.Trim(value, " \t")); err != nil {
			return err
		}
	}
}

// line reads a line, which is good until the next one is read.
func (r *headReader) line() ([]byte, error) {
	line, err := r.ReadSlice('\n')
	r.left -= len(line)
	switch {
	case errors.Is(err, bufio.ErrBufferFull), r.left < 0:
		return nil, fmt.Errorf("%w: its head is too long", errHead)
	case errors.Is(err, io.EOF):
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	}
	line, found := bytes.CutSuffix(line, []byte("\r\n"))
	if !found {
		return nil, fmt.Errorf("%w: a line without its end", errHead)
	}
	return line, nil
}

// begin reads the first line: HTTP/1.1 200 OK.
func (h *head) begin(line []byte) error {
	version, rest, _ := bytes.Cut(line, []byte(" "))
	code, _, _ := bytes.Cut(rest, []byte(" "))
	status, known := number(code)
	if !known || len(code) != 3 || status < http.StatusContinue || slices.ContainsFunc(line, isControl) {
		return fmt.Errorf("%w: no status", errHead)
	}
	switch string(version) {
	case "HTTP/1.1":
	case "HTTP/1.0":
		h.last = true
	default:
		return fmt.Errorf("%w: another version", errHead)
	}
	h.status = int(status)
	return nil
}

// field takes what a field tells, if it is one of those that matter.
func (h *head) field(name, value []byte) error {
	switch string(name) {
	case "content-length":
		length, known := number(value)
		if !known || h.length >= 0 {
			return fmt.Errorf("%w: no length", errHead)
		}
		h.length = length
	case "transfer-encoding":
		if h.chunked || !strings.EqualFold(string(value), "chunked") {
			return fmt.Errorf("%w: an unknown transfer encoding", errHead)
		}
		h.chunked = true
	case "connection":
		for option := range bytes.SplitSeq(value, []byte(",")) {
			h.last = h.last || strings.EqualFold(string(bytes.TrimSpace(option)), "close")
		}
	case "content-type":
		h.contentType = string(value)
	case "content-encoding":
		h.packed = strings.EqualFold(string(value), "gzip")
	case "location":
		h.location = string(value)
	case "x-ratelimit-limit":
		h.limit = units(value)
	case "x-ratelimit-remaining":
		h.left = units(value)
	case "x-lognex-retry-after":
		if wait, known := number(value); known {
			h.retryAfter = time.Duration(min(wait, longestHold.Milliseconds())) * time.Millisecond // more might not fit
		}
	}
	return nil
}

// units is a number of units, or -1.
func units(value []byte) int {
	if n, known := number(value); known {
		return int(n)
	}
	return -1
}

// mostDigits is how many digits surely fit.
const mostDigits = 18

// number reads digits and nothing else.
func number(digits []byte) (n int64, ok bool) {
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, 0 < len(digits) && len(digits) <= mostDigits
}

// lowered makes small letters of a field's name; false if it is none.
func lowered(name []byte) bool {
	for i, c := range name {
		switch {
		case 'A' <= c && c <= 'Z':
			name[i] = c - 'A' + 'a'
		case 'a' <= c && c <= 'z', c == '-', '0' <= c && c <= '9', strings.IndexByte("!#$%&'*+.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return len(name) > 0
}

// isControl says that a character has no place in a line; tabs have.
func isControl(c byte) bool { return c < ' ' && c != '\t' || c == 0x7f }
