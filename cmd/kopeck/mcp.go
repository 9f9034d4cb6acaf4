package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

type mcpCommand struct {
	client
	Connection string   `env:"KOPECK_CONNECTION" help:"The connection to use, where the organization has several accounts."`
	Language   language `env:"KOPECK_LANGUAGE" placeholder:"ru|en" help:"The language of results; without it, that of the names in a question."`
}

// Run speaks the Model Context Protocol on standard input and output, for clients that start their servers themselves,
// by passing each message to the service and its answers back. All else is the service's: a client may stay open while
// the service is restarted or replaced.
func (c *mcpCommand) Run(ctx context.Context, p *program) error {
	b := &bridge{to: c, out: p.Out, calls: map[string]context.CancelFunc{}}
	ctx, cancel := context.WithCancel(ctx)
	defer b.close(ctx)
	defer cancel()
	lines := make(chan []byte)
	failed := make(chan error, 1)
	go func() {
		defer close(lines)
		for in := bufio.NewReader(p.In); ; {
			line, err := in.ReadBytes('\n')
			if line = bytes.TrimSpace(line); len(line) > 0 {
				select {
				case lines <- line:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					failed <- fmt.Errorf("read standard input: %w", err)
				}
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, more := <-lines:
			if more {
				b.carry(ctx, line)
				continue
			}
			select {
			case err := <-failed:
				return err
			default:
				return nil
			}
		}
	}
}

// message is what the bridge must know of a message of the protocol.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Meta struct {
			Revision string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
		Name, URI string
		RequestID json.RawMessage `json:"requestId"` // of notifications/cancelled
	} `json:"params"`
	Result struct {
		Revision string `json:"protocolVersion"` // of initialize
	} `json:"result"`
}

// bridge passes messages between a client on standard input and output and the service.
type bridge struct {
	to *mcpCommand

	writing sync.Mutex
	out     io.Writer

	running sync.WaitGroup
	mu      sync.Mutex
	calls   map[string]context.CancelFunc // that have no answer yet, by id
	session session
	opening []byte // the initialize message, to begin a session again with
}

// session is what older revisions of the protocol agree on at first.
type session struct{ id, revision string }

// carry takes one message of the client. Calls run side by side; what is no call is passed on before the next message.
func (b *bridge) carry(ctx context.Context, line []byte) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		b.fail(json.RawMessage("null"), -32700, "what came on standard input is not a JSON-RPC message: "+err.Error())
		return
	}
	switch {
	case m.Method != "" && m.ID != nil:
		ctx, cancel := context.WithCancel(ctx)
		b.mu.Lock()
		b.calls[string(m.ID)] = cancel
		if m.Method == "initialize" {
			b.opening, b.session = line, session{}
		}
		b.mu.Unlock()
		b.running.Go(func() { b.call(ctx, m, line) })
	default:
		if b.current().id != "" || m.Method == "" {
			b.notify(ctx, m, line)
		}
		if m.Method == "notifications/cancelled" {
			b.end(m.Params.RequestID)
		}
	}
}

// call asks the service and writes what it answers; a call always gets an answer, unless nobody waits for it any more.
func (b *bridge) call(ctx context.Context, m message, line []byte) {
	defer b.end(m.ID)
	answered, err := b.exchange(ctx, m, line)
	switch {
	case answered || ctx.Err() != nil:
	case err != nil:
		b.fail(m.ID, -32603, err.Error())
	default:
		b.fail(m.ID, -32603, "the service's answer broke off; ask again")
	}
}

func (b *bridge) notify(ctx context.Context, m message, line []byte) {
	res, err := b.post(ctx, m, line, b.current())
	if err == nil {
		res.Body.Close()
	} // a call that depends on it will say what is wrong
}

func (b *bridge) end(id json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel := b.calls[string(id)]; cancel != nil {
		cancel()
		delete(b.calls, string(id))
	}
}

func (b *bridge) current() session {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.session
}

// exchange tells whether the call's own answer was written.
func (b *bridge) exchange(ctx context.Context, m message, line []byte) (answered bool, err error) {
	in := b.current()
	res, err := b.post(ctx, m, line, in)
	if errors.Is(err, errSessionGone) && in.id != "" {
		if in, err = b.reopened(ctx, in); err == nil {
			res, err = b.post(ctx, m, line, in)
		}
	}
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	err = messages(res, func(text []byte) {
		var got message
		if json.Unmarshal(text, &got) == nil && got.Method == "" && bytes.Equal(got.ID, m.ID) {
			answered = true
			if m.Method == "initialize" {
				b.agree(session{res.Header.Get("Mcp-Session-Id"), got.Result.Revision})
			}
		}
		b.write(text)
	})
	return answered, err
}

func (b *bridge) agree(in session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.session = in
}

// reopened is a session in the place of one that the service no longer has, which the client need not know of.
func (b *bridge) reopened(ctx context.Context, gone session) (session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != gone { // another call has been faster
		return b.session, nil
	}
	opening := message{Method: "initialize"}
	res, err := b.post(ctx, opening, b.opening, session{})
	if err != nil {
		return session{}, err
	}
	defer res.Body.Close()
	again := session{id: res.Header.Get("Mcp-Session-Id"), revision: gone.revision}
	if err := messages(res, func([]byte) {}); err != nil {
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

// write puts a message on standard output, in one line.
func (b *bridge) write(text []byte) {
	var line bytes.Buffer
	if json.Compact(&line, text) != nil {
		return // no message
	}
	line.WriteByte('\n')
	b.writing.Lock()
	defer b.writing.Unlock()
	_, _ = b.out.Write(line.Bytes()) // a client that is gone closes standard input as well
}

func (b *bridge) fail(id json.RawMessage, code int, message string) {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}})
	if err != nil {
		panic(err) // an id that was read from JSON
	}
	b.write(text)
}

// close waits for the calls, which have been cancelled, and ends the session.
func (b *bridge) close(ctx context.Context) {
	b.running.Wait()
	in := b.current()
	if in.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if res, err := b.send(ctx, http.MethodDelete, message{}, nil, in); err == nil {
		res.Body.Close()
	} // else the service ends it by itself after a while
}

// farewell is how long ending a session may take.
const farewell = 2 * time.Second
