package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/kopeck/kopeck/keys"
)

type connectCommand struct {
	URL     string `env:"KOPECK_URL" default:"http://127.0.0.1:8080" help:"Where the service answers."`
	Key     string `env:"KOPECK_KEY" required:"" help:"An API key with the scope admin."`
	Name    string `default:"Main books" help:"What to call the connection."`
	Replace string `placeholder:"ID" help:"Put the token in the place of this connection's, which must be of the same account."`
	JSON    bool   `help:"Print the record as JSON."`
}

// Run connects the account of a token to the organization of the key. The token is asked for, or read from standard
// input: an argument would stay behind in the shell's history and show in the list of processes.
func (c *connectCommand) Run(ctx context.Context, p *program) error {
	token, err := p.readToken(ctx)
	if err != nil {
		return err
	}
	path, body := "/api/v1/connections", map[string]string{"connector": "moysklad", "name": c.Name, "token": token}
	if c.Replace != "" {
		path, body = path+"/"+c.Replace+"/token", map[string]string{"token": token}
	}
	var connection keys.Connection
	if err := c.post(ctx, path, body, &connection); err != nil {
		return err
	}
	return p.print(c.JSON, connection, "%s  %s  %s (%s)\n", connection.ID, connection.State, connection.AccountName, allowed(connection.Permissions))
}

// longestToken bounds what is read; the upstream's tokens have 40 characters.
const longestToken = 4096

// readToken asks without echo at a terminal, else takes what standard input has.
func (p *program) readToken(ctx context.Context) (string, error) {
	var text []byte
	var err error
	if file, ok := p.In.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		fmt.Fprint(p.Err, "Token (MoySklad: Settings, Access tokens): ")
		text, err = typed(ctx, int(file.Fd()))
		fmt.Fprintln(p.Err)
	} else {
		text, err = io.ReadAll(io.LimitReader(p.In, longestToken+1))
	}
	token := strings.TrimSpace(string(text))
	switch {
	case err != nil:
		return "", fmt.Errorf("read the token: %w", err)
	case token == "":
		return "", errors.New("standard input holds no token: paste it at the prompt, or pipe it in")
	case len(token) > longestToken:
		return "", fmt.Errorf("standard input holds more than %d bytes, which is no token", longestToken)
	}
	return token, nil
}

// typed reads a line from a terminal that does not show it. An interrupt gives the terminal its echo back.
func typed(ctx context.Context, terminal int) ([]byte, error) {
	before, err := term.GetState(terminal)
	if err != nil {
		return nil, err
	}
	type line struct {
		text []byte
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(terminal)
		read <- line{text, err}
	}()
	select {
	case l := <-read:
		return l.text, l.err
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), term.Restore(terminal, before))
	}
}

func (c *connectCommand) post(ctx context.Context, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(c.URL, "/")+path, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("--url: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("reach the service: %w", err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("read the service's answer: %w", err)
	}
	if res.StatusCode < 300 {
		return json.Unmarshal(answer, into)
	}
	var refused struct {
		Detail struct{ Code, Message, Hint string }
	}
	if json.Unmarshal(answer, &refused) != nil || refused.Detail.Code == "" {
		return fmt.Errorf("%s answered %s", c.URL, res.Status)
	}
	return fmt.Errorf("%s %s (%s)", refused.Detail.Message, refused.Detail.Hint, refused.Detail.Code)
}

// allowed is what the role of the token's employee may do, in words.
func allowed(p keys.Permissions) string {
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
