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

// expected are tokens that a request seems to use.
type expected struct {
	prompt       int
	answer       int // as its request bounds it, and 0 if it does not
	unsaidAnswer int // as it is taken for while nothing is known of such requests
}

// limited holds a request to the limits of its key and organization. looks is what it is likely to use.
func (s *Server) limited(ctx context.Context, who keys.Caller, model string, looks limits.Estimate) (*limits.Admission, error) {
	bounded, err := s.cfg.Keys.LimitsForCaller(ctx, who)
	if errors.Is(err, keys.ErrLimitsAltered) {
		s.cfg.Log.ErrorContext(ctx, "models are not asked", "error", err)
	}
	if err != nil || len(bounded) == 0 {
		return nil, err
	}
	return s.cfg.Limits.Admit(ctx, bounded, limitedName(model), looks)
}

// looks is what limits hold for a request.
func (e expected) looks(prices *models.Prices) limits.Estimate {
	return limits.Estimate{
		Minimum: useOf(&openai.Usage{PromptTokens: e.prompt, CompletionTokens: e.answer}, prices),
		Default: useOf(&openai.Usage{PromptTokens: e.prompt, CompletionTokens: max(e.answer, e.unsaidAnswer)}, prices),
	}
}

// looks is what limits hold for the request.
func (c *plainChat) looks() limits.Estimate {
	if !c.api.text {
		use := useOfEach(c.to.Prices, c.wanted())
		return limits.Estimate{Minimum: use, Default: use}
	}
	return c.expected().looks(c.to.Prices)
}

// limit is limited for a request over HTTP, which is told how much is left.
func (s *Server) limit(ctx context.Context, r *request, model string, looks limits.Estimate) (*limits.Admission, error) {
	admission, err := s.limited(ctx, r.caller, model, looks)
	r.tellLevels(admission)
	if err != nil {
		return nil, err
	}
	return admission, nil
}

// free are the prices of the offline model.
var free = &models.Prices{}

// pricesBehind are those of the model behind a name of the agent.
func (s *Server) pricesBehind(name string) *models.Prices {
	if model := s.behind(name); model != nil {
		return model.Prices
	}
	return free
}

func (s *Server) behind(name string) *models.Model {
	if s.cfg.Behind == nil {
		return nil
	}
	return s.cfg.Behind(name)
}

// useOf is what limits count of a usage; nil is of a request that used nothing.
func useOf(told *openai.Usage, prices *models.Prices) limits.Use {
	if told == nil {
		told = &openai.Usage{}
	}
	prompt, completion := int64(told.PromptTokens), int64(told.CompletionTokens)
	use := limits.Use{Tokens: prompt + completion, Cost: spend.Cost(prices, prompt, int64(told.CachedTokens), completion)}
	if prices != nil {
		use.Currency = prices.Currency
	}
	return use
}

// useOfEach is what limits count of a request whose cost does not go by tokens: so many pictures, or a sound.
func useOfEach(prices *models.Prices, wanted int) limits.Use {
	if prices == nil || prices.Request == nil {
		return limits.Use{}
	}
	cost := spend.FromDecimal(*prices.Request).Times(int64(wanted))
	return limits.Use{Cost: &cost, Currency: prices.Currency}
}

// settle counts what a passed-through request has used, for its limits and for its organization's spend. A request that was refused
// before its model was asked has used nothing.
func (s *Server) settle(r *request) {
	if !r.record.admitted {
		return
	}
	failed := r.record.status >= http.StatusBadRequest
	used := useOf(r.record.usage, r.record.prices)
	if r.record.usage == nil && (r.record.lost || !failed) && !r.plain.api.text {
		used = useOfEach(r.record.prices, r.plain.wanted())
	}
	r.record.admission.Settle(used)
	counts, cost := countsOf(r.record.usage, used.Cost, failed)
	if r.record.modelTries > 1 {
		counts.Fallbacks = 1
	}
	s.cfg.Spend.Add(r.caller.OrganizationID, r.caller.KeyID, r.record.model, counts, cost, used.Currency)
}

// accounted is a run of the agent whose use is counted however it ends.
func (s *Server) accounted(
	who keys.Caller,
	model string,
	admission *limits.Admission,
	run iter.Seq2[agent.Event, error],
) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		var used openai.Usage
		begun, finished := false, false
		defer func() {
			use := useOf(&used, s.pricesBehind(model))
			admission.Settle(use)
			if begun { // else the model may be none, and its name a secret
				counts, cost := countsOf(&used, use.Cost, !finished)
				s.cfg.Spend.Add(who.OrganizationID, who.KeyID, model, counts, cost, use.Currency)
			}
		}()
		for event, err := range run {
			switch e := event.(type) {
			case agent.Started:
				begun = true
			case agent.Used:
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

// countsOf are what a request adds to the spend; cost is nil where it is unknown, and usage where the tokens are.
func countsOf(usage *openai.Usage, cost *spend.Sum, failed bool) (spend.Counts, *spend.Sum) {
	one := func(is bool) int64 {
		if is {
			return 1
		}
		return 0
	}
	c := spend.Counts{Requests: 1, Failed: one(failed)}
	if usage == nil {
		c.Uncounted, c.Unpriced = 1, one(!failed && cost == nil)
		if failed {
			cost = nil
		}
		return c, cost
	}
	c.PromptTokens, c.CachedTokens, c.CompletionTokens = int64(usage.PromptTokens), int64(usage.CachedTokens), int64(usage.CompletionTokens)
	c.Estimated, c.Unpriced = one(usage.Estimated), one(cost == nil)
	return c, cost
}

// tellLevels says in OpenAI's headers how much is left.
func (r *request) tellLevels(a *limits.Admission) {
	for _, m := range []struct {
		measure limits.Measure
		name    string
	}{{limits.Requests, "requests"}, {limits.Tokens, "tokens"}} {
		level, there := a.Level(m.measure)
		if !there {
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

// limitProblem knows the errors of package limits.
func limitProblem(err error) *problem {
	var model *limits.ModelError
	var price *limits.PriceError
	var exceeded *limits.ExceededError
	switch {
	case errors.As(err, &model):
		p := refuse(
			http.StatusNotFound,
			"NOT_FOUND",
			fmt.Sprintf("The key may not use model %.80q.", model.Model),
			"GET /v1/models lists those that it may.",
		).
			inRussian(fmt.Sprintf("Этому ключу модель «%.80s» недоступна.", model.Model), "Доступные модели перечисляет GET /v1/models.")
		named := "model"
		p.said.Code, p.said.Param = "model_not_found", &named
		return p
	case errors.As(err, &price):
		return denied(fmt.Sprintf("Spending is limited in %s, and model %.80q has no price in it.", price.Currency, price.Model),
			"Use another model, or have the price set in the models file.").
			inRussian(fmt.Sprintf("Расходы ограничены в %s, а у модели «%.80s» нет цены в этой валюте.", price.Currency, price.Model),
				"Выберите другую модель или попросите указать цену в файле моделей.")
	case errors.As(err, &exceeded):
		return exceededProblem(exceeded)
	}
	return nil
}

// owners are whose a limit is, and measures what it counts, in both languages.
var (
	owners   = map[bool][2]string{false: {"key", "ключа"}, true: {"organization", "организации"}}
	measures = map[limits.Measure][2]string{
		limits.Requests: {"requests", "запросов"}, limits.Tokens: {"tokens", "токенов"}, limits.Money: {"spending", "расходов"}}
	periods = map[limits.Period][2]string{
		limits.Minute: {" of this minute", " на эту минуту"}, limits.Day: {" of today (UTC)", " на сегодня (UTC)"},
		limits.Month: {" of this month (UTC)", " на этот месяц (UTC)"}, limits.Ever: {"", ""}}
)

// insufficientQuota is OpenAI's code for a budget that is used up.
const insufficientQuota = "insufficient_quota"

// exceededProblem says which limit is reached. Clients repeat by themselves what rate_limit_exceeded refuses, and not
// what insufficient_quota does.
func exceededProblem(e *limits.ExceededError) *problem {
	r := e.Rule
	owner, measure, period := owners[r.Organization], measures[r.Measure], periods[r.Period]
	most := r.Max.Decimal().String()
	if r.Measure == limits.Money {
		most += " " + r.Currency
	}
	p := rateLimited(fmt.Sprintf("The limit of the %s's %s%s is reached: %s.", owner[0], measure[0], period[0], most),
		"Repeat the request when the limit begins anew, or ask an admin to raise it.", e.Wait).
		inRussian(fmt.Sprintf("Исчерпан лимит %s %s%s: %s.", measure[1], owner[1], period[1], most),
			"Повторите запрос, когда лимит обновится, или попросите администратора его увеличить.")
	p.said.Code = "rate_limit_exceeded"
	switch {
	case e.Pending:
		p.detail.Hint = "The rest is held by requests under way: repeat the request when they are answered."
		p.russian.hint = "Остаток занят запросами, которые ещё выполняются: повторите, когда они завершатся."
	case r.Period != limits.Minute:
		p.said.Type, p.said.Code = insufficientQuota, insufficientQuota
	}
	return p
}

// allowed are the models that the caller may ask.
func (s *Server) allowed(ctx context.Context, r *request) ([]string, error) {
	bounded, err := s.cfg.Keys.LimitsForCaller(ctx, r.caller)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(s.models(), func(name string) bool { return !limits.AllowsModel(bounded, limitedName(name)) }), nil
}

// limitedName is the name by which limits know a model: that of the agent has an alias.
func limitedName(model string) string {
	if model == agent.ModelNameAlias {
		return agent.ModelName
	}
	return model
}
