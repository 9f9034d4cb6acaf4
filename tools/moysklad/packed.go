package moysklad

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

var unpackers = sync.Pool{New: func() any { return new(gzip.Reader) }}

// unpacked makes the body of an answer readable that came packed with gzip.
func unpacked(res *http.Response) {
	if strings.EqualFold(res.Header.Get("Content-Encoding"), "gzip") {
		res.Body, res.ContentLength = &unpackedBody{packed: res.Body}, -1
	}
}

// unpackedBody unpacks what is read of it. The memory that takes, 40 KB, is used again.
type unpackedBody struct {
	packed io.ReadCloser
	reader *gzip.Reader // nil before the first byte, and after the last
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

// end gives err back; if it is one, nothing more is read.
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

// Close closes what it came from.
func (b *unpackedBody) Close() error {
	_ = b.end(errClosed)
	return b.packed.Close()
}
