package grounding

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// papers is what results say beside their figures: which documents exist, and where cost is unknown.
type papers struct {
	drafted     bool // a draft exists
	created     bool // a draft was created upstream
	costUnknown bool // some cost is not known
	costZero    bool // some cost is known to be 0
	states      map[string]bool
	askedMargin bool // the user spoke of a margin of 100 % himself
}

func (p *papers) admit(tool string, value any, notes []tools.Note) {
	for _, note := range notes {
		switch note.Code {
		case tools.CostUnknown, tools.MarginUnreliable, tools.PurchasePriceBasis:
			p.costUnknown = true
		}
	}
	if fields, ok := value.(map[string]any); ok && strings.HasPrefix(tool, "draft_") {
		p.drafted = true
		p.created = p.created || fields["state"] == "created" && fields["document"] != nil
	}
	p.walk("", value)
}

func (p *papers) asked(text string) { p.askedMargin = p.askedMargin || wholeMargin.MatchString(text) }

// walk looks for costs that are null, costs that are 0, and the names of states, which read like claims.
func (p *papers) walk(name string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for field, inner := range v {
			p.walk(field, inner)
		}
	case []any:
		for _, item := range v {
			p.walk(name, item)
		}
	case nil:
		p.costUnknown = p.costUnknown || isCost(name)
	case json.Number:
		d, err := decimal.NewFromString(v.String())
		p.costZero = p.costZero || err == nil && isCost(name) && d.IsZero()
		p.costUnknown = p.costUnknown || err == nil && strings.Contains(name, "without_cost") && d.IsPositive()
		p.costUnknown = p.costUnknown || err == nil && name == "cost_coverage_percent" && d.LessThan(hundred)
	case string:
		if name == "state" {
			if p.states == nil {
				p.states = map[string]bool{}
			}
			p.states[plain(v)] = true
		}
	}
}

func isCost(field string) bool {
	return field == "cost" || field == "unit_cost" || field == "purchase_price"
}

var (
	zero      = `(?:0(?:[.,]0+)?|ноль|нулю|нуля|нулем|нулев[а-я]+|zero|nil)`
	costWord  = `(?:себестоимост[а-я]*|закупочн[а-я]+ цен[а-я]*|cost price|cost of goods|purchase price|unit costs?|costs?|cogs)`
	costZero  = regexp.MustCompile(costWord + `[^.;!?\d]{0,60}?(?:^|[^\d.,\p{L}])` + zero + `(?:[^\d.,\p{L}]|[.,](?:\D|$)|$)|` + `нулев[а-я]+ (?:себестоимост|закупочн)|zero[ -]cost|\b0(?:[.,]0+)? ?(?:₽|руб[а-я]*\.?|rub|\$|usd)? (?:cost|себестоимост)`)
	costFree  = regexp.MustCompile(`(?:достал[а-я]+|получен[а-я]*|обош[а-я]+|куплен[а-я]*|costs?|came|got)[^.;!?]{0,30}(?:бесплатно|даром|nothing|for free|free of charge)|ничего не сто[а-я]+`)
	unsettled = regexp.MustCompile(`(?:^|[^\p{L}])(?:не|нет) |неизвест|нельзя|невозможно|неверн|ошиб|кажется|якобы|\bnot\b|n't|unknown|cannot|misleading|wrong|no cost|without|без ` + `|\?`)

	wholeMargin = regexp.MustCompile(`(?:марж|рентабельн|margin)[^.;!?\d]{0,40}\b100(?:[.,]0+)? ?(?:%|процент|percent)|\b100(?:[.,]0+)?(?: ?%|-?процентн[а-я]+| percent)[^.;!?\d]{0,30}(?:марж|рентабельн|margin)`)
)

// claims finds statements that no figure gives away.
func (c *Check) claims(p passage) []Problem {
	var problems []Problem
	said := p.text
	if p.label != "" {
		said = p.label + ": " + p.text
	}
	if claim := c.zeroCost(said); claim != "" {
		problems = append(problems, Problem{claim, CostZero})
	}
	if c.papers.costUnknown && strings.Contains(said, "100") {
		if claim := wholeMargin.FindString(said); claim != "" && !unsettled.MatchString(said) {
			problems = append(problems, Problem{claim, MarginWhole})
		}
	}
	if at := c.document(p); at != nil {
		problems = append(problems, Problem{p.text[at[0]:at[1]], NoDocument})
	}
	return problems
}

// zeroCost finds the statement that something costs nothing, unless a result says so.
func (c *Check) zeroCost(text string) string {
	if c.papers.costZero || !anyOf(text, "стоим", "закуп", "cost", "price", "cogs", "даром", "бесплатно", "free", "nothing") {
		return ""
	}
	for _, pattern := range []*regexp.Regexp{costZero, costFree} {
		at := pattern.FindStringIndex(text)
		if at != nil && !c.trusted(text, at) && !denied(text, at) && !ofCoverage.MatchString(text[:at[1]]) {
			return text[at[0]:at[1]]
		}
	}
	return ""
}

// ofCoverage are the ways to say how much has a known cost, whose zero is none of a cost.
var ofCoverage = regexp.MustCompile(`(?:без (?:известной )?(?:себестоимости|закупочной цены)|с известной себестоимостью|покрытие себестоимостью|себестоимость известна для|without (?:a )?(?:known )?(?:cost|purchase price)|with known cost|cost coverage|cost is known for|(?:складе|сумма|стоимость) по себестоимости|(?:stock|value) at cost)[^.;!?\d]{0,30}[\d.,]+ ?%?$`)

// denied reports whether the statement itself says that it is not so: "себестоимость не 0".
func denied(text string, at []int) bool {
	claim := text[at[0]:at[1]]
	return strings.Contains(claim, " не ") || strings.Contains(claim, " not ") || strings.Contains(claim, "n't ") || strings.HasSuffix(strings.TrimRight(text[:at[0]], " "), " не")
}

func (c *Check) trusted(text string, at []int) bool {
	return c.names.cover(text, figure{start: at[0], end: at[1], from: at[1], to: at[1]}, false)
}

var (
	paperWord = `(?:заказ(?:а|ы|ов)?(?: поставщик[а-я]+)?|перемещени[а-я]+|документ[а-я]*|черновик[а-я]*|приемк[а-я]+|закупк[а-я]+|отгрузк[а-я]+|цен[аыу]|(?:purchase )?orders?|transfers?|documents?|drafts?|shipments?|receipts?|prices?|po)`
	doneWord  = `(?:создан|оформлен|проведен|подтвержден|размещен|отправлен поставщ|записан|сохранен|изменен|обновлен|выполнен)[аоы]?`
	doneSelf  = `(?:создал[аи]?|оформил[аи]?|провел[аи]?|подтвердил[аи]?|разместил[аи]?|записал[аи]?|сохранил[аи]?|изменил[аи]?|обновил[аи]?|переместил[аи]?|заказал[аи]?)`
	doneEN    = `(?:created|posted|confirmed|placed|submitted|updated|changed|recorded|saved|executed|completed|made)`

	// made are the ways to say that a document exists now.
	made = regexp.MustCompile(`(?:^|[^\p{L}])` + paperWord + `(?:[^\p{L}.;!?]+[\p{L}\d-]+){0,4}?[^\p{L}.;!?]+` + doneWord + `(?:[^\p{L}]|$)` +
		`|(?:^|[^\p{L}])` + doneWord + `(?:[^\p{L}.;!?]+[\p{L}\d-]+){0,2}?[^\p{L}.;!?]+` + paperWord + `(?:[^\p{L}]|$)` +
		`|(?:^|[^\p{L}])` + doneSelf + `(?:[^\p{L}.;!?]+[\p{L}\d-]+){0,4}?[^\p{L}.;!?]+` + paperWord + `(?:[^\p{L}]|$)` +
		`|\b` + paperWord + `(?:[^\p{L}.;!?]+[\p{L}\d-]+){0,3}?[^\p{L}.;!?]+(?:(?:has|have) been|was|were|is now|are now|is|are|got)(?: (?:successfully|now|already|just))?[^\p{L}.;!?]+` + doneEN + `\b` +
		`|\b(?:i|we|i've|we've|i have|we have|has|have)(?: (?:successfully|now|already|just|have))* ` + doneEN + `(?:[^\p{L}.;!?]+[\p{L}\d-]+){0,4}?[^\p{L}.;!?]+` + paperWord + `\b` +
		`|\b` + paperWord + ` (?:successfully )?` + doneEN + ` ?(?:[^\p{L} ]|$)` +
		`|\b(?:successfully|just) ` + doneEN + `\b`)

	// notYet are the words by which such a sentence speaks of what is not, or of other people's documents.
	notYet = regexp.MustCompile(`(?:^|[^\p{L}])(?:не|ни|нет|будет|будут|был бы|чтобы|если|когда|после|до|пока|ожида[а-я]+|жд[а-я]+|можно|нельзя|без (?:заказа|статуса|себестоимости|связанн[а-я]+)|not|never|no|none|will|would|can|cannot|once|after|before|until|if|when|unless|to be|without)(?:[^\p{L}]|$)|n't`)
)

// document finds the claim of a document that does not exist.
func (c *Check) document(p passage) []int {
	if c.papers.created || !anyOf(p.text, doneStems...) {
		return nil
	}
	for _, at := range made.FindAllStringIndex(p.text, -1) {
		claim := p.text[at[0]:at[1]]
		switch {
		case notYet.MatchString(clause(p.text, at)):
		case c.papers.drafted && draftOnly.MatchString(claim):
		case c.stateName(claim, p.cell):
		default:
			return at
		}
	}
	return nil
}

// doneStems are in every claim that made matches: a look that costs little.
var doneStems = strings.Fields("создан создал оформ провед провел подтвер размещ размест отправлен запис сохран измен обнов выполн перемест заказал created posted confirmed placed submitted updated changed recorded saved executed completed made")

func anyOf(text string, stems ...string) bool {
	for _, stem := range stems {
		if strings.Contains(text, stem) {
			return true
		}
	}
	return false
}

// draftOnly is the claim of a draft, which is true when there is one.
var draftOnly = regexp.MustCompile(`(?:черновик|draft)(?:.*[^\p{L}])?(?:создан|создал|подготов|записан|сохранен|created|prepared|saved|made)|(?:создал[аи]?|created|made|saved|prepared).*(?:черновик|draft)`)

// clause is the part of a sentence around a claim.
func clause(text string, at []int) string {
	start := strings.LastIndexAny(text[:at[0]], ".;!?:") + 1
	end := strings.IndexAny(text[at[1]:], ".;!?")
	if end < 0 {
		return text[start:]
	}
	return text[start : at[1]+end]
}

// stateName reports whether the claim is the name of a status that a result has, told as one.
func (c *Check) stateName(claim string, cell bool) bool {
	if cell {
		return c.papers.states[strings.TrimSpace(claim)]
	}
	if !strings.Contains(claim, "статус") && !strings.ContainsAny(claim, "«\"") {
		return false
	}
	for state := range c.papers.states {
		if state != "" && strings.Contains(claim, state) {
			return true
		}
	}
	return false
}
