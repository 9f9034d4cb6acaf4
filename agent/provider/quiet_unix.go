//go:build unix

package provider

import (
	"crypto/tls"
	"errors"
	"net"
	"syscall"
	"time"
)

// quiet tells that nothing has come over a connection that nobody uses, and that it is open as far as is known.
func quiet(conn net.Conn) (quiet bool) {
	if secured, is := conn.(*tls.Conn); is {
		conn = secured.NetConn()
	}
	system, is := conn.(syscall.Conn)
	if !is {
		return true
	}
	raw, err := system.SyscallConn()
	if err != nil || conn.SetReadDeadline(time.Time{}) != nil {
		return false
	}
	err = raw.Read(func(fd uintptr) bool {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		quiet = errors.Is(err, syscall.EAGAIN)
		return true
	})
	return quiet && err == nil
}
