package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"

	"github.com/kopeck/kopeck/keys"
)

type connectCommand struct {
	client
	Name    string `default:"Main books" help:"Name of the connection."`
	Replace string `placeholder:"ID" help:"Replace the token of this connection, which must be of the same account."`
	JSON    bool   `help:"Print the record as JSON."`
}

// Run connects the account of a token to the organization of the key. It reads the token from a prompt or from standard
// input. As an argument, the token would remain in the shell's history and be visible in the process list.
func (c *connectCommand) Run(ctx context.Context, p *program) error {
	token, err := p.readToken(ctx)
	if err != nil {
		return err
	}
	path, body := "/api/v1/connections", map[string]string{"connector": "moysklad", "name": c.Name, "token": token}
	if c.Replace != "" {
		path, body = path+"/"+c.Replace+"/token", map[string]string{"token": token}
	}
	answer, err := c.post(ctx, path, body)
	if err != nil {
		return err
	}
	var connection keys.Connection
	if err := decodeAnswer(answer, &connection); err != nil {
		return err
	}
	err = p.print(
		c.JSON, connection, "%s  %s  %s (%s)\n", connection.ID, connection.State, connection.AccountName, permissionsText(connection.Permissions),
	)
	if c.Replace != "" || err != nil {
		return err
	}
	return c.noteOthers(ctx, p, connection)
}

// noteOthers names the other connections to the account. Several are allowed, because employees have different rights, but often
// the user meant to replace the token.
func (c *connectCommand) noteOthers(ctx context.Context, p *program, added keys.Connection) error {
	var all struct{ Data []keys.Connection }
	if err := c.get(ctx, "/api/v1/connections?limit=100", &all); err != nil { // more connections are hardly ever there
		return err
	}
	for _, other := range all.Data {
		if other.AccountID == added.AccountID && other.ID != added.ID {
			fmt.Fprintf(p.Err, "kopeck: account %q already had connection %s (%q). To replace its token, use --replace %s.\n",
				added.AccountName, other.ID, other.Name, other.ID)
		}
	}
	return nil
}

// maxTokenLength limits how much is read. Tokens of MoySklad have 40 characters.
const maxTokenLength = 4096

// readToken prompts for the token if standard input is a terminal, without echoing it. Otherwise it reads standard input.
func (p *program) readToken(ctx context.Context) (string, error) {
	var text []byte
	var err error
	if terminal, ok := p.inputTerminal(); ok {
		fmt.Fprint(p.Err, "Token (MoySklad: Settings, Access tokens): ")
		text, err = readHidden(ctx, terminal)
		fmt.Fprintln(p.Err)
	} else {
		text, err = io.ReadAll(io.LimitReader(p.In, maxTokenLength+1))
	}
	token := strings.TrimSpace(string(text))
	switch {
	case err != nil:
		return "", fmt.Errorf("read the token: %w", err)
	case token == "":
		return "", errors.New("standard input has no token: paste it at the prompt, or pipe it in")
	case len(token) > maxTokenLength:
		return "", fmt.Errorf("standard input has more than %d bytes, which is not a token", maxTokenLength)
	}
	return token, nil
}

// readHidden reads a line from a terminal without echo. If it is interrupted, it turns the echo on again.
func readHidden(ctx context.Context, terminal int) ([]byte, error) {
	before, err := term.GetState(terminal)
	if err != nil {
		return nil, err
	}
	text, err := interruptible(ctx, func() ([]byte, error) { return term.ReadPassword(terminal) })
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), term.Restore(terminal, before))
	}
	return text, err
}

// interruptible returns what read returns. If the context ends before, read goes on, and its result is lost.
func interruptible(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// permissionsText describes what the token's employee may do.
func permissionsText(p keys.Permissions) string {
	var words []string
	for _, right := range []struct {
		has  bool
		word string
	}{{p.ViewCost, "sees costs"}, {p.ViewMoney, "sees money"}, {p.WriteDocuments, "writes documents"}} {
		if right.has {
			words = append(words, right.word)
		}
	}
	return cmp.Or(strings.Join(words, ", "), "sees neither costs nor money, writes nothing")
}
