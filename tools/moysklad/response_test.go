package moysklad

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// spoken is a connection that sends fixed bytes, whatever is requested, and then ends.
type spoken struct {
	net.Conn
	io.Reader
}

func (s spoken) Read(p []byte) (int, error) { return s.Reader.Read(p) }

func (spoken) Write(p []byte) (int, error) { return len(p), nil }

func (spoken) SetDeadline(time.Time) error { return nil }

func (spoken) Close() error { return nil }

// hear makes a call to an upstream that sends the bytes said, one at a time if bytewise is set. It returns the answer
// and whether the connection was kept for reuse.
func hear(said []byte, bytewise bool) (a *response, text []byte, kept bool, err error) {
	upstream := newTransport(&url.URL{Scheme: "http", Host: "upstream"}, func(context.Context) (net.Conn, error) {
		var all io.Reader = bytes.NewReader(said)
		if bytewise {
			all = iotest.OneByteReader(all)
		}
		return spoken{Reader: all}, nil
	})
	if a, err = upstream.ask(context.Background(), &request{path: "entity/store"}, "token", anyTicket); err != nil {
		return nil, nil, false, err
	}
	defer func() {
		a.close()
		kept = upstream.wire.Idle() > 0
	}()
	text, err = io.ReadAll(a)
	return a, text, kept, err
}

func zipped(text string) string {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return packed.String()
}

// All of these answers contain {"rows":[1,2]}.
var wholeAnswers = map[string]string{
	"length":                 "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n" + `{"rows":[1,2]}`,
	"chunks":                 "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\n{\"row\r\n9;x=y\r\ns\":[1,2]}\r\n0\r\n\r\n",
	"chunked with a trailer": "HTTP/1.1 200\r\nTransfer-Encoding:chunked\r\n\r\nE\r\n{\"rows\":[1,2]}\r\n0\r\nX-Sum: 1\r\n\r\n",
	"packed":                 packedAnswer(`{"rows":[1,2]}`),
	"gzip with two members":  packedAnswer(`{"rows":`, `[1,2]}`),
	"after 1xx answers":      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n" + `{"rows":[1,2]}`,
	"a long header":          "HTTP/1.1 200 OK\r\nX-Policy: " + strings.Repeat("x", 8000) + "\r\nContent-Length: 14\r\n\r\n" + `{"rows":[1,2]}`,
}

func packedAnswer(parts ...string) string {
	var body string
	for _, part := range parts {
		body += zipped(part)
	}
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// A truncated list must never be accepted as a shorter list.
func TestAnAnswerIsWholeOrAnError(t *testing.T) {
	for name, said := range wholeAnswers {
		t.Run(name, func(t *testing.T) {
			for _, bytewise := range []bool{false, true} {
				if _, text, kept, err := hear([]byte(said), bytewise); err != nil || string(text) != `{"rows":[1,2]}` || !kept {
					t.Errorf("read %q, %v; the connection was kept: %v", text, err, kept)
				}
			}
			for end := range said {
				if _, text, kept, err := hear([]byte(said[:end]), false); err == nil || kept {
					t.Fatalf("cut after %d bytes, it was accepted: %q; the connection was kept: %v", end, text, kept)
				}
			}
		})
	}
}

// If it is unclear where an answer ends, the next call could read some of its bytes as its own answer.
func TestConnectionIsClosedIfItIsUnclearWhereAnAnswerEnds(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, said := range map[string]string{
		"two different lengths":                      "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
		"the same length twice":                      "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
		"two lengths in one header":                  "Content-Length: 2, 2\r\n\r\n{}",
		"a length with a plus sign":                  "Content-Length: +2\r\n\r\n{}",
		"a negative length":                          "Content-Length: -2\r\n\r\n{}",
		"a length that overflows":                    "Content-Length: 18446744073709551618\r\n\r\n{}",
		"a length that is not a number":              "Content-Length: two\r\n\r\n{}",
		"chunked twice":                              "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"another encoding":                           "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"a folded header":                            "X-A: 1\r\n Content-Length: 2\r\n\r\n{}",
		"a header without a name":                    ": 1\r\nContent-Length: 2\r\n\r\n{}",
		"a header without a colon":                   "Content-Length\r\n\r\n{}",
		"a line that ends without a carriage return": "Content-Length: 2\n\r\n{}",
		"a carriage return within a line":            "X-A: 1\rContent-Length: 3\r\nContent-Length: 2\r\n\r\n{}",
		"a zero byte in a header":                    "X-A: \x00\r\nContent-Length: 2\r\n\r\n{}",
		"a chunk without a size":                     "Transfer-Encoding: chunked\r\n\r\nx\r\n{}\r\n0\r\n\r\n",
		"a chunk longer than its size":               "Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n",
		"an answer in place of the trailer":          "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" + ok + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			if _, text, kept, _ := hear([]byte(ok+said), false); kept {
				t.Errorf("read %q, and the connection was kept", text)
			}
		})
	}
	for _, first := range []string{
		"", "HTTP/1.10 200 OK", "HTP/1.1 200 OK", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 099 No", "HTTP/1.1 200\tOK\x00",
	} {
		if _, text, _, err := hear([]byte(first+"\r\nContent-Length: 2\r\n\r\n{}"), false); err == nil {
			t.Errorf("the answer with status line %q was accepted: %q", first, text)
		}
	}
}

func TestResponseHeadersAreRead(t *testing.T) {
	a, _, kept, err := hear([]byte("HTTP/1.1 429 Too Many\r\nCONTENT-TYPE: text/html\r\nx-ratelimit-limit: 45\r\nX-RateLimit-Remaining:0\r\n"+
		"X-Lognex-Retry-After: 1740\r\nLocation: /x\r\nConnection: keep-alive, Close\r\nContent-Length: 0\r\n\r\n"), false)
	must(t, err)
	if a.status != 429 || a.contentType != "text/html" || a.location != "/x" || a.limit != 45 || a.left != 0 || a.retryAfter != 1740*time.Millisecond || kept {
		t.Errorf("%+v; the connection was kept: %v", a, kept)
	}
	if a, _, _, err := hear([]byte("HTTP/1.1 200 OK\r\nX-RateLimit-Limit: many\r\n\r\n"), false); err != nil || a.limit != -1 || a.left != -1 {
		t.Errorf("%+v, %v, want -1 for both", a, err)
	}
}

// Whatever the upstream sends, a connection may be kept only if net/http reads the same answer from the bytes and no
// bytes are left after it.
func FuzzAnswers(f *testing.F) {
	for _, said := range wholeAnswers {
		f.Add([]byte(said), false)
		f.Add([]byte(said+"HTTP/1.1 200 OK\r\n\r\n"), true)
	}
	f.Add([]byte("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\nx"), false)
	f.Fuzz(func(t *testing.T, said []byte, bytewise bool) {
		a, text, kept, err := hear(said, bytewise)
		if err != nil {
			if kept && !a.isPacked() { // if the body is not valid gzip, it may still have arrived completely
				t.Errorf("the connection was kept after %v", err)
			}
			return
		}
		if !kept {
			return
		}
		rest := bufio.NewReader(bytes.NewReader(said))
		status, body, err := read(rest)
		if err != nil || status != a.status {
			t.Fatalf("read a complete answer with status %d; net/http read status %d, %v", a.status, status, err)
		}
		if !a.isPacked() && !bytes.Equal(body, text) {
			t.Errorf("read %q, net/http read %q", text, body)
		}
		if unread, _ := rest.Peek(1); !bytewise && len(said) < maxHead && len(unread) > 0 {
			t.Error("the connection was kept although bytes are left on it")
		}
	})
}

func (r *response) isPacked() bool {
	_, packed := r.body.(*unpackedBody)
	return packed
}

// read reads an answer with net/http.
func read(from *bufio.Reader) (status int, body []byte, err error) {
	for status < http.StatusOK {
		res, err := http.ReadResponse(from, nil)
		if err != nil {
			return 0, nil, err
		}
		status = cmp.Or(res.StatusCode, http.StatusOK) // like fasthttp
		if body, err = io.ReadAll(res.Body); err != nil {
			return status, nil, err
		}
	}
	return status, body, nil
}
