package proxy

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"
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

// only returns the pending request. There must be exactly one.
func (w *disconnectWatcher) only() *watchedRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pending[0]
}

func TestDisconnectCancelsOnlyTheClientsOwnRequest(t *testing.T) {
	var w disconnectWatcher
	client, server := tcpPair(t)
	_, otherServer := tcpPair(t)
	ctx, stop := w.watch(t.Context(), server)
	otherCtx, stopOther := w.watch(t.Context(), otherServer)
	client.Close()
	<-ctx.Done()
	if cause := context.Cause(ctx); !errors.Is(cause, errClientLeft) {
		t.Errorf("cause %v, want errClientLeft", cause)
	}
	stop()
	if err := otherCtx.Err(); err != nil {
		t.Errorf("the other request: %v", err)
	}
	stopOther()
}

func TestWatchingDoesNotConsumePipelinedBytes(t *testing.T) {
	var w disconnectWatcher
	client, server := tcpPair(t)
	ctx, stop := w.watch(t.Context(), server)
	watched := w.only()
	w.check()
	w.check()
	_, err := client.Write([]byte("next"))
	must(t, err)
	<-watched.peekEnded
	if err := ctx.Err(); err != nil {
		t.Errorf("the request was cancelled: %v", err)
	}
	stop()
	must(t, server.SetReadDeadline(time.Time{}))
	read := make([]byte, 4)
	if _, err := server.Read(read); err != nil || string(read) != "next" {
		t.Errorf("read %q, %v", read, err)
	}
}

func TestFinishedRequestIsNotWatched(t *testing.T) {
	var w disconnectWatcher
	_, server := tcpPair(t)
	_, stop := w.watch(t.Context(), server)
	w.check()
	stop()
	w.check()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timerRunning || len(w.pending) != 0 {
		t.Errorf("timer running: %v, %d requests watched; want none", w.timerRunning, len(w.pending))
	}
}
