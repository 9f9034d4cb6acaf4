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

// Reply is a provider's answer while it comes. It is for one goroutine; the end of the context cuts it off.
type Reply struct {
	plain    *Plain
	ctx      context.Context
	conn     net.Conn
	reader   *bufio.Reader
	response *fasthttp.Response
	used     bool // conn has served another request
	stale    bool // and was closed before anything of this one's answer came
	streamed bool
	sent     bool      // the provider has got the whole request
	begun    bool      // something of it has come
	headed   bool      // the head has been read
	whole    bool      // all of it has
	heard    time.Time // when something came last
	body     *[]byte   // of an answer that is not streamed
	room     func(bytes int) error
	uncut    func() bool
	giveBack func(whole bool)
}

// send hands the request over to the provider.
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
	_ = r.conn.SetWriteDeadline(time.Now().Add(p.target.Silence)) // fails only on a closed connection, as the writing will
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
	r.heard = time.Now() // now it is the provider's turn
	if err != nil {
		return r.unanswered(err)
	}
	r.sent = true
	return nil
}

// patience is how long the provider may still be silent.
func (r *Reply) patience() time.Duration {
	if first := r.plain.target.FirstByte; first > 0 && !r.begun {
		return first - time.Since(r.heard)
	}
	return r.plain.target.Silence - time.Since(r.heard)
}

// unanswered is the error of a request of whose answer nothing has come.
func (r *Reply) unanswered(err error) error {
	r.stale = r.used && !errors.Is(err, os.ErrDeadlineExceeded)
	return r.plain.broken(r.ctx, err)
}

// first reads the head of a streamed answer if it comes within that time, or all of another.
func (r *Reply) first(within time.Duration) error {
	if r.streamed {
		if there, err := r.Wait(within); err != nil || !there {
			return err
		}
	}
	return r.head()
}

// Wait tells whether something of the answer has come, waiting for it so long. When the provider has been silent for
// longer than it may be, that is an error.
func (r *Reply) Wait(most time.Duration) (bool, error) {
	if r.reader.Buffered() > 0 {
		return true, nil
	}
	left := r.patience()
	_ = r.conn.SetReadDeadline(time.Now().Add(min(most, left))) // fails only on a closed connection, as the read will
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

// head reads what comes before a streamed body, or all of an answer that is not streamed. A refusal becomes an error.
func (r *Reply) head() error {
	_ = r.conn.SetReadDeadline(time.Now().Add(r.patience()))
	r.response.StreamBody = true // to see the head before there is a body in memory
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
	// firstBody is how much room a whole answer gets at first.
	firstBody = 16 << 10
	// uncounted answers are as usual, and no more than one a request.
	uncounted = 64 << 10
)

// spare buffers are of answers that are over.
var spare = sync.Pool{New: func() any {
	b := make([]byte, 0, firstBody)
	return &b
}}

// readWhole reads a body that is not handed on as it comes. Its buffer grows with what has come, not with what was announced.
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
		if len(body) > maxAnswerBytes { // the rest would be taken for the next answer
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

// finish waits a moment for the end of a stream whose answer is whole: only when nothing is left to read does the
// connection serve another request. Mostly it is nothing that is left.
func (r *Reply) finish() {
	if !r.streamed {
		return
	}
	_ = r.conn.SetReadDeadline(time.Now().Add(afterEnd))
	_, err := io.CopyN(io.Discard, r.response.BodyStream(), maxErrorBytes)
	r.whole = errors.Is(err, io.EOF)
}

// Buffered tells whether more has come than has been read.
func (r *Reply) Buffered() bool { return r.reader != nil && r.reader.Buffered() > 0 }

// ContentType is the provider's, empty while its head has not come.
func (r *Reply) ContentType() string {
	if !r.headed {
		return ""
	}
	return string(r.response.Header.ContentType())
}

// Streamed tells that the answer is to be read, as far as is known. Some servers answer whole though a stream was asked
// for, and then it is false.
func (r *Reply) Streamed() bool { return r.streamed }

// Body is all of an answer that is not streamed, which the end of the context does not cut off any more. It is valid until
// the reply is closed.
func (r *Reply) Body() []byte { return r.response.Body() }

// Read gives what comes of a streamed body. Call it when [Reply.Wait] has said that something is there. The end of a body
// that is not whole is an error.
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

// Close ends the request. The provider sees its connection closed unless the answer was read to its end.
func (r *Reply) Close() error {
	r.hangUp()
	fasthttp.ReleaseResponse(r.response)
	if r.body != nil && cap(*r.body) <= uncounted {
		spare.Put(r.body)
	}
	r.body = nil
	return nil
}

// hangUp gives the connection back, once.
func (r *Reply) hangUp() {
	if r.reader == nil {
		return
	}
	whole := r.uncut() && r.whole && !r.response.ConnectionClose()
	r.plain.host.ReleaseReader(r.reader)
	r.reader = nil
	r.giveBack(whole)
}
