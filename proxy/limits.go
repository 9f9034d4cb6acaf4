package proxy

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/limits"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/proxy/spend"
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
func (c *modelRequest) limitEstimate() limits.Estimate {
	if !c.api.countsText {
		use := perRequestUse(c.model.Prices, c.choiceCount())
		return limits.Estimate{Minimum: use, Default: use}
	}
	return c.expected().limitEstimate(c.model.Prices)
}

// admitRequest calls admitToModel for an HTTP request, and sets the rate limit headers.
func (s *Server) admitRequest(ctx context.Context, r *request, model string, estimate limits.Estimate) (*limits.Admission, error) {
	admission, err := s.admitToModel(ctx, r.caller, model, estimate)
	r.setRateLimitHeaders(admission)
	if err != nil {
		return nil, err
	}
	return admission, nil
}

// freePrices are the prices of the offline model.
var freePrices = &models.Prices{}

// agentPrices returns the prices of the model behind one of the agent's names.
func (s *Server) agentPrices(name string) *models.Prices {
	if model := s.modelBehind(name); model != nil {
		return model.Prices
	}
	return freePrices
}

// modelBehind returns the model behind one of the agent's names; nil for the offline model.
func (s *Server) modelBehind(name string) *models.Model {
	if s.cfg.ModelBehind == nil {
		return nil
	}
	return s.cfg.ModelBehind(name)
}

// limitUse converts a usage to what the limits count. A nil usage means that nothing was used.
func limitUse(usage *openai.Usage, prices *models.Prices) limits.Use {
	if usage == nil {
		usage = &openai.Usage{}
	}
	prompt, completion := int64(usage.PromptTokens), int64(usage.CompletionTokens)
	use := limits.Use{Tokens: prompt + completion, Cost: spend.Cost(prices, prompt, int64(usage.CachedTokens), completion)}
	if prices != nil {
		use.Currency = prices.Currency
	}
	return use
}

// perRequestUse returns the use of a request whose price does not depend on tokens, such as for images or audio.
func perRequestUse(prices *models.Prices, results int) limits.Use {
	if prices == nil || prices.Request == nil {
		return limits.Use{}
	}
	cost := spend.FromDecimal(*prices.Request).Times(int64(results))
	return limits.Use{Cost: &cost, Currency: prices.Currency}
}

// settle counts the use of a pass-through request against the limits, and adds it to the organization's spend. A request
// that was refused before it reached the model does not count.
func (s *Server) settle(r *request) {
	if !r.record.admitted {
		return
	}
	failed := r.record.status >= http.StatusBadRequest
	used := limitUse(r.record.usage, r.record.prices)
	if r.record.usage == nil && (r.record.lost || !failed) && !r.modelRequest.api.countsText {
		used = perRequestUse(r.record.prices, r.modelRequest.choiceCount())
	}
	r.record.admission.Settle(used)
	counts, cost := spendCounts(r.record.usage, used.Cost, failed)
	if r.record.modelTries > 1 {
		counts.Fallbacks = 1
	}
	s.cfg.Spend.Add(r.caller.OrganizationID, r.caller.KeyID, r.record.model, counts, cost, used.Currency)
}

// withSpend counts the use of an agent's run, no matter how it ends.
func (s *Server) withSpend(
	caller keys.Caller,
	model string,
	admission *limits.Admission,
	run iter.Seq2[agent.Event, error],
) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		var used openai.Usage
		started, finished := false, false
		defer func() {
			use := limitUse(&used, s.agentPrices(model))
			admission.Settle(use)
			if started { // otherwise the model may not exist, and its name may be a secret
				counts, cost := spendCounts(&used, use.Cost, !finished)
				s.cfg.Spend.Add(caller.OrganizationID, caller.KeyID, model, counts, cost, use.Currency)
			}
		}()
		for event, err := range run {
			switch e := event.(type) {
			case agent.Started:
				started = true
			case agent.UsageSoFar:
				used = e.Usage
			case agent.Finished:
				used, finished = e.Usage, true
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

// spendCounts returns what a request adds to the spend. If usage or cost is nil, it is unknown.
func spendCounts(usage *openai.Usage, cost *spend.Sum, failed bool) (spend.Counts, *spend.Sum) {
	count := func(condition bool) int64 {
		if condition {
			return 1
		}
		return 0
	}
	c := spend.Counts{Requests: 1, Failed: count(failed)}
	if usage == nil {
		c.Uncounted, c.Unpriced = 1, count(!failed && cost == nil)
		if failed {
			cost = nil
		}
		return c, cost
	}
	c.PromptTokens, c.CachedTokens, c.CompletionTokens = int64(usage.PromptTokens), int64(usage.CachedTokens), int64(usage.CompletionTokens)
	c.Estimated, c.Unpriced = count(usage.Estimated), count(cost == nil)
	return c, cost
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

// limitProblem maps the errors of package limits.
func limitProblem(err error) *problem {
	var model *limits.ModelError
	var price *limits.PriceError
	var exceeded *limits.ExceededError
	switch {
	case errors.As(err, &model):
		p := newProblem(http.StatusNotFound, "NOT_FOUND", fmt.Sprintf("The key may not use model %.80q.", model.Model),
			"GET /v1/models lists the models that it may use.").
			inRussian(fmt.Sprintf("Этому ключу модель «%.80s» недоступна.", model.Model), "Доступные модели перечисляет GET /v1/models.")
		p.openAI.Code, p.openAI.Param = "model_not_found", new("model")
		return p
	case errors.As(err, &price):
		return permissionDenied(fmt.Sprintf("Spending is limited in %s, and model %.80q has no price in it.", price.Currency, price.Model),
			"Use another model, or ask the operator to set the price in the models file.").
			inRussian(fmt.Sprintf("Расходы ограничены в %s, а у модели «%.80s» нет цены в этой валюте.", price.Currency, price.Model),
				"Выберите другую модель или попросите указать цену в файле моделей.")
	case errors.As(err, &exceeded):
		return exceededProblem(exceeded)
	}
	return nil
}

// The names of owners, measures and periods in English and Russian.
var (
	owners   = map[bool][2]string{false: {"key", "ключа"}, true: {"organization", "организации"}}
	measures = map[limits.Measure][2]string{
		limits.Requests: {"requests", "запросов"}, limits.Tokens: {"tokens", "токенов"}, limits.Money: {"spending", "расходов"}}
	periods = map[limits.Period][2]string{
		limits.Minute: {" of this minute", " на эту минуту"}, limits.Day: {" of today (UTC)", " на сегодня (UTC)"},
		limits.Month: {" of this month (UTC)", " на этот месяц (UTC)"}, limits.Ever: {"", ""}}
)

// insufficientQuota is OpenAI's code for a used-up budget.
const insufficientQuota = "insufficient_quota"

// exceededProblem says which limit was reached. Clients retry rate_limit_exceeded, but not insufficient_quota.
func exceededProblem(e *limits.ExceededError) *problem {
	r := e.Rule
	owner, measure, period := owners[r.Organization], measures[r.Measure], periods[r.Period]
	maximum := r.Max.Decimal().String()
	if r.Measure == limits.Money {
		maximum += " " + r.Currency
	}
	p := rateLimited(fmt.Sprintf("The limit of the %s's %s%s is reached: %s.", owner[0], measure[0], period[0], maximum),
		"Repeat the request when the limit is reset, or ask an admin to raise it.", e.Wait).
		inRussian(fmt.Sprintf("Исчерпан лимит %s %s%s: %s.", measure[1], owner[1], period[1], maximum),
			"Повторите запрос, когда лимит обновится, или попросите администратора его увеличить.")
	p.openAI.Code = "rate_limit_exceeded"
	switch {
	case e.Pending:
		p.detail.Hint = "The rest is reserved for running requests: repeat the request when they are answered."
		p.russian.hint = "Остаток занят запросами, которые ещё выполняются: повторите, когда они завершатся."
	case r.Period != limits.Minute:
		p.openAI.Type, p.openAI.Code = insufficientQuota, insufficientQuota
	}
	return p
}

// allowedModels returns the models that the caller may use.
func (s *Server) allowedModels(ctx context.Context, r *request) ([]string, error) {
	effective, err := s.cfg.Keys.LimitsForCaller(ctx, r.caller)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(s.modelNames(), func(name string) bool { return !limits.AllowsModel(effective, limitedName(name)) }), nil
}

// limitedName returns the name under which the limits list a model. It replaces the agent's alias.
func limitedName(model string) string {
	if model == agent.ModelNameAlias {
		return agent.ModelName
	}
	return model
}
