package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/kopeck/kopeck/schemas/openai"
)

// client has the settings of commands that use a running service.
type client struct {
	URL string `env:"KOPECK_URL" default:"http://127.0.0.1:8080" help:"Address of the service, or its base URL."`
	Key string `env:"KOPECK_KEY" help:"An API key. Scopes: ask takes chat; tool write:tools, and read:tools for --arg and the list; confirm write:tools and read:data; connect admin."`

	errorLanguage string // "ru", "en", or empty: that of the question, otherwise English
}

// AfterApply checks the settings before a command asks for a token or reads its input.
func (c *client) AfterApply() error {
	const address = "an http or https address, for instance http://127.0.0.1:8080"
	at, err := url.Parse(c.URL)
	switch {
	case err != nil:
		return settingError("KOPECK_URL", "cannot be read", address)
	case at.Host == "" || at.Scheme != "http" && at.Scheme != "https":
		return settingError("KOPECK_URL", fmt.Sprintf("holds %q", at.Redacted()), address)
	}
	if c.Key == "" {
		return settingError("KOPECK_KEY", "is not set", "an API key; kopeck key create makes one, and the demo prints one")
	}
	return nil
}

// baseURL returns the service's address. The setting may also be the base URL for OpenAI's clients, as the demo prints it.
// Then its path is removed.
func (c *client) baseURL() string {
	root := strings.TrimRight(c.URL, "/")
	for _, end := range []string{"/api/v1", "/v1"} {
		if before, is := strings.CutSuffix(root, end); is {
			return before
		}
	}
	return root
}

// send sends body, unless it is nil, as JSON. It returns the service's response, whose body the caller must close. An error of
// the service is returned with the service's text. send does not retry, because a question may already have caused calls to
// MoySklad.
func (c *client) send(ctx context.Context, method, path string, header map[string]string, body any) (*http.Response, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	res, err := c.do(ctx, method, path, header, text)
	if err != nil {
		return nil, err
	}
	if res.StatusCode < http.StatusMultipleChoices {
		return res, nil
	}
	answer, err := readAnswer(res)
	if err != nil {
		return nil, err
	}
	if refused := serviceError(answer); refused != nil {
		return nil, refused
	}
	return nil, fmt.Errorf("%s answered %s: is it a kopeck service?", c.shownURL(), res.Status)
}

// do sends a request with a body of JSON. It returns any response, whatever its status.
func (c *client) do(ctx context.Context, method, path string, header map[string]string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.baseURL()+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("--url: %w", err)
	}
	for name, value := range header {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	req.Header.Set("Content-Type", "application/json")
	if c.errorLanguage != "" {
		req.Header.Set("Accept-Language", c.errorLanguage)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, c.unreachable(err)
	}
	return res, nil
}

// unreachable returns the error of a request that got no response.
func (c *client) unreachable(err error) error {
	if failed := (*net.OpError)(nil); errors.As(err, &failed) && failed.Op == "dial" {
		return fmt.Errorf("no kopeck service answers at %s: start it with kopeck serve, or correct KOPECK_URL (--url): %w", c.shownURL(), failed)
	}
	return fmt.Errorf("reach the service: %w", err)
}

// shownURL returns the service's address without the password that it may have.
func (c *client) shownURL() string {
	at, err := url.Parse(c.URL)
	if err != nil {
		return "KOPECK_URL"
	}
	return at.Redacted()
}

// call sends a request and returns the body of the response.
func (c *client) call(ctx context.Context, method, path string, header map[string]string, body any) ([]byte, error) {
	res, err := c.send(ctx, method, path, header, body)
	if err != nil {
		return nil, err
	}
	return readAnswer(res)
}

func (c *client) post(ctx context.Context, path string, body any) ([]byte, error) {
	return c.call(ctx, http.MethodPost, path, nil, body)
}

// get decodes a response.
func (c *client) get(ctx context.Context, path string, into any) error {
	answer, err := c.call(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return err
	}
	return decodeAnswer(answer, into)
}

// complete asks a question. If session is empty, it starts a conversation.
func (c *client) complete(ctx context.Context, session, question string) (*openai.ChatCompletion, error) {
	header := map[string]string{"X-Session-Id": session}
	answer, err := c.call(ctx, http.MethodPost, "/v1/chat/completions", header, questionBody(question))
	if err != nil {
		return nil, err
	}
	completion := &openai.ChatCompletion{}
	if err := decodeAnswer(answer, completion); err != nil {
		return nil, err
	}
	if len(completion.Choices) == 0 {
		return nil, errors.New("the service's answer has no choices")
	}
	return completion, nil
}

func questionBody(question string) openai.ChatRequest {
	return openai.ChatRequest{Model: "kopeck", Messages: []openai.Message{{Role: openai.RoleUser, Content: openai.Content(question)}}}
}

func readAnswer(res *http.Response) ([]byte, error) {
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, fmt.Errorf("read the service's answer: %w", err)
	}
	return answer, nil
}

func decodeAnswer(answer []byte, into any) error {
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("read the service's answer: %w", err)
	}
	return nil
}

// serviceError returns the error in the body of a response, in one line, or nil if there is none.
func serviceError(body []byte) error {
	var refused struct {
		Detail struct {
			Code, Message, Hint string
			Fields              []struct{ Field string }
		}
	}
	if json.Unmarshal(body, &refused) != nil || refused.Detail.Code == "" {
		return nil
	}
	if fields := refused.Detail.Fields; len(fields) > 0 && fields[0].Field == "X-Org-Id" { // these commands send no such header
		return settingError("KOPECK_KEY", "holds an operator's key, which belongs to no single organization",
			"an organization's key; kopeck key create --org ORGANIZATION_ID --name NAME makes one")
	}
	return fmt.Errorf("%s %s (%s)", refused.Detail.Message, refused.Detail.Hint, refused.Detail.Code)
}
