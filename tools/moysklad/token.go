package moysklad

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Token is an employee's access token. It always prints as ***.
type Token string

// Format hides the token for every verb.
func (Token) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "***") }

// String hides the token.
func (Token) String() string { return "***" }

// MarshalJSON hides the token.
func (Token) MarshalJSON() ([]byte, error) { return []byte(`"***"`), nil }

// LogValue hides the token.
func (Token) LogValue() slog.Value { return slog.StringValue("***") }

var errTokenMalformed = errors.New("it contains characters that a token cannot contain")

// hidden is a token as a function, so that printing a value that contains it cannot reveal the token.
type hidden func() Token

func (t Token) hide() hidden { return func() Token { return t } }

// hideIn removes the token from a text.
func (t Token) hideIn(text string) string {
	if t == "" {
		return text
	}
	return strings.ReplaceAll(text, string(t), t.String())
}

// check rejects a token that cannot be part of a header.
func (t Token) check() error {
	if t == "" || strings.ContainsFunc(string(t), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%w: %w", ErrTokenRefused, errTokenMalformed)
	}
	return nil
}

// IsTokenRefused reports whether err means that the upstream refuses this token, not another token of the account that was in
// use in the meantime.
func IsTokenRefused(err error, token Token) bool {
	said, answered := errors.AsType[*Error](err)
	return errors.Is(err, ErrTokenRefused) && (!answered || said.token == nil || said.token() == token)
}
