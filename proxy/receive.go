package proxy

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/proxy/problem"
)

// The limits of bodies. A body is read only after the caller's permissions have been checked. Its buffer grows as data
// arrives, whatever length was announced.
const (
	maxBody       = 4 << 20  // for requests that this service reads itself
	maxPassedBody = 32 << 20 // for requests that are passed through

	// Reading a body may take bodyTime, plus bodyMegabyte for each MiB of the largest body that the route accepts, so that
	// clients with a slow connection can send photos.
	bodyTime     = 30 * time.Second
	bodyMegabyte = time.Second

	firstBuffer = 4 << 10
	// minReserved is the size up to which no memory is reserved for a body. A body of this size arrives together with the
	// headers, and the limit on connections covers it.
	minReserved = 16 << 10
	// slowBodyOverhead is reserved for a slow or long body in addition to its size. With it, the limit on body memory allows
	// only 340 slow bodies by default, which is less than the number of connections that one address may have. So slow senders
	// cannot block other clients.
	slowBodyOverhead = 128 << 10
)

// maxBodySize returns the largest body of the request, after unpacking.
func (s *Server) maxBodySize(r *request) int {
	if r.api != nil && !s.cfg.Models.Set().Empty() {
		return maxPassedBody
	}
	return maxBody
}

// receive reads the request's body into memory.
func (s *Server) receive(r *request) error {
	maxSize := s.maxBodySize(r)
	header := &r.fast.Request.Header
	if header.ContentLength() > maxSize {
		return tooLarge(maxSize)
	}
	limit := bodyTime + time.Duration(maxSize>>20)*bodyMegabyte
	if err := r.fast.Conn().SetReadDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	sent := r.fast.Request.BodyStream()
	from, expected := sent, header.ContentLength()
	if string(header.ContentEncoding()) == "gzip" {
		unpacked, err := gzip.NewReader(io.LimitReader(sent, int64(maxSize)+1))
		if err != nil {
			return bodyProblem(err, limit)
		}
		from, expected = unpacked, -1
	}
	body, err := s.readAll(r, from, expected, maxSize)
	if err != nil {
		return bodyProblem(err, limit)
	}
	// What is left of a packed body over the limit would be read as the next request.
	if n, err := io.ReadFull(sent, make([]byte, 1)); n > 0 {
		return tooLarge(maxSize)
	} else if !errors.Is(err, io.EOF) {
		return bodyProblem(err, limit)
	}
	if header.ContentLength() < 0 {
		if err := r.checkTrailers(); err != nil {
			return err
		}
	}
	r.fast.Request.SetBodyRaw(body)
	return nil
}

// unread reports whether part of the body may be unread.
func unread(fast *fasthttp.RequestCtx) bool {
	return fast.Request.IsBodyStream() && fast.Request.Header.ContentLength() != 0
}

// readAll reads the whole body. expected is its length in bytes; negative if unknown. The buffer is doubled when it is
// full. Memory is reserved for it once it is long or the body is slow.
func (s *Server) readAll(r *request, from io.Reader, expected, maxSize int) ([]byte, error) {
	size := firstBuffer
	if expected >= 0 {
		size = min(expected+1, minReserved) // one byte more than expected, to see the end without growing the buffer
	}
	body := newBuffer(size)
	for reads := 1; ; reads++ {
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case len(body) > maxSize:
			return nil, tooLarge(maxSize)
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, err
		}
		size := cap(body)
		if len(body) == size {
			if size = min(2*size, maxSize+1); expected >= 0 {
				size = min(size, expected+1)
			}
		}
		if size > minReserved || reads >= minReads {
			if err := s.bodyMemory.reserve(r, size+slowBodyOverhead); err != nil {
				return nil, err
			}
		}
		if size > cap(body) {
			body = append(newBuffer(size), body...)
		}
	}
}

// spareBuffers holds buffers of pass-through requests that have ended. With long prompts, reusing them saves most of the
// garbage collector's work.
var spareBuffers sync.Pool

// maxSpareBuffer is the largest buffer that is reused.
const maxSpareBuffer = 1 << 20

// newBuffer returns an empty buffer of the given capacity.
func newBuffer(size int) []byte {
	if size <= minReserved {
		return make([]byte, 0, size)
	}
	if spare, _ := spareBuffers.Get().(*[]byte); spare != nil && cap(*spare) >= size {
		return (*spare)[:0]
	}
	return make([]byte, 0, size)
}

// recycle lets other requests reuse the buffer of a pass-through request.
func recycle(body []byte) {
	if cap(body) > minReserved && cap(body) <= maxSpareBuffer {
		spareBuffers.Put(&body)
	}
}

// minReads is the number of reads for a body that arrived with its headers: fasthttp reads the first byte separately.
const minReads = 2

func tooLarge(maxSize int) *problem.Problem {
	return problem.New(http.StatusRequestEntityTooLarge, "REQUEST_TOO_LARGE",
		fmt.Sprintf("The body is over %d MiB.", maxSize>>20), "Send less at once.").
		InRussian(fmt.Sprintf("Запрос больше %d МиБ.", maxSize>>20), "Отправьте меньше за один раз.")
}
