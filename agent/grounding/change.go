package grounding

import (
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

// change is how much something has become more or less, which no tool gives: it is computed.
var change = &measure{nil, bare, inField(`difference|shortage|(?:^|[.])net$`)}

// rate is how much goes by in a unit of time, and piece is what is of each: what a whole period comes to is neither.
var (
	rate     = &measure{nil, bare, inField(`per_day|per_month|per_week|velocity|month`)}
	piece    = &measure{nil, bare, inField(`cost$|price`)}
	perTime  = expression.Of(`^\.? ?(?:/ ?(?:день|дн|сут|нед|мес|day|week|month)|(?:в|за кажд[а-я]+|кажд[а-я]+) (?:день|сутки|недел[юе]|месяц|квартал|год)(?:[^\p{L}]|$)|(?:ежедневно|еженедельно|ежемесячно)|(?:(?:per|a|each|every) (?:day|week|month|quarter|year)|daily|weekly|monthly)\b)`)
	perPiece = expression.Of(`^\.? ?(?:(?:за|на) (?:штуку|единицу|одну штуку)|с (?:каждого|одного) |per (?:unit|piece|item|customer|order)\b)`)
)

var (
	changeBefore = expression.Of(`(?:вырос|увелич|прибав|подрос|подня[лт]|упа[лв]|снизи|сокра[тщ]|уменьш|подорожа|подешев|прирос|рост)[\p{L}]*(?: [\p{L}]+){0,2} на $` +
		`|(?:\bgrew|\brose|\bincreased?|\bfell|\bdropped|\bdeclined|\bdecreased?|\bgrown|\bgrowth|\b(?:is|are|was|were|went|gone|going) (?:up|down))(?: by| of| about)? $`)
	changeBehind = expression.Of(`^ ?(?:more|less|higher|lower|growth|роста|прироста)(?:[^\p{L}]|$)`)
	onBy         = expression.Of(`^\.? (?:больше|меньше|выше|ниже|дороже|дешевле)(?:[^\p{L}]|$)`)
	toThreshold  = expression.Of(`ниже|минимум|порог|меньше|менее|below|minimum|less|under|threshold`)
	ofThreshold  = expression.Of(`^[^.;!?]*(?:минимум|порог|норм[аы]|неснижаем|нул[яю])`)
	points       = expression.Of(`^ ?(?:п\. ?п|пп(?:[^\p{L}]|$)|p\.p|pps?\b|[\p{L}]* ?(?:пункт|points?\b))`)
)

// changed reports whether a figure is told as a change.
func (p passage) changed(f figure) bool {
	before := p.text[f.after:f.start]
	at := changeBefore.FindStringIndex(before)
	if behind := p.text[f.end:]; strings.HasSuffix(before, " на ") && onBy.MatchString(behind) {
		return !ofThreshold.MatchString(behind)
	}
	return at != nil && !toThreshold.MatchString(before[at[0]:]) || changeBehind.MatchString(p.text[f.end:]) ||
		f.is == percent && points.MatchString(p.text[f.to:])
}
