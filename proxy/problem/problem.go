// Package problem says what errors look like to callers: their status, code, texts in both languages, and form. Only here do errors
// of other packages get a status.
package problem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/proxy/clients"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
)

// Problem is an error in the form that the caller gets. A function creates one only if the message depends on what it alone
// knows. All other errors are mapped by [Of].
type Problem struct {
	Status     int
	Detail     Detail
	RetryAfter time.Duration // for RATE_LIMITED and NOT_READY
	russian    localText     // if its message is empty, the English text is used; see [Problem.InRussian]
	OpenAI     openai.Error  // its type, code and parameter, if set, override those of the error object in OpenAI's form
	final      bool          // a retry cannot help, although the status suggests it
	cause      error         // for the log only
}

// localText is the text of a problem in one language.
type localText struct {
	message, hint string
	fields        []Field // nil means the English ones
}

func (p *Problem) Error() string {
	if p.cause != nil {
		return p.Detail.Code + ": " + p.cause.Error()
	}
	return p.Detail.Code + ": " + p.Detail.Message
}

func (p *Problem) Unwrap() error { return p.cause }

// InRussian sets the text for conversations and clients in Russian. Every problem that an owner can meet has one; problems of
// programs, such as a malformed header, need none.
func (p *Problem) InRussian(message, hint string) *Problem {
	p.russian.message, p.russian.hint = message, hint
	return p
}

// InLanguage returns the problem in a language.
func (p *Problem) InLanguage(language string) *Problem {
	if language != "ru" || p.russian.message == "" {
		return p
	}
	translated := *p
	translated.Detail.Message, translated.Detail.Hint = p.russian.message, p.russian.hint
	if p.russian.fields != nil {
		translated.Detail.Fields = p.russian.fields
	}
	return &translated
}

// WithCause sets the underlying error, for the log.
func (p *Problem) WithCause(err error) *Problem {
	p.cause = err
	return p
}

// RetryIn sets how long the caller must wait before trying again.
func (p *Problem) RetryIn(wait time.Duration) *Problem {
	p.RetryAfter = wait
	return p
}

// Detail is the error object of our API.
type Detail struct {
	Code      string            `json:"code"`
	Message   string            `json:"message"`
	Hint      string            `json:"hint"`
	Fields    []Field           `json:"fields,omitempty"`
	Accounts  []tools.Candidate `json:"accounts,omitempty"`
	Upstream  *UpstreamError    `json:"upstream,omitempty"`
	State     string            `json:"state,omitempty"` // the state of the draft, for DRAFT_NOT_CONFIRMABLE
	RequestID string            `json:"request_id,omitempty"`
}

// Field is what is wrong with one field of a request. Field is a path such as "lines[0].units".
type Field struct {
	Field   string `json:"field"`
	Problem string `json:"problem"`
}

// UpstreamError is an error of the upstream, with its own text.
type UpstreamError struct {
	Status    int    `json:"status,omitempty"` // 0 if only the text was stored
	Code      int    `json:"code,omitempty"`
	Text      string `json:"text"`
	Parameter string `json:"parameter,omitempty"`
}

// Body is the body of every error: our object and OpenAI's side by side, so that OpenAI's clients show the message on
// every path.
type Body struct {
	Detail Detail       `json:"detail"`
	Error  openai.Error `json:"error"`
}

func (p *Problem) Body() Body {
	f := Body{Detail: p.Detail, Error: openai.Error{
		Message: p.Detail.Message, Type: errorType(p.Status), Code: p.Detail.Code,
	}}
	if p.Detail.Hint != "" {
		f.Error.Message += " " + p.Detail.Hint
	}
	if len(p.Detail.Fields) > 0 {
		f.Error.Param = &p.Detail.Fields[0].Field
	}
	f.Error.Type, f.Error.Code = cmp.Or(p.OpenAI.Type, f.Error.Type), cmp.Or(p.OpenAI.Code, f.Error.Code)
	f.Error.Param = cmp.Or(p.OpenAI.Param, f.Error.Param)
	return f
}

// redacted returns the problem without secrets, since its texts quote what callers and other services have sent.
func (p *Problem) redacted() *Problem {
	clean := *p
	for _, text := range []*string{&clean.Detail.Message, &clean.Detail.Hint, &clean.russian.message, &clean.russian.hint} {
		*text = redact.Text(*text)
	}
	for _, fields := range []*[]Field{&clean.Detail.Fields, &clean.russian.fields} {
		*fields = slices.Clone(*fields)
		for i, f := range *fields {
			(*fields)[i] = Field{redact.Text(f.Field), redact.Text(f.Problem)}
		}
	}
	if u := p.Detail.Upstream; u != nil {
		cleanUpstream := *u
		cleanUpstream.Text, cleanUpstream.Parameter = redact.Text(u.Text), redact.Text(u.Parameter)
		clean.Detail.Upstream = &cleanUpstream
	}
	clean.OpenAI.Type, clean.OpenAI.Code = redact.Text(p.OpenAI.Type), redact.Text(p.OpenAI.Code)
	if p.OpenAI.Param != nil {
		clean.OpenAI.Param = new(redact.Text(*p.OpenAI.Param))
	}
	return &clean
}

// IsFinal reports whether retrying cannot help. By default, OpenAI's clients retry 409, 429 and 5xx.
func (p *Problem) IsFinal() bool {
	if p.final {
		return true
	}
	switch p.Status {
	case http.StatusConflict:
		return p.RetryAfter == 0
	case http.StatusTooManyRequests:
		return p.OpenAI.Code == insufficientQuota
	case http.StatusRequestTimeout, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return false
	}
	return true
}

// errorType returns OpenAI's error type for a status.
func errorType(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "authentication_error"
	case status == http.StatusForbidden:
		return "permission_error"
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

func New(status int, code, message, hint string) *Problem {
	return &Problem{Status: status, Detail: Detail{Code: code, Message: message, Hint: hint}}
}

// Invalid returns REQUEST_INVALID.
func Invalid(message, hint string) *Problem {
	return New(http.StatusBadRequest, "REQUEST_INVALID", message, hint)
}

// At adds what is wrong with one field.
func (p *Problem) At(field, what string) *Problem {
	p.Detail.Fields = append(p.Detail.Fields, Field{field, what})
	return p
}

// InvalidField returns REQUEST_INVALID for one field of a program's request. Problems that an owner can meet have texts in both
// languages: [InvalidValues].
func InvalidField(name, format string, values ...any) *Problem {
	what := fmt.Sprintf(format, values...)
	return Invalid(invalidMessage([]string{name + " " + what}), correctFields).At(name, what)
}

const correctFields = "Correct the named fields and send the request again."

func invalidMessage(problems []string) string {
	return "The request is not valid: " + strings.Join(problems, "; ") + "."
}

func wrongCursor(cursor string) *Problem {
	return InvalidField("cursor", "must be a next_cursor of this list, got %q", cursor)
}

// NotFound returns NOT_FOUND. It adds the full stop to the message.
func NotFound(message string) *Problem {
	return NotFoundIn("Check the id or name; the lists of this API have the valid ones.", message)
}

// NotFoundIn is like [NotFound], with a hint where to look.
func NotFoundIn(hint, message string) *Problem {
	return New(http.StatusNotFound, "NOT_FOUND", message+".", hint)
}

func RateLimited(message, hint string, wait time.Duration) *Problem {
	return New(http.StatusTooManyRequests, "RATE_LIMITED", message, hint).RetryIn(wait)
}

func Denied(message, hint string) *Problem {
	return New(http.StatusForbidden, "AUTH_PERMISSION_DENIED", message, hint)
}

func NotReady(cause error) *Problem {
	return New(http.StatusServiceUnavailable, "NOT_READY", "The service is not ready to answer.",
		"Repeat the request in a few seconds.").
		InRussian("Сервис пока не готов отвечать.", "Повторите запрос через несколько секунд.").WithCause(cause).RetryIn(time.Second)
}

// Of returns the problem for any error. Only here do errors of other packages get a status. An unknown error is a
// bug: the caller gets INTERNAL, and the cause is logged.
func Of(ctx context.Context, err error) *Problem { return findProblem(ctx, err).redacted() }

func findProblem(ctx context.Context, err error) *Problem {
	if p, is := errors.AsType[*Problem](err); is {
		return p
	}
	if suspended, is := errors.AsType[*drafts.SuspendedError](err); is {
		return findProblem(ctx, suspended.Err).afterConfirmation().WithCause(err)
	}
	if cause := context.Cause(ctx); errors.Is(cause, clients.ErrLeft) || errors.Is(cause, ErrStopping) {
		return Ended(ctx).WithCause(err)
	}
	for _, mapError := range []func(error) *Problem{
		accountProblem, keyProblem, capacityProblem, valueProblem, OfDraft, upstreamProblem, agentProblem, limitProblem,
	} {
		if p := mapError(err); p != nil {
			return p.WithCause(err)
		}
	}
	if cursor, is := errors.AsType[*database.CursorError](err); is {
		return wrongCursor(cursor.Cursor).WithCause(err)
	}
	if database.IsUnavailable(err) {
		return NotReady(err)
	}
	if ctx.Err() != nil {
		return Ended(ctx).WithCause(err)
	}
	if errors.Is(err, context.DeadlineExceeded) { // from an operation with its own timeout, such as the look-up of a key
		return NotReady(err)
	}
	return New(http.StatusInternalServerError, "INTERNAL", "The service could not handle this request because of an internal error.",
		"Report the request_id: the log has the cause.").
		InRussian("Запрос не выполнен из-за внутренней ошибки сервиса.", "Сообщите номер запроса: причина есть в журнале.").WithCause(err)
}

// Ended returns the problem of a request whose context was cancelled.
func Ended(ctx context.Context) *Problem {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, ErrStopping):
		return NotReady(cause)
	case errors.Is(cause, clients.ErrLeft):
		return New(statusClientLeft, "CLIENT_LEFT", "The client closed the connection.", "")
	}
	return New(http.StatusGatewayTimeout, "UPSTREAM_TIMEOUT", "The answer was not complete within the request's time limit.",
		"Ask for less at once, or repeat the request when fewer questions are running.").
		InRussian("Ответ не был готов за отведённое время.", "Сузьте вопрос или повторите его позже.")
}

// statusClientLeft appears only in the log and metrics, because there is no client to receive it. nginx uses the same
// number.
const statusClientLeft = 499

// ErrStopping is the cause of a context that ends because the server is stopping.
var ErrStopping = errors.New("the server is stopping")

// anthropicError is an error in Anthropic's format, with this service's detail.
type anthropicError struct {
	Type   string       `json:"type"`
	Error  openai.Error `json:"error"`
	Detail Detail       `json:"detail"`
}

// Anthropic returns the body of the problem in Anthropic's format.
func (p *Problem) Anthropic() anthropicError {
	body := p.Body()
	switch {
	case p.OpenAI.Type != "":
	case p.Status == http.StatusNotFound:
		body.Error.Type = "not_found_error"
	case p.Status == http.StatusRequestEntityTooLarge:
		body.Error.Type = "request_too_large"
	case p.Status >= http.StatusInternalServerError:
		body.Error.Type = "api_error"
	}
	return anthropicError{"error", body.Error, body.Detail}
}
