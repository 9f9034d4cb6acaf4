package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/schemas/wire"
)

// Reply is a provider's answer while it is being received. It is not safe for concurrent use. When its context ends,
// reading fails.
type Reply struct {
	client   *Client
	ctx      context.Context
	call     *wire.Call
	response *fasthttp.Response
	stale    bool // the provider had closed the reused connection before it answered
	streamed bool
	sent     bool      // the request was sent completely
	begun    bool      // some of the answer has arrived
	headed   bool      // the headers have been read
	heard    time.Time // when data last arrived
	body     *[]byte   // the body, if the answer is not streamed
	room     func(bytes int) error
}

func (r *Reply) send(c Call) error {
	p := r.client
	head := p.heads[c.Path].Get().(*fasthttp.RequestHeader)
	defer p.heads[c.Path].Put(head)
	length := 0
	for _, part := range c.Body {
		length += len(part)
	}
	head.SetContentLength(length)
	if c.ContentType != "" || len(c.Headers) > 0 {
		own := &fasthttp.RequestHeader{}
		head.CopyTo(own)
		head = own
		head.SetContentType(cmp.Or(c.ContentType, "application/json"))
		for name, value := range c.Headers {
			head.Set(name, value)
		}
	}
	_ = r.call.Conn.SetWriteDeadline(time.Now().Add(p.target.Silence)) // if this fails, the write fails too
	err := r.call.Send(head, c.Body...)
	r.heard = time.Now() // the time limit for silence starts now
	if err != nil {
		return r.noAnswerError(err)
	}
	r.sent = true
	return nil
}

// silenceLeft returns how much longer the provider may send nothing.
func (r *Reply) silenceLeft() time.Duration {
	if first := r.client.target.FirstByte; first > 0 && !r.begun {
		return first - time.Since(r.heard)
	}
	return r.client.target.Silence - time.Since(r.heard)
}

// noAnswerError returns the error for a request that received no answer.
func (r *Reply) noAnswerError(err error) error {
	r.stale = r.call.Reused && !errors.Is(err, os.ErrDeadlineExceeded)
	return r.client.failure(r.ctx, err)
}

// readFirst reads the headers of a streamed answer, if they arrive within the given time. If the answer is not
// streamed, it reads all of it.
func (r *Reply) readFirst(within time.Duration) error {
	if r.streamed {
		if there, err := r.Wait(within); err != nil || !there {
			return err
		}
	}
	return r.readHead()
}

// Wait waits at most the time most. It reports whether some of the answer has arrived. It returns an error if the
// provider has sent nothing for too long.
func (r *Reply) Wait(most time.Duration) (bool, error) {
	if r.call.Reader.Buffered() > 0 {
		return true, nil
	}
	left := r.silenceLeft()
	_ = r.call.Conn.SetReadDeadline(time.Now().Add(min(most, left))) // if this fails, the read fails too
	_, err := r.call.Reader.Peek(1)
	switch {
	case err == nil, errors.Is(err, io.EOF):
		r.heard, r.begun = time.Now(), true
		return true, nil
	case r.ctx.Err() == nil && errors.Is(err, os.ErrDeadlineExceeded) && most < left:
		return false, nil
	}
	return false, r.noAnswerError(err)
}

// readHead reads the headers. If the answer is not streamed, it also reads the body. If the status is an error, it
// returns an error.
func (r *Reply) readHead() error {
	_ = r.call.Conn.SetReadDeadline(time.Now().Add(r.silenceLeft()))
	if _, err := r.call.Reader.Peek(1); err != nil {
		return r.noAnswerError(fmt.Errorf("read the model's answer: %w", err))
	}
	r.begun = true
	_ = r.call.Conn.SetReadDeadline(time.Now().Add(r.client.target.Silence))
	if err := r.call.ReadHeaders(); err != nil {
		return r.client.failure(r.ctx, fmt.Errorf("read the model's answer: %w", err))
	}
	r.headed = true
	ok := r.response.StatusCode() == http.StatusOK
	if !r.streamed || !ok || !isStream(r.ContentType()) {
		if err := r.readWhole(); err != nil {
			return err
		}
		r.streamed = false
		r.call.Release()
	}
	if !ok {
		return r.readRefusal()
	}
	return nil
}

const (
	// firstBody is the initial size of a buffer.
	firstBody = 16 << 10
	// uncounted is the size in bytes up to which [Call.Reserve] is not called. Most answers are smaller.
	uncounted = 64 << 10
)

// spare has buffers for reuse.
var spare = sync.Pool{New: func() any {
	b := make([]byte, 0, firstBody)
	return &b
}}

// readWhole reads a body that is not streamed. Its buffer grows with the data that arrives, not with the announced
// length.
func (r *Reply) readWhole() error {
	r.body = spare.Get().(*[]byte)
	body := (*r.body)[:0]
	for more := true; more; {
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
		n, err := r.call.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if len(body) > maxAnswerBytes { // the rest must not be read as the answer to the next request
			err = fasthttp.ErrBodyTooLarge
		}
		if more = err == nil; !more && !errors.Is(err, io.EOF) {
			return r.client.failure(r.ctx, fmt.Errorf("read the model's answer: %w", err))
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

func (r *Reply) readRefusal() error {
	h := http.Header{}
	for name, value := range r.response.Header.All() {
		h.Set(string(name), string(value))
	}
	failure := statusError(r.response.StatusCode(), h, r.response.Body())
	failure.Message = r.client.redacted(failure.Message)
	return failure
}

// finish waits briefly for the end of a stream after the answer is complete, because a connection can be reused only if
// everything has been read. Usually there is nothing left to read.
func (r *Reply) finish() {
	if !r.streamed {
		return
	}
	_ = r.call.Conn.SetReadDeadline(time.Now().Add(afterEnd))
	_, _ = io.CopyN(io.Discard, r.call, maxErrorBytes)
}

// Buffered reports whether data has been received that has not been read yet.
func (r *Reply) Buffered() bool { return r.call.Reader != nil && r.call.Reader.Buffered() > 0 }

// ContentType returns the Content-Type of the answer. It returns "" if the headers have not arrived yet.
func (r *Reply) ContentType() string {
	if !r.headed {
		return ""
	}
	return string(r.response.Header.ContentType())
}

// Streamed reports whether the answer must be read as a stream. It can change from true to false when the headers
// arrive, because some servers do not stream although a stream was requested.
func (r *Reply) Streamed() bool { return r.streamed }

// Body returns the whole body of an answer that is not streamed. It is valid until the reply is closed, even if the
// context has ended.
func (r *Reply) Body() []byte { return r.response.Body() }

// Read reads a streamed body. Call it after [Reply.Wait] has returned true. It returns an error if the body is
// incomplete.
func (r *Reply) Read(p []byte) (int, error) {
	if !r.headed {
		if err := r.readHead(); err != nil {
			return 0, err
		}
		if !r.streamed {
			return 0, &Error{Status: http.StatusOK, Message: "the provider did not stream its answer"}
		}
	}
	_ = r.call.Conn.SetReadDeadline(time.Now().Add(r.client.target.Silence))
	n, err := r.call.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.client.failure(r.ctx, err)
	}
	return n, err
}

// Close ends the request. The connection is reused only if the answer was read to its end; otherwise it is closed.
func (r *Reply) Close() error {
	r.call.Close()
	if r.body != nil && cap(*r.body) <= uncounted {
		spare.Put(r.body)
	}
	r.body = nil
	return nil
}
