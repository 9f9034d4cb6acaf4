package proxy

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
)

// raw sends bytes as they are and reads one answer.
func (h *house) raw(text string) *http.Response {
	h.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	must(h.t, err)
	h.t.Cleanup(func() { conn.Close() })
	_, err = io.WriteString(conn, text)
	must(h.t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(h.t, err)
	return res
}
