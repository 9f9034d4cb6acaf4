//go:build !unix

package proxy

import "syscall"

// peerClosed always returns false, because this system cannot peek at a socket.
func peerClosed(syscall.RawConn) bool { return false }
