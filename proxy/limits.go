package proxy

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/limits"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/schemas/openai"
)

// expectedTokens is the estimated use of a request.
type expectedTokens struct {
	prompt          int
	requestedAnswer int // the answer's limit in the request; 0 if it has none
	defaultAnswer   int // assumed until there is an average of earlier requests
}

// admitToModel applies the limits of the caller's key and organization. The admission is nil if no limit applies.
func (s *Server) admitToModel(ctx context.Context, caller keys.Caller, model string, estimate limits.Estimate) (*limits.Admission, error) {
	effective, err := s.cfg.Keys.LimitsForCaller(ctx, caller)
	if errors.Is(err, keys.ErrLimitsAltered) {
		s.cfg.Log.ErrorContext(ctx, "model limits were altered in the database", "error", err)
	}
	if err != nil || len(effective) == 0 {
		return nil, err
	}
	return s.cfg.Limits.Admit(ctx, effective, limitedName(model), estimate)
}

// limitEstimate converts the tokens to an estimate for the limits.
func (e expectedTokens) limitEstimate(prices *models.Prices) limits.Estimate {
	return limits.Estimate{
		Minimum: limitUse(&openai.Usage{PromptTokens: e.prompt, CompletionTokens: e.requestedAnswer}, prices),
		Default: limitUse(&openai.Usage{PromptTokens: e.prompt, CompletionTokens: max(e.requestedAnswer, e.defaultAnswer)}, prices),
	}
}

// limitEstimate returns the estimate of the request's use.
func (m *modelRequest) limitEstimate() limits.Estimate {
	if !m.api.countsText {
		use := perRequestUse(m.model.Prices, m.choiceCount())
		return limits.Estimate{Minimum: use, Default: use}
	}
	return m.expected().limitEstimate(m.model.Prices)
}

// admitRequest calls admitToModel for an HTTP request, and sets the rate limit headers.
func (s *Server) admitRequest(ctx context.Context, r *request, model string, estimate limits.Estimate) (*limits.Admission, error) {
	admission, err := s.admitToModel(ctx, r.caller, model, estimate)
	r.setRateLimitHeaders(admission)
	return admission, err
}

// setRateLimitHeaders sets OpenAI's headers that say how much of the limits is left.
func (r *request) setRateLimitHeaders(a *limits.Admission) {
	for _, m := range []struct {
		measure limits.Measure
		name    string
	}{{limits.Requests, "requests"}, {limits.Tokens, "tokens"}} {
		level, limited := a.Level(m.measure)
		if !limited {
			continue
		}
		header := &r.fast.Response.Header
		header.Set("X-Ratelimit-Limit-"+m.name, strconv.FormatInt(level.Max, 10))
		header.Set("X-Ratelimit-Remaining-"+m.name, strconv.FormatInt(level.Left, 10))
		if level.Reset > 0 {
			header.Set("X-Ratelimit-Reset-"+m.name, level.Reset.Round(time.Millisecond).String())
		}
	}
}
