//go:build unix

// Package socket looks at open connections without reading from them.
package socket

import (
	"crypto/tls"
	"errors"
	"net"
	"syscall"
)

// Peek reports whether a connection is closed, by the peer or here, and otherwise whether data has arrived that nobody has
// read yet. It does not wait. Of a connection that is not a socket it reports neither.
func Peek(conn net.Conn) (closed, data bool) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	sock, ok := conn.(syscall.Conn)
	if !ok {
		return false, false
	}
	raw, err := sock.SyscallConn()
	if err != nil {
		return true, false
	}
	var n int
	var failed error
	err = raw.Control(func(fd uintptr) {
		var one [1]byte
		n, _, failed = syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	switch {
	case err != nil:
		return true, false
	case errors.Is(failed, syscall.EAGAIN), errors.Is(failed, syscall.EINTR):
		return false, false
	}
	return n <= 0, n > 0
}
