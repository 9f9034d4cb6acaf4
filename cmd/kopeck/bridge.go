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
	"strings"
)

// errSessionGone means that the service no longer has the session.
var errSessionGone = errors.New("the service has restarted: reconnect")

func (b *bridge) post(ctx context.Context, m message, line []byte, in session) (*http.Response, error) {
	res, err := b.send(ctx, http.MethodPost, m, line, in)
	if err != nil {
		return nil, err
	}
	return res, b.responseError(res, in)
}

func (b *bridge) send(ctx context.Context, method string, m message, line []byte, in session) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, b.to.baseURL()+"/mcp", bytes.NewReader(line))
	if err != nil {
		return nil, fmt.Errorf("--url: %w", err)
	}
	name := m.Params.Name
	if m.Method == "resources/read" {
		name = m.Params.URI
	}
	revision := in.revision
	if m.Params.Meta.Revision != "" {
		revision = m.Params.Meta.Revision
	}
	for header, value := range map[string]string{
		"Authorization":        "Bearer " + b.to.Key,
		"Content-Type":         "application/json",
		"Accept":               "application/json, text/event-stream",
		"Accept-Language":      string(b.to.Language),
		"X-Connection-Id":      b.to.Connection,
		"Mcp-Session-Id":       in.id,
		"Mcp-Protocol-Version": revision,
		"Mcp-Method":           m.Method,
		"Mcp-Name":             name,
	} {
		if value != "" {
			req.Header.Set(header, value)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("no kopeck service answers at %s: %w", b.to.URL, err)
	}
	return res, nil
}

// responseError returns why the service has rejected a message. It returns nil if the response is an error in the
// protocol's own form, because the client can read that.
func (b *bridge) responseError(res *http.Response, in session) error {
	if res.StatusCode < http.StatusMultipleChoices {
		return nil
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil {
		return fmt.Errorf("read the service's answer: %w", err)
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
		body, err := io.ReadAll(res.Body)
		if err == nil && len(bytes.TrimSpace(body)) > 0 {
			each(body)
		}
		return err
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
