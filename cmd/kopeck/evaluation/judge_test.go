package evaluation

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/openai"
)

// answerWith returns an answer. [Brackets] in text mark figures of the kopeck extension, which get this row name and kind.
func answerWith(text, name, kind string) answer {
	var a answer
	for {
		before, rest, more := strings.Cut(text, "[")
		a.text += before
		if !more {
			return a
		}
		figure, after, _ := strings.Cut(rest, "]")
		start := utf8.RuneCountInString(a.text)
		a.text += figure
		a.figures = append(a.figures, openai.Figure{
			Start: start, End: start + utf8.RuneCountInString(figure), Kind: kind, Marked: kind == "",
			Origins: []openai.Origin{{Report: "R1", Name: name}},
		})
		text = after
	}
}

func decimalPointer(text string) *decimal.Decimal {
	n := decimal.RequireFromString(text)
	return &n
}

func TestAnswersAreClassifiedByFigures(t *testing.T) {
	t.Parallel()
	money := expectedFigure{Figure: Figure{Is: "stock().totals.money"}, value: value{number: decimalPointer("2424396.98")}}
	units := expectedFigure{Figure: Figure{Is: "stock().totals.units"}, value: value{number: decimalPointer("14")}, of: "Шоурум"}
	part := expectedFigure{Figure: Figure{Is: "of 20 rows"}, value: value{number: decimalPointer("1200300")}}
	both := expected{show: []expectedFigure{money, units}, never: []expectedFigure{part}}
	ask := expected{turn: Turn{Want: WantQuestion}, never: []expectedFigure{part}}
	nothing := expected{turn: Turn{Want: WantNothing, Say: []string{"неизвестна"}, Unsaid: []string{"PO-"}}}
	either := expected{turn: Turn{Want: WantNothing, OrAsk: true}}
	const sources = "\n\nИсточники: остатки. Неизвестна."
	for name, c := range map[string]struct {
		e    expected
		a    answer
		want Class
	}{
		"all figures":               {both, answerWith("Всего [2 424 396,98 ₽], в «Шоурум» [14 шт.]"+sources, "", "money"), Right},
		"rounded":                   {both, answerWith("Всего 2,42 млн ₽, в «Шоурум» 14 шт."+sources, "", ""), Right},
		"the row's own name":        {both, answerWith("Всего 2 424 397 ₽.\n\nТам [14 шт.]"+sources, "Шоурум", "units"), Right},
		"a table's row":             {both, answerWith("Всего 2 424 397 ₽\n\n| Основной | 3 |\n| Шоурум | 14 |"+sources, "", ""), Right},
		"another row":               {both, answerWith("Всего 2 424 397 ₽\n\n| Основной | 14 |\n| Шоурум | 3 |"+sources, "", ""), Partly},
		"too round":                 {both, answerWith("Всего 2 млн ₽, в «Шоурум» [14 шт.]"+sources, "", "units"), Partly},
		"rounded wrongly":           {both, answerWith("Всего 2,43 млн ₽, в «Шоурум» [14 шт.]"+sources, "", "units"), Partly},
		"a figure of another thing": {both, answerWith("Всего [498]"+sources, "", "count"), Wrong},
		"a figure that must not be": {both, answerWith("[2 424 396,98 ₽], «Шоурум» [14], [1 200 300 ₽]"+sources, "", "money"), Wrong},
		"a question instead":        {both, answerWith("По какому складу?"+sources, "", ""), AskedBack},
		"an example of a question":  {both, answerWith("Спросите «Что ниже минимума?»"+sources, "", ""), Refused},
		"only a mark":               {both, answerWith("Всего [нет в отчётах]"+sources, "", ""), Refused},
		"part of a code":            {both, answerWith("Товар Z-2424396,98 и 02424397"+sources, "", ""), Refused},
		"the numbering of a list":   {expected{show: []expectedFigure{units}}, answerWith("14. Шоурум"+sources, "", ""), Refused},
		"asks as it has to":         {ask, answerWith("Какой из двух?"+sources, "", ""), Right},
		"does not ask":              {ask, answerWith("Всего [498]"+sources, "", "count"), Wrong},
		"says that it is unknown":   {nothing, answerWith("Себестоимость неизвестна."+sources, "", ""), Right},
		"does not say it":           {nothing, answerWith("Всего [14 шт.]"+sources, "", "units"), Partly},
		"has an amount for it":      {nothing, answerWith("Всего [14 ₽]"+sources, "", "money"), Wrong},
		"says it in a draft":        {nothing, answerWith("Неизвестна. PO-7K3M9X"+sources, "", ""), Wrong},
		"asks where it may":         {either, answerWith("Какой товар?"+sources, "", ""), Right},
	} {
		if got, why := c.e.classify("ru", c.a); got != c.want {
			t.Errorf("%s: %s (%s), want %s", name, got, strings.Join(why, "; "), c.want)
		}
	}
}

func TestNumbersAreReadInBothLanguages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lang, text, right string }{
		"Russian":             {"ru", "2\u00a0424\u00a0396,98 ₽", "2424396.98"},
		"narrow spaces":       {"ru", "2\u202f424\u202f396,98 ₽", "2424396.98"},
		"English":             {"en", "RUB 2,424,396.98", "2424396.98"},
		"a point":             {"en", "12.5%", "12.5"},
		"a comma":             {"ru", "12,5 %", "12.5"},
		"less than one":       {"ru", "0,94 п.п.", "0.94"},
		"thousands":           {"ru", "96 тыс. ₽", "96412.30"},
		"a sign":              {"en", "-6 pcs", "6"},
		"a fall":              {"en", "it fell by 110,944", "-110943.79"},
		"the end of a phrase": {"ru", "Всего 45,22.", "45.22"},
	} {
		found := readNumbers(c.lang, answer{text: c.text})
		if len(found) != 1 || !found[0].equals(*decimalPointer(c.right), 2) {
			t.Errorf("%s: %q is read as %v, want %s", name, c.text, found, c.right)
		}
	}
}

func TestInvalidQuestionsAreRejected(t *testing.T) {
	t.Parallel()
	const right = `{"id":"a","about":"stock","lang":"ru","turns":[{"ask":"?","show":["stock().totals.money"]}]}`
	if _, err := Read(strings.NewReader("# note\n\n" + right + "\n")); err != nil {
		t.Errorf("a valid question is refused: %v", err)
	}
	for name, text := range map[string]string{
		"nothing":            "# note\n",
		"twice":              right + "\n" + right,
		"a misspelt field":   strings.Replace(right, `"show"`, `"shows"`, 1),
		"a language":         strings.Replace(right, `"ru"`, `"de"`, 1),
		"no figures":         strings.Replace(right, `["stock().totals.money"]`, `[]`, 1),
		"three accounts":     strings.Replace(right, `"about"`, `"accounts":3,"about"`, 1),
		"figures to nothing": strings.Replace(right, `"ask"`, `"want":"nothing","ask"`, 1),
		"an unknown want":    strings.Replace(right, `"ask"`, `"want":"poem","ask"`, 1),
	} {
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The service's explanation below an answer does not count as the model's text.
func TestLegendIsNotJudged(t *testing.T) {
	for text, want := range map[string]string{
		"Прибыль 5 ₽.\n\nЦифры за 01.10–31.10.2026: прибыль 5 ₽ (2-е по величине из 108).\n\nИсточники: маржа.": "Прибыль 5 ₽.\n\nИсточники: маржа.",
		"Profit 5.\n\nFigures:\n- margin: profit 5\n- stock: in stock 7 pcs\n\nSources: margin; stock.":         "Profit 5.\n\nSources: margin; stock.",
		"Продано 5.\n\nНет в отчётах (с ваших слов): 320.\n\nИсточники: маржа.":                                 "Продано 5.\n\nИсточники: маржа.",
		"Sold 5.\n\nFigures: sold 5 pcs.\n\nIn no report (your words): 320.\n\nSources: margin.":                "Sold 5.\n\nSources: margin.",
		"Figures are below.\n\nSources: none.": "Figures are below.\n\nSources: none.",
	} {
		if got := withoutLegend(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
