package moysklad

import (
	"errors"
	"io"
	"net/http/httputil"
)

// answer is the upstream's answer to a call: its head and, to be read once, its body, unpacked.
type answer struct {
	head
	body  body
	plain io.Reader // what is read: the body, or what unpacks it
	bound int64     // how many bytes of it may yet be read
	ended bool      // it was read to the end, or cannot be read any more
	err   error     // why not; nil at the end
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
	n, err := a.plain.Read(p[:min(int64(len(p)), a.bound+1)])
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
	if packed, ok := a.plain.(*unpackedBody); ok {
		packed.close()
	}
	a.body.close()
}

// body is what follows an answer's head. Its connection is kept when it was read to its end, and closed else.
type body struct {
	exchange
	by     *transport
	left   int64     // bytes that are to come; negative if the end of the connection is its end
	chunks io.Reader // nil if it does not come in chunks
	last   bool      // the connection is of no use after it
	ended  error     // how; nil before
}

// begin makes the body ready to be read that follows a head.
func (b *body) begin(h *head) {
	b.left, b.last = h.length, h.last
	switch {
	case h.chunked:
		b.chunks = httputil.NewChunkedReader(b.conn.in.Reader)
	case h.length < 0:
		b.last = true
	case h.length == 0:
		b.end(io.EOF)
	}
}

func (b *body) Read(p []byte) (int, error) {
	if b.ended != nil {
		return 0, b.ended
	}
	n, err := b.read(p)
	if err != nil {
		b.end(err)
	}
	return n, err
}

// read gives io.EOF, at once or with the last bytes, when the body was whole.
func (b *body) read(p []byte) (n int, err error) {
	switch {
	case b.chunks != nil:
		n, err = b.chunks.Read(p)
		if errors.Is(err, io.EOF) {
			err = b.trailer()
		}
		return n, err
	case b.left < 0:
		return b.conn.in.Read(p)
	}
	n, err = b.conn.in.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	switch {
	case b.left == 0:
		b.last = b.last || err != nil
		return n, io.EOF
	case errors.Is(err, io.EOF):
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

// trailer reads what follows the last chunk, of which nothing is used, and gives io.EOF.
func (b *body) trailer() error {
	b.conn.in.left = maxHead
	if err := b.conn.in.fields(func(_, _ []byte) error { return nil }); err != nil {
		return err
	}
	return io.EOF
}

// close gives up what was not read.
func (b *body) close() { b.end(errClosed) }

func (b *body) end(err error) {
	if b.ended != nil {
		return
	}
	b.ended = err
	whole := b.by.watch.end(&b.exchange) && errors.Is(err, io.EOF) && !b.last
	if !whole || !b.by.kept.put(b.conn) {
		_ = b.conn.Close()
	}
}
