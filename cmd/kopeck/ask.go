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

	"github.com/kopeck/kopeck/schemas/openai"
)

type askCommand struct {
	client
	Connection string `help:"The connection to ask, where the organization has several accounts."`
	Question   string `arg:"" help:"The question, in Russian or English."`
}

// Run streams the answer to standard output.
func (c *askCommand) Run(ctx context.Context, p *program) error {
	header := http.Header{}
	if c.Connection != "" {
		header.Set("X-Connection-Id", c.Connection)
	}
	res, err := c.post(ctx, "/v1/chat/completions", header, openai.ChatRequest{
		Model:    "kopeck",
		Stream:   true,
		Messages: []openai.Message{{Role: openai.RoleUser, Content: openai.Content(c.Question)}},
	})
	if err != nil {
		return err
	}
	defer res.Body.Close()
	err = printed(p.Out, res.Body)
	fmt.Fprintln(p.Out)
	return err
}

// printed writes a stream's text as it comes. A stream that just ends is an error: the answer may lack its end.
func printed(to io.Writer, stream io.Reader) error {
	lines := bufio.NewReader(stream)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("the answer broke off: %w", err)
		}
		data, isData := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data: "))
		switch {
		case !isData: // blank lines and comments
			continue
		case string(data) == "[DONE]":
			return nil
		}
		if refused := refusal(data); refused != nil {
			return refused
		}
		var chunk openai.Chunk
		if err := json.Unmarshal(data, &chunk); err != nil {
			return errors.New("the answer cannot be read: is this the address of a kopeck service?")
		}
		for _, choice := range chunk.Choices {
			if choice.Delta.Content != nil {
				fmt.Fprint(to, *choice.Delta.Content)
			}
		}
	}
}
