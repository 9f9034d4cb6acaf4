package grounding

import (
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/tools"
)

// That something has grown is a figure without a digit too: it needs two figures, of two periods, two readings, or of a
// result that has both by itself.

// past is what a conversation knows of other times than one.
type past struct {
	first    map[string]string // of each tool, the period or the moment that it was asked about
	compared bool              // there are two of something
}

// withPast are the tools whose results say what was before: at the beginning, month by month, the old price.
var withPast = set("turnover cash_runway draft_price_change")

func (h *past) admit(r *tools.Result, during *span) {
	when := r.AsOf.String()
	if during != nil {
		when = during.from.String() + during.to.String()
	}
	if h.first == nil {
		h.first = map[string]string{}
	}
	if known, asked := h.first[r.Tool]; withPast[r.Tool] || asked && known != when {
		h.compared = true
	}
	h.first[r.Tool] = when
}

const (
	growers = `(?:выручк|прибыл|марж|рентабельн|продаж|оборот|остат|запас|долг|задолжен|дебитор|кредитор|просроч|дефицит|нехватк|неликвид|расход|доход|приход|покрыти|деньг|денег|спрос)[а-я]*` +
		`|revenue|profits?|margins?|sales|turnover|stock|inventory|debts?|receivables|payables|overdue orders|shortages?|expenses|income|cash|demand`
	grown = `(?:выр|возр|подр)ос(?:ла|ло|ли)?|(?:снизил|увеличил|уменьшил|сократил|улучшил|ухудшил|усилил)(?:ся|ась|ось|ись)|(?:упал|просел|подорожал|подешевел)[аои]?|раст[еу]т|пада[ею]т|(?:снижа|увеличива|уменьша|сокраща|улучша|ухудша)[ею]тся|стал[аои]? (?:больше|меньше|выше|ниже|лучше|хуже)` +
		`|(?:(?:has|have) )?(?:grew|grown|rose|risen|increased|fell|fallen|dropped|declined|decreased|improved|worsened)|(?:is|are|was|were) (?:growing|rising|falling|declining|increasing|decreasing|improving|up|down)`
	against = `(?:больше|меньше|выше|ниже|лучше|хуже),? чем|по сравнению с[о]?|как и|than|compared (?:to|with)|(?:same )?as`
	unheard = `впервые|рекордн[а-я]+|это рекорд|историческ[а-я]+ (?:максимум|минимум)|(?:лучш|худш)[а-я]+ (?:месяц|квартал|год)|динамика (?:положительн|отрицательн)[а-я]+|(?:положительн|отрицательн)[а-я]+ динамик[а-я]+|год к году|месяц к месяцу` +
		`|for the first time|record (?:high|low|month|profit|revenue|sales)|all[- ]time (?:high|low)|(?:best|worst) (?:week|month|quarter|year)|(?:year|month)[- ](?:over|on)[- ](?:year|month)`
)

var (
	trend = expression.Of(`(?:^|[^\p{L}])(?:(?:` + growers + `)(?:[^\p{L}.;!?][^.;!?]{0,30}?)?[^\p{L}.;!?](?:` + grown + `)` +
		`|(?:` + grown + `)(?: [\p{L}]+)? (?:` + growers + `)` +
		`|(?:` + against + `) (?:(?:в|во|за|на|in|for|it was) )?(?:the )?(?:прошл[а-я]+|предыдущ[а-я]+|год назад|месяц назад|раньше|прежде|(?:last|previous|prior) (?:week|month|quarter|year|period)|before|` + monthPattern + `)` +
		`|` + unheard + `)(?:[^\p{L}]|$)`)

	// trendStems are in every text that it matches: a look that costs little.
	trendStems = append(strings.Fields("рос упал просел дорожал дешевел раст пада сниз снижа увелич уменьш сокра улучш ухудш усил стал чем сравнению как впервые рекорд историческ лучш худш динамик году месяц"+
		" grew grow rose ris increas fell fall drop declin decreas improv worsen than compared record time best worst"), " as ", " up", " down", "-over-", " over ", "-on-", " on ")

	// unsure stand where a sentence does not say that it is so, or says it of a threshold.
	unsure = expression.Of(`(?:^|[^\p{L}])(?:не|нет|нельзя|ни|ли|бы|если|когда|чтобы|пока|может|могл[аи]|могут|ожида[а-я]+|возможно|вероятно|обычно|порог[а-я]*|минимум[а-я]*|неснижаем[а-я]+|нуля|вы (?:пиш|говор|спраш|указ|сказ)[а-я]+|not|no|never|cannot|if|when|unless|until|whether|would|could|may|might|minimums?|thresholds?|zero|you (?:say|said|ask|asked|mention))(?:[^\p{L}]|$)|n't|\?$`)
)

// grew finds the statement that something has become more or less, or is so for the first time, where there is nothing to
// compare it with: neither in results nor in what the user's side has given.
func (c *Check) grew(text string) string {
	if c.past.compared || c.clientActs || !anyOf(" "+text, trendStems...) {
		return ""
	}
	at := trend.FindStringIndex(text)
	if at == nil || unsure.MatchString(clause(text, at)) || strings.HasSuffix(text, "?") || c.trusted(text, at) {
		return ""
	}
	return text[at[0]:at[1]]
}
