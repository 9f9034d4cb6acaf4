package grounding

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

// beyond is what shops are measured by and no tool tells. No figure of a result is any of it; one that the user has said,
// or that has been computed, may be. A word that stands in a result is part of a name there: a debtor called «Аренда-Сервис».
var beyond = &measure{nil, bare, inField(`^$`)}

const beyondWords = `(?:ндс|налог[а-я]*(?: на прибыль)?|взнос[а-я]*|пошлин[а-я]*|акциз[а-я]*|комисси[а-я]*|эквайринг[а-я]*|реклам[а-я]*|маркетинг[а-я]*|средн[а-я]+ чек[а-я]*|зарплат[а-я]*|оплат[а-я]+ труда|аренд[а-я]*|дивиденд[а-я]*|амортизац[а-я]*` +
	`|инвестиц[а-я]*|кредит(?:а|у|ы|ов)?|займ[а-я]*|капитал[а-я]*|штраф[а-я]*|возврат(?:ы|ов|ам)|скид(?:ки|ок)|конверси[а-я]*|дол[а-я]+ рынка|лояльност[а-я]*|отток[а-я]* (?:клиент|покупател)[а-я]*|трафик[а-я]*|план[а-я]* выполнен[а-я]*|выполнени[а-я]+ плана` +
	`|vat|tax(?:es)?|dut(?:y|ies)|commissions?|fees?|advert(?:s|ising|isements?)|marketing|average (?:check|order|basket|ticket)|payroll|salar(?:y|ies)|wages?|rent|dividends?|depreciation|loans?|refunds?|conversion|market share|churn|retention|roi|ebitda|ltv|cac|nps)`

var (
	// beyondStems are in every text that names it: a look that costs little.
	beyondStems = strings.Fields("ндс налог взнос пошлин акциз комисси эквайринг реклам маркетинг чек зарплат труда аренд дивиденд амортиз инвестиц кредит займ капитал штраф возврат скид конверси рынка лояльност отток трафик выполнен" +
		" vat tax dut commission fee advert marketing average payroll salar wage rent dividend depreciation loan refund conversion market churn retention roi ebitda ltv cac nps")
	beyondNamed  = expression.Of(`(?:^|[^\p{L}])(` + beyondWords + `)(?:[^\p{L}]|$)`)
	beyondBehind = expression.Of(`^[ -](?:of |the |our |your |в |на |наш[а-я]* |ваш[а-я]* )*(` + beyondWords + `)(?:[^\p{L}]|$)`)

	// apart stand before what a figure is told without: "прибыль до налогов".
	apart = set("без до после вычетом вычета учета учетом кроме с excluding before after without net than")
)

// beyondTold reports whether a passage tells a figure as one of those: by the word right behind it, or by the last one
// before it with nothing else between that it could be of; of a cell, by its row and head.
func (p passage) beyondTold(f figure) bool {
	if f.is != money && f.is != percent && f.is != bare {
		return false
	}
	if behind := p.text[f.end:]; anyOf(behind[:min(len(behind), reach)], beyondStems...) {
		if named := beyondBehind.FindStringSubmatch(behind); named != nil && !p.known(named[1]) {
			return true
		}
	}
	before := lead(p.before(f))
	if p.cell && before == "" {
		before = p.heading()
	}
	if !anyOf(before, beyondStems...) {
		return false
	}
	all := beyondNamed.FindAllStringSubmatchIndex(before, -1)
	all = slices.DeleteFunc(all, func(at []int) bool { return p.known(before[at[2]:at[3]]) })
	if len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	words := wordsOf(before[:last[2]])
	gap := before[last[3]:]
	return (len(words) == 0 || !apart[words[len(words)-1]]) && !strings.ContainsAny(gap, ",;.") && len(measuresIn(gap)) == 0
}
