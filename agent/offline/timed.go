package offline

import "strings"

// timed is what must be said of a tool's result and the time that the question names or leaves open.
func (t *turn) timed(tool string, s slots) label {
	today := startOfDay(t.now)
	switch past := s.period != nil && s.period.from.Before(today); {
	case t.spans(tool) && s.period == nil:
		return label{
			"Период не назван: взяты последние 30 дней.", "No period was named: this is of the last 30 days.",
		}
	case t.spans(tool) && s.apart:
		return label{
			"По дням, неделям или месяцам этот отчёт не разбивает: ниже период целиком. Назовите месяц, чтобы увидеть его отдельно.",
			"This report is not by days, weeks or months: below is the whole period. Name a month to see it by itself.",
		}
	case t.spans(tool) || !past || t.takesDay(tool, s) || t.looksBack(tool) && s.period.to.Equal(today) || t.unsoldSince(tool, s) != nil:
		return nothing
	case t.looksBack(tool):
		return label{
			"Этот расчёт идёт по дням назад от сегодня: он начинается с начала названного периода и включает дни после него.",
			"This looks back from today: it begins with the period that was named and includes the days after it.",
		}
	}
	return label{
		"Этот отчёт показывает то, что есть сейчас: названный период в нём не учтён. Остатки на начало и конец периода есть в обороте.",
		"This report shows what is there now: the period that was named is not in it. The turnover has the stock at a period's beginning and end.",
	}
}

// looksBack tells the tools that count days back from today.
func (t *turn) looksBack(tool string) bool { return t.offer.takes(tool, "window_days", "days") }

// takesDay tells the tools that can be asked as of the one day that a question names.
func (t *turn) takesDay(tool string, s slots) bool {
	return t.offer.takes(tool, "as_of") && s.onDay() != nil
}

// unsoldSince is how many days a question asks not to have had sales, of a period that goes on until today.
func (t *turn) unsoldSince(tool string, s slots) any {
	if !t.offer.takes(tool, "sales_window_days") || !s.unsold || s.days > 0 || s.period == nil || !s.period.to.Equal(startOfDay(t.now)) {
		return nil
	}
	return s.daysBack(t.now)
}

// unheeded says what a question names and the tool cannot be asked for: its figures are of more than that.
func (t *turn) unheeded(tool string, s slots) string {
	switch {
	case s.warehouse != "" && !t.offer.takes(tool, "warehouse", "from_warehouse"):
		return t.say(label{
			"По складам этот отчёт не отбирает: он по всем, а не только «%s».", "This report cannot be of one warehouse: it is of all, not only “%s”.",
		}, s.warehouse)
	case s.channel != "" && !t.offer.takes(tool, "channel", "group_by", "warehouse") && !ofCounterparties(tool):
		return t.say(label{
			"По каналам продаж этот отчёт не отбирает: он по всем, а не только «%s».", "This report cannot be of one sales channel: it is of all, not only “%s”.",
		}, s.channel)
	case t.names(s) && !t.offer.takes(tool, "query", "lines") && !looksThrough(tool) && !ofCounterparties(tool):
		return t.say(label{
			"По товару этот отчёт не отбирает: он обо всём, а не только о «%s».", "This report cannot be of one product: it is of everything, not only “%s”.",
		}, s.product)
	}
	return ""
}

// names tells whether a product, or whoever else, is named for sure: in quotes, or by all that a message which goes on says.
func (t *turn) names(s slots) bool {
	first, _, _ := strings.Cut(s.product, " ")
	return first != "" && (s.exact || followUp.MatchString(folded(strings.TrimSpace(t.question))) && strings.Contains(t.question, first))
}
