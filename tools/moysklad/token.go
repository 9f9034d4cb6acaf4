package moysklad

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Token is an employee's access token. It is always printed as ***.
type Token string

// Format writes ***, whatever the verb.
func (Token) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "***") }

// String hides the token.
func (Token) String() string { return "***" }

// MarshalJSON hides the token.
func (Token) MarshalJSON() ([]byte, error) { return []byte(`"***"`), nil }

// LogValue hides the token.
func (Token) LogValue() slog.Value { return slog.StringValue("***") }

var errTokenMalformed = errors.New("it contains characters that a token cannot contain")

// hidden is a token in a function. If a struct that contains it is printed, the token is not shown.
type hidden func() Token

func (t Token) hide() hidden { return func() Token { return t } }

// hideIn removes the token from a text.
func (t Token) hideIn(text string) string {
	if t == "" {
		return text
	}
	return strings.ReplaceAll(text, string(t), t.String())
}

// check returns an error if the token has characters that a header must not contain.
func (t Token) check() error {
	if t == "" || strings.ContainsFunc(string(t), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%w: %w", ErrTokenRefused, errTokenMalformed)
	}
	return nil
}

// IsTokenRefused reports whether err means that the upstream refuses the given token. It is false if the refused token
// is another one, because the connection's token was replaced in the meantime.
func IsTokenRefused(err error, token Token) bool {
	said, answered := errors.AsType[*Error](err)
	return errors.Is(err, ErrTokenRefused) && (!answered || said.token == nil || said.token() == token)
}
