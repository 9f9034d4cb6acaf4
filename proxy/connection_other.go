//go:build !unix

package proxy

import "syscall"

// peerClosed always returns false, since this system offers no way to look at the socket.
func peerClosed(syscall.RawConn) bool { return false }
