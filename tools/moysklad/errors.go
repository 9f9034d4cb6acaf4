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

// The ways in which a call fails that a caller treats differently; test with errors.Is.
var (
	// ErrTokenRefused: the upstream does not take the token (401, code 1056 or 1061): no call with it will succeed.
	ErrTokenRefused = errors.New("the upstream refuses the token")
	// ErrPermission: the employee's role or the tariff does not allow it (403).
	ErrPermission = errors.New("the employee's role does not allow it")
	// ErrRejected: the upstream refused what was asked (other 4xx); repeating it is pointless.
	ErrRejected = errors.New("the upstream refused the request")
	// ErrUnavailable: the upstream failed after retries, or the breaker keeps the account from being locked out.
	ErrUnavailable = errors.New("the upstream is unavailable")
	// ErrTimeout: the pace or the upstream could not serve within the caller's time.
	ErrTimeout = errors.New("the upstream did not answer in time")
	// ErrNotSent: the request did not leave, so nothing can have come of it. It comes beside one of the others.
	ErrNotSent = errors.New("the request was not sent")
	// ErrIncomplete: a list changed or came short while it was read; no part of it may be used.
	ErrIncomplete = errors.New("the list could not be read completely")
)

// Error is an answer of the upstream that is an error. It wraps one of the errors above.
type Error struct {
	Kind      error  // ErrTokenRefused, ErrPermission, ErrRejected or ErrUnavailable
	Status    int    // of HTTP
	Code      int    // the upstream's own; 0 if it gave none
	Text      string // the upstream's own words; untrusted
	Parameter string // the field it names; often empty
	Path      string // what was asked, without query

	token hidden // with which it was asked; nil if that is not known
}

func (e *Error) Error() string {
	if e.Code == 0 {
		return fmt.Sprintf("%s: %d %s", e.Path, e.Status, e.Text)
	}
	return fmt.Sprintf("%s: %d %s (code %d)", e.Path, e.Status, e.Text, e.Code)
}

func (e *Error) Unwrap() error { return e.Kind }

// longestText is how much of the upstream's own words an [Error] keeps, in runes.
const longestText = 1000

// errorBody is how the upstream tells errors; there may be several.
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

// parseError makes an error of an answer that is one, whatever its body: the upstream's JSON, a web server's page, or
// nothing. Of several errors the first decides and the texts are joined.
func parseError(path string, status int, contentType string, body []byte) *Error {
	e := &Error{Status: status, Path: path}
	var told errorBody
	if isJSON(contentType) && json.Unmarshal(body, &told) == nil && len(told.Errors) > 0 {
		e.Code, e.Parameter = told.Errors[0].Code, told.Errors[0].Parameter
		var texts []string
		for _, one := range told.Errors {
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

// The upstream's codes that this package acts upon.
//
// Source: md/_errors.md.
const (
	codeRate        = 1049 // units used up
	codeParallel    = 1073 // too many calls in flight
	codeAuth        = 1056
	codeNoAPI       = 1061 // the role has no access to the API
	codeConcurrent  = 1065 // somebody changes it at the same moment
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

// isJSON says whether a Content-Type promises JSON.
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
