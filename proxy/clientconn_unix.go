//go:build unix

package proxy

import (
	"errors"
	"syscall"
)

// peerClosed blocks until the peer closes the connection, sends more data, or the read deadline passes. It returns true in
// the first case.
func peerClosed(raw syscall.RawConn) bool {
	var closed bool
	_ = raw.Read(func(fd uintptr) bool {
		var one [1]byte
		n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		for errors.Is(err, syscall.EINTR) {
			n, _, err = syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		}
		if errors.Is(err, syscall.EAGAIN) {
			return false
		}
		closed = err != nil || n == 0
		return true
	})
	return closed
}
