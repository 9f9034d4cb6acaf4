package proxy

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"
)

// connected gives both ends of a connection.
func connected(t *testing.T) (client, server net.Conn) {
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

// only is the request that is under way.
func (w *disconnectWatcher) only() *watchedRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pending[0]
}

func TestDisconnectCancelsOnlyTheClientsOwnRequest(t *testing.T) {
	var w disconnectWatcher
	gone, left := connected(t)
	_, stays := connected(t)
	ended, stopEnded := w.watch(t.Context(), left)
	goesOn, stopOther := w.watch(t.Context(), stays)
	gone.Close()
	<-ended.Done()
	if cause := context.Cause(ended); !errors.Is(cause, errClientLeft) {
		t.Errorf("ended by %v", cause)
	}
	stopEnded()
	if err := goesOn.Err(); err != nil {
		t.Errorf("the other request: %v", err)
	}
	stopOther()
}

func TestWatchingDoesNotConsumePipelinedBytes(t *testing.T) {
	var w disconnectWatcher
	client, server := connected(t)
	ctx, stop := w.watch(t.Context(), server)
	one := w.only()
	w.check()
	w.check()
	_, err := client.Write([]byte("next"))
	must(t, err)
	<-one.peekEnded
	if err := ctx.Err(); err != nil {
		t.Errorf("the request was ended: %v", err)
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
	_, server := connected(t)
	_, stop := w.watch(t.Context(), server)
	w.check()
	stop()
	w.check()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timerRunning || len(w.pending) != 0 {
		t.Errorf("looking %v for %d requests", w.timerRunning, len(w.pending))
	}
}
