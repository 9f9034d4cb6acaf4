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
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// problem is an error as a caller sees it. Functions return one where only they know the right words; every other error
// becomes one in [problemOf].
type problem struct {
	status     int
	detail     detail
	retryAfter time.Duration // of RATE_LIMITED and NOT_READY
	russian    words         // for conversations in that language; without a message, English is used there too
	said       openai.Error  // type, code and parameter that stand in OpenAI's object instead of ours; empty ones do not
	cause      error         // for the log only
}

// words are what people read of a problem.
type words struct{ message, hint string }

func (p *problem) Error() string {
	if p.cause != nil {
		return p.detail.Code + ": " + p.cause.Error()
	}
	return p.detail.Code + ": " + p.detail.Message
}

func (p *problem) Unwrap() error { return p.cause }

// inRussian adds the words for a conversation in Russian.
func (p *problem) inRussian(message, hint string) *problem {
	p.russian = words{message, hint}
	return p
}

// in is the problem for a conversation in a language.
func (p *problem) in(language string) *problem {
	if language != "ru" || p.russian.message == "" {
		return p
	}
	told := *p
	told.detail.Message, told.detail.Hint = p.russian.message, p.russian.hint
	return &told
}

// because keeps what happened, for the log.
func (p *problem) because(err error) *problem {
	p.cause = err
	return p
}

// detail is the error object of the contract.
type detail struct {
	Code      string            `json:"code"`
	Message   string            `json:"message"`
	Hint      string            `json:"hint"`
	Fields    []field           `json:"fields,omitempty"`
	Accounts  []tools.Candidate `json:"accounts,omitempty"`
	Upstream  *upstream         `json:"upstream,omitempty"`
	State     string            `json:"state,omitempty"` // of the draft, of DRAFT_NOT_CONFIRMABLE
	RequestID string            `json:"request_id,omitempty"`
}

// field is one thing wrong with a request. Field is a path such as "lines[0].units".
type field struct {
	Field   string `json:"field"`
	Problem string `json:"problem"`
}

// upstream is what the upstream said, in its own words.
type upstream struct {
	Status    int    `json:"status,omitempty"` // absent where only its words were kept
	Code      int    `json:"code,omitempty"`
	Text      string `json:"text"`
	Parameter string `json:"parameter,omitempty"`
}

// failure is the body of every error: ours and OpenAI's object side by side, so that OpenAI's clients show the message
// whichever of the addresses they were pointed at.
type failure struct {
	Detail detail       `json:"detail"`
	Error  openai.Error `json:"error"`
}

func (p *problem) body() failure {
	f := failure{Detail: p.detail, Error: openai.Error{
		Message: p.detail.Message, Type: errorType(p.status), Code: p.detail.Code,
	}}
	if p.detail.Hint != "" {
		f.Error.Message += " " + p.detail.Hint
	}
	if len(p.detail.Fields) > 0 {
		f.Error.Param = &p.detail.Fields[0].Field
	}
	f.Error.Type, f.Error.Code = cmp.Or(p.said.Type, f.Error.Type), cmp.Or(p.said.Code, f.Error.Code)
	f.Error.Param = cmp.Or(p.said.Param, f.Error.Param)
	return f
}

// redacted is the problem, none of whose words holds a secret: they quote what a caller or another service sent.
func (p *problem) redacted() *problem {
	told := *p
	for _, words := range []*string{&told.detail.Message, &told.detail.Hint, &told.russian.message, &told.russian.hint} {
		*words = redact.Text(*words)
	}
	told.detail.Fields = slices.Clone(p.detail.Fields)
	for i, f := range told.detail.Fields {
		told.detail.Fields[i] = field{redact.Text(f.Field), redact.Text(f.Problem)}
	}
	if u := p.detail.Upstream; u != nil {
		clean := *u
		clean.Text, clean.Parameter = redact.Text(u.Text), redact.Text(u.Parameter)
		told.detail.Upstream = &clean
	}
	told.said.Type, told.said.Code = redact.Text(p.said.Type), redact.Text(p.said.Code)
	if p.said.Param != nil {
		told.said.Param = new(redact.Text(*p.said.Param))
	}
	return &told
}

// final reports that repeating the same request is pointless. OpenAI's clients repeat 409, 429 and 5xx by themselves.
func (p *problem) final() bool {
	switch p.status {
	case http.StatusConflict:
		return p.retryAfter == 0
	case http.StatusTooManyRequests:
		return p.said.Code == insufficientQuota
	case http.StatusRequestTimeout, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return false
	}
	return true
}

// errorType is OpenAI's name for a kind of error.
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

func refuse(status int, code, message, hint string) *problem {
	return &problem{status: status, detail: detail{Code: code, Message: message, Hint: hint}}
}

// invalid is REQUEST_INVALID. With fields, the message names them all.
func invalid(message, hint string, fields ...field) *problem {
	p := refuse(http.StatusBadRequest, "REQUEST_INVALID", message, hint)
	p.detail.Fields = fields
	return p
}

// invalidFields is REQUEST_INVALID about fields alone.
func invalidFields(fields ...field) *problem {
	problems := make([]string, len(fields))
	for i, f := range fields {
		problems[i] = f.Field + " " + f.Problem
	}
	return invalid(notValid(problems), correct, fields...)
}

const correct = "Correct the named fields and send the request again."

func notValid(problems []string) string {
	return "The request is not valid: " + strings.Join(problems, "; ") + "."
}

func wrongCursor(cursor string) *problem {
	return invalidFields(field{"cursor", fmt.Sprintf("must be a next_cursor of this list, got %q", cursor)})
}

func notFound(what string) *problem {
	return refuse(http.StatusNotFound, "NOT_FOUND", what+".", "Check the id or name; the lists of this API show what there is.")
}

func denied(message, hint string) *problem {
	return refuse(http.StatusForbidden, "AUTH_PERMISSION_DENIED", message, hint)
}

func notReady(cause error) *problem {
	p := refuse(http.StatusServiceUnavailable, "NOT_READY", "The service is not ready to answer.",
		"Repeat the request in a few seconds.").because(cause)
	p.retryAfter = time.Second
	return p
}

// problemOf turns any error into what the caller sees: the one place where errors of the packages below get a status.
// An unknown error is a defect: the caller gets INTERNAL, the log gets the rest.
func problemOf(ctx context.Context, err error) *problem { return problemBehind(ctx, err).redacted() }

func problemBehind(ctx context.Context, err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	if cause := context.Cause(ctx); errors.Is(cause, errLeft) || errors.Is(cause, errStopping) {
		return endedProblem(ctx).because(err)
	}
	for _, known := range []func(error) *problem{
		accountProblem, keyProblem, crowdProblem, toolProblem, draftProblem, upstreamProblem, agentProblem, limitProblem, databaseProblem,
	} {
		if p := known(err); p != nil {
			return p.because(err)
		}
	}
	if database.IsAway(err) {
		return notReady(err)
	}
	if ctx.Err() != nil {
		return endedProblem(ctx).because(err)
	}
	if errors.Is(err, context.DeadlineExceeded) { // of a time of its own, as looking up has: who else is asked says so himself
		return notReady(err)
	}
	return refuse(http.StatusInternalServerError, "INTERNAL", "The service failed on this request because of a defect of its own.",
		"Report the request_id; the log has the cause under it.").because(err)
}

// endedProblem says why the work of a request was ended from outside.
func endedProblem(ctx context.Context) *problem {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStopping):
		return notReady(cause)
	case errors.Is(cause, errLeft):
		return refuse(statusClientLeft, "CLIENT_LEFT", "The client closed the connection.", "")
	}
	return refuse(http.StatusGatewayTimeout, "UPSTREAM_TIMEOUT", "The answer could not be made within the request's time.",
		"Ask for less at once, or repeat the request when fewer questions run.").
		inRussian("Ответ не успел сложиться за отведённое время.", "Спросите о меньшем или повторите вопрос позже.")
}

// statusClientLeft is seen in the log and metrics only: nobody is there to read it. The number is nginx's.
const statusClientLeft = 499
