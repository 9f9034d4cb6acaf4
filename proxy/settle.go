package proxy

import (
	"iter"
	"net/http"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/limits"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/proxy/spend"
	"github.com/kopeck/kopeck/schemas/openai"
)

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
	counts.Fallbacks = count(r.record.modelTries > 1)
	s.cfg.Spend.Add(r.caller.OrganizationID, r.caller.KeyID, r.record.model, counts, cost, used.Currency)
}

// withSpend counts the use of an agent's run, no matter how it ends. Each call of the model costs what the route that
// answered it costs.
func (s *Server) withSpend(
	caller keys.Caller,
	model string,
	admission *limits.Admission,
	run iter.Seq2[agent.Event, error],
) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		var calls []limits.Use
		total := spend.Counts{Requests: 1, Failed: 1}
		started := false
		defer func() {
			admission.Settle(calls...)
			if started { // otherwise the model may not exist, and its name may be a secret
				s.cfg.Spend.Add(caller.OrganizationID, caller.KeyID, model, total, nil, "")
				for _, use := range calls {
					s.cfg.Spend.Add(caller.OrganizationID, caller.KeyID, model, spend.Counts{}, use.Cost, use.Currency)
				}
			}
		}()
		for event, err := range run {
			switch e := event.(type) {
			case agent.Started:
				started = true
			case agent.ModelAnswered:
				prices := s.callPrices(model, e.By)
				use := limitUse(&e.Usage, prices)
				calls = append(calls, use)
				total.PromptTokens += int64(e.Usage.PromptTokens)
				total.CachedTokens += int64(e.Usage.CachedTokens)
				total.CompletionTokens += int64(e.Usage.CompletionTokens)
				reportable := prices != freePrices // of the built-in model, no provider could report the tokens
				total.Estimated = max(total.Estimated, count(e.Usage.Estimated && reportable))
				total.Unpriced = max(total.Unpriced, count(use.Cost == nil))
				total.Fallbacks = max(total.Fallbacks, count(e.By.Fallback))
			case agent.Finished:
				total.Failed = 0
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

func count(condition bool) int64 {
	if condition {
		return 1
	}
	return 0
}

// spendCounts returns what a request adds to the spend. If usage or cost is nil, it is unknown.
func spendCounts(usage *openai.Usage, cost *spend.Sum, failed bool) (spend.Counts, *spend.Sum) {
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
