//go:build !unix

package proxy

import "syscall"

// peerClosed always returns false, since this system offers no way to look at the socket.
func gone(syscall.RawConn) bool { return false }
