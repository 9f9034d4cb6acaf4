package moysklad

import (
	"compress/gzip"
	"errors"
	"io"
	"sync"
)

var unpackers = sync.Pool{New: func() any { return new(gzip.Reader) }}

// unpackedBody decompresses a body while it is read. It takes its gzip reader of 40 KB from a pool.
type unpackedBody struct {
	packed io.Reader
	reader *gzip.Reader // nil before the first read and after the end
	ended  error
}

func (b *unpackedBody) Read(p []byte) (int, error) {
	if b.ended != nil {
		return 0, b.ended
	}
	if b.reader == nil {
		b.reader = unpackers.Get().(*gzip.Reader)
		if err := b.reader.Reset(b.packed); err != nil {
			return 0, b.end(err)
		}
	}
	n, err := b.reader.Read(p)
	return n, b.end(err)
}

// end gives the gzip reader back and returns err. After an error, the rest of the body is not read.
func (b *unpackedBody) end(err error) error {
	if err != nil && b.ended == nil {
		b.ended = err
		if b.reader != nil {
			unpackers.Put(b.reader)
			b.reader = nil
		}
	}
	return err
}

var errClosed = errors.New("read of a closed body")

// close gives the gzip reader back, without reading the rest of the body.
func (b *unpackedBody) close() { _ = b.end(errClosed) }
