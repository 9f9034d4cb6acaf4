package provider

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// Reply is a provider's answer while it is being received. It is not safe for concurrent use. It ends with its context.
type Reply struct {
	plain    *Plain
	ctx      context.Context
	conn     net.Conn
	reader   *bufio.Reader
	response *fasthttp.Response
	used     bool // conn was used before
	stale    bool // conn was used before and closed before an answer
	streamed bool
	sent     bool      // the whole request was sent
	begun    bool      // a part of the answer has arrived
	headed   bool      // the headers have been read
	whole    bool      // the whole answer has been read
	heard    time.Time // time of the last data
	body     *[]byte   // of an answer that is not streamed
	room     func(bytes int) error
	uncut    func() bool
	giveBack func(whole bool)
}

func (r *Reply) send(c Call) error {
	p := r.plain
	head := p.heads[c.Path].Get().(*fasthttp.RequestHeader)
	defer p.heads[c.Path].Put(head)
	length := 0
	for _, part := range c.Body {
		length += len(part)
	}
	head.SetContentLength(length)
	if c.Kind != "" || len(c.Headers) > 0 {
		own := &fasthttp.RequestHeader{}
		head.CopyTo(own)
		head = own
		head.SetContentType(cmp.Or(c.Kind, "application/json"))
		for name, value := range c.Headers {
			head.Set(name, value)
		}
	}
	_ = r.conn.SetWriteDeadline(time.Now().Add(p.target.Silence)) // fails only on a closed connection, and then the write fails too
	writer := p.host.AcquireWriter(r.conn)
	err := head.Write(writer)
	for _, part := range c.Body {
		if err == nil {
			_, err = writer.Write(part)
		}
	}
	if err == nil {
		err = writer.Flush()
	}
	p.host.ReleaseWriter(writer)
	r.heard = time.Now() // the provider's time starts now
	if err != nil {
		return r.unanswered(err)
	}
	r.sent = true
	return nil
}

// patience is how much longer the provider may send nothing.
func (r *Reply) patience() time.Duration {
	if first := r.plain.target.FirstByte; first > 0 && !r.begun {
		return first - time.Since(r.heard)
	}
	return r.plain.target.Silence - time.Since(r.heard)
}

// unanswered returns the error of a request that got no answer.
func (r *Reply) unanswered(err error) error {
	r.stale = r.used && !errors.Is(err, os.ErrDeadlineExceeded)
	return r.plain.broken(r.ctx, err)
}

// first reads the headers of a streamed answer if they arrive in time, or the whole of another answer.
func (r *Reply) first(within time.Duration) error {
	if r.streamed {
		if there, err := r.Wait(within); err != nil || !there {
			return err
		}
	}
	return r.head()
}

// Wait waits up to most and reports whether a part of the answer has arrived. It returns an error if the provider has
// sent nothing for too long.
func (r *Reply) Wait(most time.Duration) (bool, error) {
	if r.reader.Buffered() > 0 {
		return true, nil
	}
	left := r.patience()
	_ = r.conn.SetReadDeadline(time.Now().Add(min(most, left))) // fails only on a closed connection, and then the read fails too
	_, err := r.reader.Peek(1)
	switch {
	case err == nil, errors.Is(err, io.EOF):
		r.heard, r.begun = time.Now(), true
		return true, nil
	case r.ctx.Err() == nil && errors.Is(err, os.ErrDeadlineExceeded) && most < left:
		return false, nil
	}
	return false, r.unanswered(err)
}

// head reads the headers, and the body too if it is not streamed. An error status becomes an error.
func (r *Reply) head() error {
	_ = r.conn.SetReadDeadline(time.Now().Add(r.patience()))
	r.response.StreamBody = true // to read the headers before the body
	if _, err := r.reader.Peek(1); err != nil {
		return r.unanswered(fmt.Errorf("read the model's answer: %w", err))
	}
	r.begun = true
	_ = r.conn.SetReadDeadline(time.Now().Add(r.plain.target.Silence))
	if err := r.response.ReadLimitBody(r.reader, maxAnswerBytes); err != nil {
		return r.plain.broken(r.ctx, fmt.Errorf("read the model's answer: %w", err))
	}
	r.headed = true
	ok := r.response.StatusCode() == http.StatusOK
	if !r.streamed || !ok || !isStream(r.ContentType()) {
		if err := r.readWhole(); err != nil {
			return err
		}
		r.streamed, r.whole = false, true
		r.hangUp()
	}
	if !ok {
		return r.refusal()
	}
	return nil
}

const (
	// firstBody is the initial size of a buffer.
	firstBody = 16 << 10
	// uncounted is the size of ordinary answers, for which [Call.Room] is not called.
	uncounted = 64 << 10
)

// spare has buffers for reuse.
var spare = sync.Pool{New: func() any {
	b := make([]byte, 0, firstBody)
	return &b
}}

// readWhole reads a body that is not streamed. Its buffer grows with the received data, not with the announced length.
func (r *Reply) readWhole() error {
	r.body = spare.Get().(*[]byte)
	body, from := (*r.body)[:0], r.response.BodyStream()
	for more := from != nil; more; { // some answers have no body
		if len(body) == cap(body) {
			size := min(2*cap(body), maxAnswerBytes+1)
			if length := r.response.Header.ContentLength(); length > len(body) {
				size = min(size, length+1)
			}
			if r.room != nil && size > uncounted {
				if err := r.room(size); err != nil {
					return err
				}
			}
			body = append(make([]byte, 0, size), body...)
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if len(body) > maxAnswerBytes { // the rest must not be read as the next answer
			err = fasthttp.ErrBodyTooLarge
		}
		if more = err == nil; !more && !errors.Is(err, io.EOF) {
			return r.plain.broken(r.ctx, fmt.Errorf("read the model's answer: %w", err))
		}
	}
	*r.body = body
	r.response.SetBodyRaw(body)
	return nil
}

func isStream(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	return kind == "text/event-stream"
}

func (r *Reply) refusal() error {
	h := http.Header{}
	for name, value := range r.response.Header.All() {
		h.Set(string(name), string(value))
	}
	failure := refused(r.response.StatusCode(), h, r.response.Body())
	failure.Message = r.plain.redacted(failure.Message)
	return failure
}

// finish waits briefly for the end of a stream whose answer is complete, because a connection can only be reused if
// nothing is left to read. Usually nothing is.
func (r *Reply) finish() {
	if !r.streamed {
		return
	}
	_ = r.conn.SetReadDeadline(time.Now().Add(afterEnd))
	_, err := io.CopyN(io.Discard, r.response.BodyStream(), maxErrorBytes)
	r.whole = errors.Is(err, io.EOF)
}

// Buffered reports whether received data has not been read yet.
func (r *Reply) Buffered() bool { return r.reader != nil && r.reader.Buffered() > 0 }

// ContentType returns the provider's content type, or "" before its headers have arrived.
func (r *Reply) ContentType() string {
	if !r.headed {
		return ""
	}
	return string(r.response.Header.ContentType())
}

// Streamed reports whether the answer is to be read as a stream, as far as is known. It becomes false if the server
// answers without a stream although one was requested.
func (r *Reply) Streamed() bool { return r.streamed }

// Body returns the whole of an answer that is not streamed. It does not depend on the context, and is valid until the
// reply is closed.
func (r *Reply) Body() []byte { return r.response.Body() }

// Read reads a streamed body. Call it after [Reply.Wait] has returned true. It returns an error if the body is
// incomplete.
func (r *Reply) Read(p []byte) (int, error) {
	if !r.headed {
		if err := r.head(); err != nil {
			return 0, err
		}
		if !r.streamed {
			return 0, &Error{Message: "the provider did not stream its answer"}
		}
	}
	_ = r.conn.SetReadDeadline(time.Now().Add(r.plain.target.Silence))
	n, err := r.response.BodyStream().Read(p)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		r.whole = true
		return n, io.EOF
	}
	return n, r.plain.broken(r.ctx, err)
}

// Close ends the request. It closes the connection unless the answer was read to its end.
func (r *Reply) Close() error {
	r.hangUp()
	fasthttp.ReleaseResponse(r.response)
	if r.body != nil && cap(*r.body) <= uncounted {
		spare.Put(r.body)
	}
	r.body = nil
	return nil
}

// hangUp releases the connection once.
func (r *Reply) hangUp() {
	if r.reader == nil {
		return
	}
	whole := r.uncut() && r.whole && !r.response.ConnectionClose()
	r.plain.host.ReleaseReader(r.reader)
	r.reader = nil
	r.giveBack(whole)
}
