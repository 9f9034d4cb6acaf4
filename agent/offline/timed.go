package offline

import "slices"

// timed is what must be said of a tool's result and the time that the question names or leaves open.
func (t *turn) timed(tool string, s slots) label {
	today := startOfDay(t.now)
	switch past := s.period != nil && s.period.to.Before(today); {
	case t.spans(tool) && s.period == nil:
		return label{
			"Период не назван: взяты последние 30 дней.", "No period was named: this is of the last 30 days.",
		}
	case t.spans(tool) && s.apart:
		return label{
			"По дням, неделям или месяцам этот отчёт не разбивает: ниже период целиком. Назовите месяц, чтобы увидеть его отдельно.",
			"This report is not by days, weeks or months: below is the whole period. Name a month to see it by itself.",
		}
	case t.spans(tool) || !past || t.takesDay(tool, s):
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
func (t *turn) looksBack(tool string) bool {
	return slices.ContainsFunc([]string{"window_days", "days"}, func(name string) bool { _, has := t.offer[tool][name]; return has })
}

// takesDay tells the tools that can be asked as of the one day that a question names.
func (t *turn) takesDay(tool string, s slots) bool {
	_, has := t.offer[tool]["as_of"]
	return has && s.onDay() != nil
}
