package grounding

import (
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

var (
	zero      = `(?:0(?:[.,]0+)?|ноль|нуль|нулю|нуля|нулем|нулев[а-я]+|zero|nil)`
	costWord  = `(?:себестоимост[а-я]*|закупочн[а-я]+(?: цен[а-я]*)?|цен[а-я]+ (?:закупки|прихода|приобретения)|(?:приходн|входн)[а-я]+ цен[а-я]*|с/с|себес[а-я]*\.?|cost price|cost of goods|(?:purchase|buying) price|unit costs?|costs?|cogs)`
	costZero  = expression.Of(costWord + `[^.;!?\d]{0,60}?(?:^|[^\d.,\p{L}])` + zero + `(?:[^\d.,\p{L}]|[.,](?:\D|$)|$)|` + `нулев[а-я]+ (?:себестоимост|закупочн)|zero[ -]cost|\b0(?:[.,]0+)? ?(?:₽|руб[а-я]*\.?|rub|\$|usd)? (?:cost|себестоимост)`)
	costFree  = expression.Of(`(?:достал[а-я]+|получен[а-я]*|обош[а-я]+|куплен[а-я]*|costs?|came|got)[^.;!?]{0,30}(?:бесплатно|даром|nothing|for free|free of charge)|ничего не сто[а-я]+|` + costWord + `[^.;!?\d]{0,20}(?:бесплатн|даром(?:[^\p{L}]|$)|\bfree\b)|(?:достал[а-я]+|обош[а-я]+)[^.;!?]{0,15}(?:за так|в ноль|в 0)(?:[^\p{L}]|$)`)
	unsettled = expression.Of(`(?:^|[^\p{L}])(?:не|нет) |неизвест|нельзя|невозможно|неверн|ошиб|кажется|якобы|\bnot\b|n't|unknown|cannot|misleading|wrong|no cost|without|без ` + `|\?`)

	marginOfAll = expression.Of(`(?:марж|рентабельн|margin)[^.;!?\d]{0,40}\b100(?:[.,]0+)? ?(?:%|процент|percent)|\b100(?:[.,]0+)?(?: ?%|-?процентн[а-я]+| percent)[^.;!?\d]{0,30}(?:марж|рентабельн|margin)`)
)

// wholeCost is the claim that all costs are known, or that all revenue is profit.
var wholeCost = expression.Of(`(?:себестоимост|cost)[^.;!?]{0,20}(?:известна?|known|имеется|указана)[^.;!?]{0,12} (?:все[хмй]|всем|каждо|all|every)|полно[ег] покрыти|покрыти[^.;!?]{0,25}полн|full (?:cost )?coverage` +
	`|все (?:товары|позиции|строки)[^.;!?]{0,20}(?:с|имеют)(?: известн[а-я]+)? себестоимост` +
	`|прибыль (?:равна|это|—|-) (?:всей )?выручк|вся выручка (?:—|-|это|и есть) (?:чистая )?(?:прибыль|маржа)|прибыль (?:—|-) вся выручка|profit (?:equals|is) (?:all )?(?:the )?revenue|марж[а-я]+ полная`)

// wholeMargin finds the statement that all revenue is profit, or all cost known, where it is not.
func (c *Check) wholeMargin(text string) string {
	claim := ""
	if c.papers.costUnknown {
		claim = marginOfAll.FindString(text)
	}
	if claim == "" && (!c.papers.costKnown || c.papers.costUnknown) {
		claim = wholeCost.FindString(text)
	}
	if claim == "" || unsettled.MatchString(text) {
		return ""
	}
	return claim
}

// zeroCost finds the statement that something costs nothing, unless a result says so.
func (c *Check) zeroCost(text string) string {
	if c.papers.costZero || !anyOf(text, "стои", "закуп", "обош", "достал", "cost", "price", "cogs", "цен", "с/с", "себес", "даром", "бесплатно", "free", "nothing") {
		return ""
	}
	for _, pattern := range []*expression.Expression{costZero, costFree} {
		at := pattern.FindStringIndex(text)
		if at != nil && !c.trusted(text, at) && !denied(text, at) && !conditional(text, at[0]) && !ofCoverage.MatchString(text[:at[1]]) {
			return text[at[0]:at[1]]
		}
	}
	return ""
}

// conditional reports whether what stands at a place is said of a case or denied, not of the books: "когда себестоимость
// равна 0", "не значит, что". A word for it counts up to the next comma: "прибыль 0 ₽, если считать так" is said of them.
func conditional(text string, at int) bool { return ofACase.MatchString(text[:at]) }

var ofACase = expression.Of(`(?:^|[^\p{L}])(?:если|когда|будто|якобы|(?:не значит|не означает),? что|if|when|whenever|unless|as if|(?:not|n't) mean)[^\p{L},.;:!?][^,.;:!?]*$`)

// ofCoverage are the ways to say how much has a known cost, whose zero is none of a cost.
var ofCoverage = expression.Of(`(?:без (?:известной )?(?:себестоимости|закупочной цены)|с известной себестоимостью|покрытие себестоимостью|себестоимость известна для|without (?:a )?(?:known )?(?:cost|purchase price)|with known cost|cost coverage|cost is known for|(?:складе|сумма|стоимость) по себестоимости|(?:stock|value) at cost)[^.;!?\d]{0,30}[\d.,]+ ?%?$`)

// denied reports whether the statement itself says that it is not so: "себестоимость не 0".
func denied(text string, at []int) bool {
	claim := strings.Replace(text[at[0]:at[1]], "ничего не ", "", 1)
	return strings.Contains(claim, " не ") || strings.Contains(claim, " not ") || strings.Contains(claim, "n't ") || strings.HasSuffix(strings.TrimRight(text[:at[0]], " "), " не")
}

func (c *Check) trusted(text string, at []int) bool {
	return c.names.cover(text, func() []word { return wordsIn(text) }, figure{start: at[0], end: at[1], from: at[1], to: at[1]}, false)
}
