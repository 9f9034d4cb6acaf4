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

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/schemas/openai"
)

type askCommand struct {
	client
	Connection string `help:"The connection to use, if the organization has several accounts."`
	Session    string `placeholder:"ID" help:"The session to continue."`
	JSON       bool   `help:"Print the API's answer as JSON."`
	Question   string `arg:"" help:"The question, in Russian or English."`
}

// Run streams the answer to standard output.
func (c *askCommand) Run(ctx context.Context, p *program) error {
	if c.Session != "" && !agent.IsSessionID(c.Session) { // the service would ignore it
		return settingError("--session", fmt.Sprintf("holds %q", c.Session), "the id of a session, as --json prints it")
	}
	body := questionBody(c.Question)
	body.Stream = !c.JSON
	header := map[string]string{"X-Connection-Id": c.Connection, "X-Session-Id": c.Session}
	status := p.status("kopeck: " + c.Question)
	defer status.End()
	res, err := c.send(ctx, http.MethodPost, "/v1/chat/completions", header, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if c.JSON {
		status.End()
		_, err = io.Copy(p.Out, res.Body)
		return err
	}
	out := p.markdownOutput()
	err = printStream(out, res.Body, status)
	status.End()
	return errors.Join(err, out.Close())
}

// printStream writes the text of a stream as it arrives, and shows progress before the first text. If the stream ends
// without its last event, it returns an error, because the answer may be incomplete.
func printStream(to io.Writer, stream io.Reader, status progress) error {
	lines := bufio.NewReader(stream)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("the answer is incomplete: %w", err)
		}
		data, isData := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data: "))
		switch {
		case !isData: // a blank line or a comment
			continue
		case string(data) == "[DONE]":
			return nil
		}
		if refused := serviceError(data); refused != nil {
			return refused
		}
		var chunk openai.Chunk
		if err := json.Unmarshal(data, &chunk); err != nil {
			return errors.New("the answer cannot be read: is this the address of a kopeck service?")
		}
		for _, choice := range chunk.Choices {
			if choice.Delta.ReasoningContent != "" {
				status.Say(choice.Delta.ReasoningContent)
			}
			if text := choice.Delta.Content; text != nil && *text != "" {
				status.End()
				if _, err := io.WriteString(to, *text); err != nil {
					return err
				}
			}
		}
	}
}
