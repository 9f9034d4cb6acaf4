package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/kopeck/kopeck/schemas/encoded"
)

// errSessionGone means that the service no longer has the session.
var errSessionGone = errors.New("the service has restarted: reconnect")

// message has those fields of a message that the bridge needs.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Meta struct {
			Revision string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
		Name, URI string
		RequestID json.RawMessage `json:"requestId"` // only in notifications/cancelled
	} `json:"params"`
	Result struct {
		Revision string `json:"protocolVersion"` // only in initialize
	} `json:"result"`
}

// bridge passes messages between a client and the service.
type bridge struct {
	to *mcpCommand

	writing sync.Mutex
	out     io.Writer

	running    sync.WaitGroup
	mu         sync.Mutex
	calls      map[string]context.CancelFunc // id of a call without an answer → cancels the call
	session    session
	initialize []byte // the client's initialize message, needed to reopen a session
}

// session is what a client and the service agree on when they connect, in older revisions of the protocol.
type session struct{ id, revision string }

// forward passes one message of the client on. Calls run in parallel. Any other message is passed on before the next one is
// read.
func (b *bridge) forward(ctx context.Context, line []byte) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		b.writeError(json.RawMessage("null"), -32700, "standard input has a line that is not a JSON-RPC message: "+err.Error())
		return
	}
	switch {
	case m.Method != "" && m.ID != nil:
		ctx, cancel := context.WithCancel(ctx)
		b.mu.Lock()
		b.calls[string(m.ID)] = cancel
		if m.Method == "initialize" {
			b.initialize, b.session = line, session{}
		}
		b.mu.Unlock()
		b.running.Go(func() { b.call(ctx, m, line) })
	default:
		if b.currentSession().id != "" || m.Method == "" {
			b.notify(ctx, m, line)
		}
		if m.Method == "notifications/cancelled" {
			b.finishCall(m.Params.RequestID)
		}
	}
}

// call passes a call on, and returns its answer to the client. The client gets an answer in any case, unless it has
// cancelled the call.
func (b *bridge) call(ctx context.Context, m message, line []byte) {
	defer b.finishCall(m.ID)
	answered, err := b.exchange(ctx, m, line)
	switch {
	case answered || ctx.Err() != nil:
	case err != nil:
		b.writeError(m.ID, -32603, err.Error())
	default:
		b.writeError(m.ID, -32603, "the service's answer is incomplete; try again")
	}
}

func (b *bridge) notify(ctx context.Context, m message, line []byte) {
	res, err := b.post(ctx, m, line, b.currentSession())
	if err == nil {
		res.Body.Close()
	} // later calls return this error too
}

func (b *bridge) finishCall(id json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel := b.calls[string(id)]; cancel != nil {
		cancel()
		delete(b.calls, string(id))
	}
}

func (b *bridge) currentSession() session {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.session
}

// exchange passes a call on, and reports whether it has written an answer.
func (b *bridge) exchange(ctx context.Context, m message, line []byte) (answered bool, err error) {
	in := b.currentSession()
	res, err := b.post(ctx, m, line, in)
	if errors.Is(err, errSessionGone) && in.id != "" {
		if in, err = b.reopenSession(ctx, in); err == nil {
			res, err = b.post(ctx, m, line, in)
		}
	}
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	err = eachMessage(res, func(text []byte) {
		var got message
		if json.Unmarshal(text, &got) == nil && got.Method == "" && bytes.Equal(got.ID, m.ID) {
			answered = true
			if m.Method == "initialize" {
				b.setSession(session{res.Header.Get("Mcp-Session-Id"), got.Result.Revision})
			}
		}
		b.write(text)
	})
	return answered, err
}

func (b *bridge) setSession(in session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.session = in
}

// reopenSession opens a new session after the service has lost the old one. The client does not notice.
func (b *bridge) reopenSession(ctx context.Context, gone session) (session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != gone { // another call has already reopened it
		return b.session, nil
	}
	opening := message{Method: "initialize"}
	res, err := b.post(ctx, opening, b.initialize, session{})
	if err != nil {
		return session{}, err
	}
	defer res.Body.Close()
	again := session{id: res.Header.Get("Mcp-Session-Id"), revision: gone.revision}
	if err := eachMessage(res, func([]byte) {}); err != nil {
		return session{}, err
	}
	initialized := message{Method: "notifications/initialized"}
	if res, err = b.post(ctx, initialized, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), again); err != nil {
		return session{}, err
	}
	res.Body.Close()
	b.session = again
	return again, nil
}

// write writes a message to standard output, in one line.
func (b *bridge) write(text []byte) {
	var line bytes.Buffer
	if json.Compact(&line, text) != nil {
		return // an empty line
	}
	line.WriteByte('\n')
	b.writing.Lock()
	defer b.writing.Unlock()
	_, _ = b.out.Write(line.Bytes()) // if the client has exited, standard input ends too
}

func (b *bridge) writeError(id json.RawMessage, code int, message string) {
	b.write(encoded.JSON(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}}))
}

// close waits until the running calls are answered or cancelled, and ends the session.
func (b *bridge) close(ctx context.Context) {
	b.running.Wait()
	in := b.currentSession()
	if in.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sessionEndTimeout)
	defer cancel()
	if res, err := b.send(ctx, http.MethodDelete, message{}, nil, in); err == nil {
		res.Body.Close()
	} // on failure, the session will expire
}

// sessionEndTimeout limits the request that ends the session.
const sessionEndTimeout = 2 * time.Second

func (b *bridge) post(ctx context.Context, m message, line []byte, in session) (*http.Response, error) {
	res, err := b.send(ctx, http.MethodPost, m, line, in)
	if err != nil {
		return nil, err
	}
	return res, b.responseError(res, in)
}

func (b *bridge) send(ctx context.Context, method string, m message, line []byte, in session) (*http.Response, error) {
	name := m.Params.Name
	if m.Method == "resources/read" {
		name = m.Params.URI
	}
	return b.to.do(ctx, method, "/mcp", map[string]string{
		"Accept":               "application/json, text/event-stream",
		"Accept-Language":      string(b.to.Language),
		"X-Connection-Id":      b.to.Connection,
		"Mcp-Session-Id":       in.id,
		"Mcp-Protocol-Version": cmp.Or(m.Params.Meta.Revision, in.revision),
		"Mcp-Method":           m.Method,
		"Mcp-Name":             name,
	}, line)
}

// responseError returns why the service has rejected a message. It returns nil if the response is an error in the
// protocol's own form, because the client can read that.
func (b *bridge) responseError(res *http.Response, in session) error {
	if res.StatusCode < http.StatusMultipleChoices {
		return nil
	}
	body, err := readAnswer(res)
	if err != nil {
		return err
	}
	refused := serviceError(body)
	var protocol struct{ JSONRPC string }
	switch {
	case json.Unmarshal(body, &protocol) == nil && protocol.JSONRPC != "":
		res.Body = io.NopCloser(bytes.NewReader(body))
		return nil
	case res.StatusCode == http.StatusNotFound && in.id != "":
		return errSessionGone
	case refused == nil:
		return fmt.Errorf("%s answered %s: is it a kopeck service?", b.to.URL, res.Status)
	}
	return refused
}

// eachMessage calls each with the messages in a response, streamed or not.
func eachMessage(res *http.Response, each func([]byte)) error {
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		body, err := readAnswer(res)
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(body)) > 0 {
			each(body)
		}
		return nil
	}
	for lines := bufio.NewReader(res.Body); ; {
		line, err := lines.ReadBytes('\n')
		if data, isData := bytes.CutPrefix(line, []byte("data:")); isData {
			each(data) // the service writes each message in one line
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the service's answer: %w", err)
		}
	}
}
