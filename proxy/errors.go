package proxy

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

// problem is an error in the form that the caller gets. A function creates one only if the message depends on what it alone
// knows. All other errors are mapped by [problemOf].
type problem struct {
	status     int
	detail     detail
	retryAfter time.Duration // for RATE_LIMITED and NOT_READY
	russian    localText     // if its message is empty, the English text is used; see [problem.inRussian]
	openAI     openai.Error  // its type, code and parameter, if set, override those of the error object in OpenAI's form
	final      bool          // a retry cannot help, although the status suggests it
	cause      error         // for the log only
}

// localText is the text of a problem in one language.
type localText struct {
	message, hint string
	fields        []fieldProblem // nil means the English ones
}

func (p *problem) Error() string {
	if p.cause != nil {
		return p.detail.Code + ": " + p.cause.Error()
	}
	return p.detail.Code + ": " + p.detail.Message
}

func (p *problem) Unwrap() error { return p.cause }

// inRussian sets the text for conversations and clients in Russian. Every problem that an owner can meet has one; problems of
// programs, such as a malformed header, need none.
func (p *problem) inRussian(message, hint string) *problem {
	p.russian.message, p.russian.hint = message, hint
	return p
}

// inLanguage returns the problem in a language.
func (p *problem) inLanguage(language string) *problem {
	if language != "ru" || p.russian.message == "" {
		return p
	}
	translated := *p
	translated.detail.Message, translated.detail.Hint = p.russian.message, p.russian.hint
	if p.russian.fields != nil {
		translated.detail.Fields = p.russian.fields
	}
	return &translated
}

// withCause sets the underlying error, for the log.
func (p *problem) withCause(err error) *problem {
	p.cause = err
	return p
}

// retryIn sets how long the caller must wait before trying again.
func (p *problem) retryIn(wait time.Duration) *problem {
	p.retryAfter = wait
	return p
}

// detail is the error object of our API.
type detail struct {
	Code      string            `json:"code"`
	Message   string            `json:"message"`
	Hint      string            `json:"hint"`
	Fields    []fieldProblem    `json:"fields,omitempty"`
	Accounts  []tools.Candidate `json:"accounts,omitempty"`
	Upstream  *upstreamError    `json:"upstream,omitempty"`
	State     string            `json:"state,omitempty"` // the state of the draft, for DRAFT_NOT_CONFIRMABLE
	RequestID string            `json:"request_id,omitempty"`
}

// fieldProblem is what is wrong with one field of a request. Field is a path such as "lines[0].units".
type fieldProblem struct {
	Field   string `json:"field"`
	Problem string `json:"problem"`
}

// upstreamError is an error of the upstream, with its own text.
type upstreamError struct {
	Status    int    `json:"status,omitempty"` // 0 if only the text was stored
	Code      int    `json:"code,omitempty"`
	Text      string `json:"text"`
	Parameter string `json:"parameter,omitempty"`
}

// errorBody is the body of every error: our object and OpenAI's side by side, so that OpenAI's clients show the message on
// every path.
type errorBody struct {
	Detail detail       `json:"detail"`
	Error  openai.Error `json:"error"`
}

func (p *problem) body() errorBody {
	f := errorBody{Detail: p.detail, Error: openai.Error{
		Message: p.detail.Message, Type: errorType(p.status), Code: p.detail.Code,
	}}
	if p.detail.Hint != "" {
		f.Error.Message += " " + p.detail.Hint
	}
	if len(p.detail.Fields) > 0 {
		f.Error.Param = &p.detail.Fields[0].Field
	}
	f.Error.Type, f.Error.Code = cmp.Or(p.openAI.Type, f.Error.Type), cmp.Or(p.openAI.Code, f.Error.Code)
	f.Error.Param = cmp.Or(p.openAI.Param, f.Error.Param)
	return f
}

// redacted returns the problem without secrets, since its texts quote what callers and other services have sent.
func (p *problem) redacted() *problem {
	clean := *p
	for _, text := range []*string{&clean.detail.Message, &clean.detail.Hint, &clean.russian.message, &clean.russian.hint} {
		*text = redact.Text(*text)
	}
	for _, fields := range []*[]fieldProblem{&clean.detail.Fields, &clean.russian.fields} {
		*fields = slices.Clone(*fields)
		for i, f := range *fields {
			(*fields)[i] = fieldProblem{redact.Text(f.Field), redact.Text(f.Problem)}
		}
	}
	if u := p.detail.Upstream; u != nil {
		cleanUpstream := *u
		cleanUpstream.Text, cleanUpstream.Parameter = redact.Text(u.Text), redact.Text(u.Parameter)
		clean.detail.Upstream = &cleanUpstream
	}
	clean.openAI.Type, clean.openAI.Code = redact.Text(p.openAI.Type), redact.Text(p.openAI.Code)
	if p.openAI.Param != nil {
		clean.openAI.Param = new(redact.Text(*p.openAI.Param))
	}
	return &clean
}

// isFinal reports whether retrying cannot help. By default, OpenAI's clients retry 409, 429 and 5xx.
func (p *problem) isFinal() bool {
	if p.final {
		return true
	}
	switch p.status {
	case http.StatusConflict:
		return p.retryAfter == 0
	case http.StatusTooManyRequests:
		return p.openAI.Code == insufficientQuota
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

func newProblem(status int, code, message, hint string) *problem {
	return &problem{status: status, detail: detail{Code: code, Message: message, Hint: hint}}
}

func invalid(message, hint string, fields ...fieldProblem) *problem {
	p := newProblem(http.StatusBadRequest, "REQUEST_INVALID", message, hint)
	p.detail.Fields = fields
	return p
}

// invalidField returns REQUEST_INVALID for one field of a program's request. Problems that an owner can meet have texts in both
// languages: [invalidValues].
func invalidField(name, format string, values ...any) *problem {
	what := fmt.Sprintf(format, values...)
	return invalid(invalidMessage([]string{name + " " + what}), correctFields, fieldProblem{name, what})
}

const correctFields = "Correct the named fields and send the request again."

func invalidMessage(problems []string) string {
	return "The request is not valid: " + strings.Join(problems, "; ") + "."
}

func wrongCursor(cursor string) *problem {
	return invalidField("cursor", "must be a next_cursor of this list, got %q", cursor)
}

// notFound returns NOT_FOUND. It adds the full stop to the message.
func notFound(message string) *problem {
	return notFoundIn("Check the id or name; the lists of this API have the valid ones.", message)
}

// notFoundIn is like notFound, with a hint where to look.
func notFoundIn(hint, message string) *problem {
	return newProblem(http.StatusNotFound, "NOT_FOUND", message+".", hint)
}

func rateLimited(message, hint string, wait time.Duration) *problem {
	return newProblem(http.StatusTooManyRequests, "RATE_LIMITED", message, hint).retryIn(wait)
}

func permissionDenied(message, hint string) *problem {
	return newProblem(http.StatusForbidden, "AUTH_PERMISSION_DENIED", message, hint)
}

func notReady(cause error) *problem {
	return newProblem(http.StatusServiceUnavailable, "NOT_READY", "The service is not ready to answer.",
		"Repeat the request in a few seconds.").
		inRussian("Сервис пока не готов отвечать.", "Повторите запрос через несколько секунд.").withCause(cause).retryIn(time.Second)
}

// problemOf returns the problem for any error. Only here do errors of other packages get a status. An unknown error is a
// bug: the caller gets INTERNAL, and the cause is logged.
func problemOf(ctx context.Context, err error) *problem { return findProblem(ctx, err).redacted() }

func findProblem(ctx context.Context, err error) *problem {
	if p, is := errors.AsType[*problem](err); is {
		return p
	}
	if suspended, is := errors.AsType[*drafts.SuspendedError](err); is {
		return findProblem(ctx, suspended.Err).afterConfirmation().withCause(err)
	}
	if cause := context.Cause(ctx); errors.Is(cause, clients.ErrLeft) || errors.Is(cause, errStopping) {
		return endedProblem(ctx).withCause(err)
	}
	for _, mapError := range []func(error) *problem{
		accountProblem, keyProblem, capacityProblem, valueProblem, draftProblem, upstreamProblem, agentProblem, limitProblem,
	} {
		if p := mapError(err); p != nil {
			return p.withCause(err)
		}
	}
	if cursor, is := errors.AsType[*database.CursorError](err); is {
		return wrongCursor(cursor.Cursor).withCause(err)
	}
	if database.IsUnavailable(err) {
		return notReady(err)
	}
	if ctx.Err() != nil {
		return endedProblem(ctx).withCause(err)
	}
	if errors.Is(err, context.DeadlineExceeded) { // from an operation with its own timeout, such as the look-up of a key
		return notReady(err)
	}
	return newProblem(http.StatusInternalServerError, "INTERNAL", "The service could not handle this request because of an internal error.",
		"Report the request_id: the log has the cause.").
		inRussian("Запрос не выполнен из-за внутренней ошибки сервиса.", "Сообщите номер запроса: причина есть в журнале.").withCause(err)
}

// endedProblem returns the problem of a request whose context was cancelled.
func endedProblem(ctx context.Context) *problem {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStopping):
		return notReady(cause)
	case errors.Is(cause, clients.ErrLeft):
		return newProblem(statusClientLeft, "CLIENT_LEFT", "The client closed the connection.", "")
	}
	return newProblem(http.StatusGatewayTimeout, "UPSTREAM_TIMEOUT", "The answer was not complete within the request's time limit.",
		"Ask for less at once, or repeat the request when fewer questions are running.").
		inRussian("Ответ не был готов за отведённое время.", "Сузьте вопрос или повторите его позже.")
}

// statusClientLeft appears only in the log and metrics, because there is no client to receive it. nginx uses the same
// number.
const statusClientLeft = 499
