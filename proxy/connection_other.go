//go:build !unix

package proxy

import "syscall"

// gone never finds a client gone: without a way to peek, only the next failing write tells.
func gone(syscall.RawConn) bool { return false }
