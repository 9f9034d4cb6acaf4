package clients

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"

	"github.com/kopeck/kopeck/schemas/socket"
)

// tcpPair returns both ends of a TCP connection.
func tcpPair(t *testing.T) (client, server net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	client, err = net.Dial("tcp", listener.Addr().String())
	must(t, err)
	server, err = listener.Accept()
	must(t, err)
	t.Cleanup(func() { client.Close(); server.Close() })
	return client, server
}

func TestDisconnectCancelsOnlyTheClientsOwnRequest(t *testing.T) {
	var w Watcher
	client, server := tcpPair(t)
	_, otherServer := tcpPair(t)
	ctx, stop := w.Watch(t.Context(), server)
	otherCtx, stopOther := w.Watch(t.Context(), otherServer)
	client.Close()
	<-ctx.Done()
	if cause := context.Cause(ctx); !errors.Is(cause, ErrLeft) {
		t.Errorf("cause %v, want ErrLeft", cause)
	}
	stop()
	if err := otherCtx.Err(); err != nil {
		t.Errorf("the other request: %v", err)
	}
	stopOther()
}

func TestWatchingDoesNotConsumePipelinedBytes(t *testing.T) {
	var w Watcher
	client, server := tcpPair(t)
	ctx, stop := w.Watch(t.Context(), server)
	defer stop()
	_, err := client.Write([]byte("next"))
	must(t, err)
	must(t, waitUntil(server, func(_, data bool) bool { return data }))
	w.check()
	w.check()
	if err := ctx.Err(); err != nil {
		t.Errorf("the request was cancelled: %v", err)
	}
	read := make([]byte, 4)
	if _, err := server.Read(read); err != nil || string(read) != "next" {
		t.Errorf("read %q, %v", read, err)
	}
}

// Some clients close their side of the connection as soon as they have sent a request.
func TestQuickRequestIsAnsweredAlthoughItsClientSendsNoMore(t *testing.T) {
	w := Watcher{waiting: true} // no timer checks before this test does
	client, server := tcpPair(t)
	ctx, stop := w.Watch(t.Context(), server)
	defer stop()
	must(t, client.(*net.TCPConn).CloseWrite())
	must(t, waitUntil(server, func(closed, _ bool) bool { return closed }))
	w.check()
	if err := ctx.Err(); err != nil {
		t.Errorf("the request was cancelled by the first round: %v", err)
	}
	w.check()
	if cause := context.Cause(ctx); !errors.Is(cause, ErrLeft) {
		t.Errorf("cause %v after the second round, want ErrLeft", cause)
	}
}

// waitUntil waits until a peek at a connection finds what is wanted.
func waitUntil(conn net.Conn, found func(closed, data bool) bool) error {
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	return raw.Read(func(uintptr) bool { return found(socket.Peek(conn)) })
}

func TestFinishedRequestIsNotWatched(t *testing.T) {
	var w Watcher
	_, server := tcpPair(t)
	_, stop := w.Watch(t.Context(), server)
	stop()
	w.check()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting || len(w.running) != 0 {
		t.Errorf("waiting for a check: %v, %d requests watched; want none", w.waiting, len(w.running))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
