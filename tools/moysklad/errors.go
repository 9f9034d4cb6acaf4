package moysklad

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
)

// The kinds of errors that callers may want to handle differently. Test for them with errors.Is.
var (
	// ErrTokenRefused: the upstream refuses the token (401, code 1056 or 1061). No call with it will succeed.
	ErrTokenRefused = errors.New("the upstream refuses the token")
	// ErrPermission: the employee's role or the tariff does not allow the request (403).
	ErrPermission = errors.New("the employee's role does not allow it")
	// ErrRejected: the upstream refused the request (other 4xx). Retrying does not help.
	ErrRejected = errors.New("the upstream refused the request")
	// ErrUnavailable: the upstream failed even after retries, or the breaker stopped the call to protect the account.
	ErrUnavailable = errors.New("the upstream is unavailable")
	// ErrTimeout: the pace or the upstream did not serve the request before the caller's deadline.
	ErrTimeout = errors.New("the upstream did not answer in time")
	// ErrNotSent: the request was not sent, so it has had no effect. The error also wraps one of the other kinds.
	ErrNotSent = errors.New("the request was not sent")
	// ErrIncomplete: a list changed while it was read, or rows are missing or not whole. None of its rows may be used.
	ErrIncomplete = errors.New("the list could not be read completely")
	// ErrTooLarge: the answer takes more memory than this client allows. Retrying does not help; a narrower request may.
	ErrTooLarge = errors.New("the answer is larger than this client reads")
)

// Error is an error answer of the upstream. It wraps one of the errors above.
type Error struct {
	Kind      error  // which error it wraps: ErrTokenRefused, ErrPermission, ErrRejected or ErrUnavailable
	Status    int    // HTTP status
	Code      int    // the upstream's code; 0 if it gave none
	Text      string // the upstream's text; untrusted
	Parameter string // the field or parameter that is wrong; often empty
	Path      string // of the request, without query

	token hidden // used for the request; nil if unknown
}

func (e *Error) Error() string {
	if e.Code == 0 {
		return fmt.Sprintf("%s: %d %s", e.Path, e.Status, e.Text)
	}
	return fmt.Sprintf("%s: %d %s (code %d)", e.Path, e.Status, e.Text, e.Code)
}

func (e *Error) Unwrap() error { return e.Kind }

// longestText is the maximum length of [Error.Text] in runes.
const longestText = 1000

// errorBody is the body of an error answer. It can list several errors.
//
// Source: md/_errors.md.
type errorBody struct {
	Errors []struct {
		Error     string `json:"error"`
		Message   string `json:"error_message"`
		Code      int    `json:"code"`
		Parameter string `json:"parameter"`
	} `json:"errors"`
}

// parseError creates an error from an answer with any body: the upstream's JSON, a web server's error page, or nothing.
// If there are several errors, the first determines the kind, and the texts are joined.
func parseError(path string, status int, contentType string, body []byte) *Error {
	e := &Error{Status: status, Path: path}
	var sent errorBody
	if isJSON(contentType) && json.Unmarshal(body, &sent) == nil && len(sent.Errors) > 0 {
		e.Code, e.Parameter = sent.Errors[0].Code, sent.Errors[0].Parameter
		var texts []string
		for _, one := range sent.Errors {
			texts = append(texts, cmp.Or(one.Error, one.Message))
		}
		e.Text = shorten(strings.Join(texts, "; "))
	}
	if e.Text == "" {
		e.Text = http.StatusText(status)
	}
	e.Kind = kindOf(status, e.Code)
	return e
}

// The upstream's codes that this package treats specially.
//
// Source: md/_errors.md.
const (
	codeRate        = 1049 // units used up
	codeParallel    = 1073 // too many calls in flight
	codeAuth        = 1056
	codeNoAPI       = 1061 // the employee's role has no access to the API
	codeConcurrent  = 1065 // concurrent change of the same object
	codeMaintenance = 1074
	codeRetryLater  = 1095
)

func kindOf(status, code int) error {
	switch code {
	case codeAuth, codeNoAPI:
		return ErrTokenRefused
	case codeRate, codeParallel, codeConcurrent, codeMaintenance, codeRetryLater:
		return ErrUnavailable
	case 1016, 1017, 1018, 1045, 1075, 1092, // view, edit, delete, create, a field, post
		1043, 1070, // tariff
		13003, 13004: // stock reports
		return ErrPermission
	}
	switch {
	case status == http.StatusUnauthorized:
		return ErrTokenRefused
	case status == http.StatusForbidden:
		return ErrPermission
	case status == http.StatusTooManyRequests || status >= 500:
		return ErrUnavailable
	default:
		return ErrRejected
	}
}

func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > longestText {
		return string(runes[:longestText]) + "…"
	}
	return text
}
