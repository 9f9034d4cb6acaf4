package grounding

import "github.com/kopeck/kopeck/agent/expression"

// What the user has said may be repeated, but not as what the books say: "осталось 500 штук, верно?" is no reason to
// answer that it is so.

var (
	// standing are the words by which a figure is one of the stock, around it.
	standing       = expression.Of(`(?:остал[а-я]+|остат[а-я]+|в наличии|имеется|лежит|числится|на склад[а-я]+|left|in stock|remain[a-z]*|there (?:are|is))[^.;!?\d]{0,30}$`)
	standingBehind = expression.Of(`^\.?[^.;!?,\d]{0,20}(?:остал|остат|в наличии|на складе|лежит|числится|left|in stock|remain)`)

	// agreed are the words by which an answer says no more than that it is so.
	agreed = expression.Of(`(?:^|[^\p{L}])(?:да|верно|правильно|точно|именно|подтверждаю|действительно|так и есть|все так|yes|yep|correct|right|exactly|indeed|confirmed)[,:.!]?(?: [—-])?(?: это| ровно| у вас| it's| that's| there are| you have)* $`)

	// weighed are the words by which a sentence weighs what the user wants or has said.
	weighed = expression.Of(`(?:^|[^\p{L}])(?:если|когда|бы|буд[а-я]+|вы (?:[\p{L}]+ )?(?:спр|сказ|пис|пиш|назв|указ|хот|упом|имел|имеет|прос|говор|дума|счит)[а-я]+|ваш(?:а|у|е|ему|им|их|и)? (?:слов|данн|вопрос|запрос|цел|план|бюджет|лимит)[а-я]*|указ[а-я]+|назв[а-я]+|хот[а-я]+|цел[а-я]+|план[а-я]*|нуж[а-я]+|возможн?[а-я]*|порог[а-я]*|лимит[а-я]*|бюджет[а-я]*|заказать|закупить|купить|не|вместо|чем|меньше|больше|ниже|выше|более|менее|до|от` +
		`|if|when|would|could|will|you (?:[\p{L}]+ )?(?:said|say|asked|ask|want|need|mention(?:ed)?|wrote|mean|meant|think)|your (?:words|question|request|order|target|goal|plan|budget|limit)|asked|said|target|goal|plan|limit|budget|need|want|buy|not|instead|than|below|above|under|over|less|more|possible)(?:[^\p{L}]|$)|n't`)
)

// confirms reports whether a passage tells a figure as what the books have.
func (p passage) confirms(f figure) bool {
	if p.weighing() {
		return false
	}
	measure := p.measure(f)
	return measure != nil && measure != change && f.is != duration || agreed.MatchString(lead(p.text[:f.start])) || p.share(f) == marginShare ||
		standing.MatchString(lead(p.text[:f.start])) || standingBehind.MatchString(p.text[f.end:])
}
