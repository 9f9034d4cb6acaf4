package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

type mcpCommand struct {
	client
	Connection string   `env:"KOPECK_CONNECTION" help:"The connection to use, if the organization has several accounts."`
	Language   language `env:"KOPECK_LANGUAGE" placeholder:"ru|en" help:"Language of results; by default that of the names in a question."`
}

// Run is a bridge between the service and a client that speaks the Model Context Protocol on standard input and output. The
// service can be restarted or updated while the client stays open.
func (c *mcpCommand) Run(ctx context.Context, p *program) error {
	b := &bridge{to: c, out: p.Out, calls: map[string]context.CancelFunc{}}
	defer b.close(ctx)
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
				b.forward(ctx, line)
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
