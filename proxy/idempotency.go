package proxy

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/database"
)

// idempotent wraps the function of a POST that creates something, and adds support for Idempotency-Key.
func idempotent(run function) function {
	return func(s *Server, ctx context.Context, r *request) (httpResponse, error) {
		key, err := r.header("Idempotency-Key")
		if err != nil {
			return httpResponse{}, err
		}
		if key == "" {
			return run(s, ctx, r)
		}
		return s.runOnce(ctx, r, key, run)
	}
}

// refuseIdempotencyKey refuses a question to the agent that has an Idempotency-Key: its answer, which may have made a draft,
// is not saved, and a client would repeat it in the belief that it is.
func (r *request) refuseIdempotencyKey() error {
	key, err := r.header("Idempotency-Key")
	if err != nil || key == "" {
		return err
	}
	return problem.Invalid("Idempotency-Key is not supported for questions to the agent.",
		"Leave the header out. If a question was cut off, look at GET /api/v1/drafts before you repeat it.").
		At("Idempotency-Key", "is not supported here").
		InRussian("Для вопросов Idempotency-Key не поддерживается.",
			"Уберите этот заголовок. Если ответ на вопрос оборвался, до повтора проверьте черновики: GET /api/v1/drafts.")
}

// runOnce calls run, or returns the saved response of an earlier call. If the call certainly created nothing, the
// Idempotency-Key can be used again.
func (s *Server) runOnce(ctx context.Context, r *request, key string, run function) (httpResponse, error) {
	attempt := keys.IdempotentRequest{
		OrganizationID: r.caller.OrganizationID,
		KeyID:          r.caller.KeyID,
		IdempotencyKey: key,
		RequestHash:    r.hash(),
	}
	earlier, err := s.cfg.Idempotency.Begin(ctx, attempt)
	switch {
	case errors.Is(err, keys.ErrInProgress):
		return httpResponse{}, inProgress(key)
	case errors.Is(err, keys.ErrOutcomeUnknown):
		return httpResponse{}, outcomeUnknown(key)
	case err != nil:
		return httpResponse{}, err
	}
	if earlier != nil {
		header := map[string]string{"Idempotent-Replayed": "true"}
		return httpResponse{status: earlier.Status, contentType: "application/json", header: header, raw: earlier.Body}, nil
	}
	response, err := run(s, ctx, r)
	ctx = context.WithoutCancel(ctx)
	switch {
	case errors.Is(err, database.ErrMaybeCommitted): // it may have created something, so it must not run again
		return httpResponse{}, outcomeUnknown(key).WithCause(err)
	case err != nil, response.status == http.StatusOK && !response.created:
		return response, errors.Join(err, s.cfg.Idempotency.Release(ctx, attempt))
	}
	if err := s.saveResponse(ctx, attempt, response); err != nil { // the object exists, and its secret is only in this response
		s.cfg.Log.ErrorContext(ctx, "the response to a request with an Idempotency-Key was not saved", "error", err)
	}
	return response, nil
}

func (s *Server) saveResponse(ctx context.Context, attempt keys.IdempotentRequest, response httpResponse) error {
	body, err := json.Marshal(response.value)
	if err != nil {
		return fmt.Errorf("encode the response: %w", err)
	}
	return s.cfg.Idempotency.Finish(ctx, attempt, keys.SavedResponse{Status: response.status, Body: body})
}

// hash covers everything that distinguishes requests. This includes the query and X-Connection-Id, because the same gateway
// write to another account is a different draft.
func (r *request) hash() [sha256.Size]byte {
	sum := fmt.Appendf(nil, "%s %s", r.method(), r.path())
	if query := r.fast.URI().QueryString(); len(query) > 0 {
		sum = fmt.Appendf(sum, "?%s", query)
	}
	if connection := r.fast.Request.Header.Peek("X-Connection-Id"); len(connection) > 0 {
		sum = fmt.Appendf(sum, " %s", connection)
	}
	return sha256.Sum256(fmt.Appendf(sum, "\n%s", r.fast.PostBody()))
}

func inProgress(key string) *problem.Problem {
	return problem.New(http.StatusConflict, "REQUEST_IN_PROGRESS", fmt.Sprintf("A request with the Idempotency-Key %q is still running.", key),
		"Repeat the request in a second to get the response of the first.").
		InRussian("Такой же запрос ещё выполняется.", "Повторите через секунду, чтобы получить его ответ.").
		RetryIn(time.Second)
}

func outcomeUnknown(key string) *problem.Problem {
	return problem.New(http.StatusConflict, "REQUEST_OUTCOME_UNKNOWN",
		fmt.Sprintf("The request with the Idempotency-Key %q was interrupted, and it is not known whether it created anything.", key),
		"Look for the new object in its list. If it is not there, or if its secret is lost, send the request with a new Idempotency-Key.").
		InRussian("Такой же запрос был прерван, и неизвестно, выполнен ли он.",
			"Проверьте по списку, появилось ли то, что он создаёт. Если нет, отправьте запрос заново с новым Idempotency-Key.")
}
