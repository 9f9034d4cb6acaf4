package grounding

import "testing"

// Right figures make a wrong sum, which is caught however it is written; rounded ones may be off by their rounding.
func TestACalculationThatIsWrittenOutComesToWhatItSays(t *testing.T) {
	for _, answer := range []string{
		"37 + 4 = 33.", "37 − 4 = 37.", "33 + 4 = 30.", "1 234 567,89 − 459 104,93 = 1 080 246,90.", "5 000 000 ₽ + 250 000 ₽ = 2 500 000 ₽.", "33 × 37 = 1 500.", "37 шт. + 4 шт. = 33 шт.", "4/37 = 42,5 %", "37+4=33", "37 * 980,50 = 2 487 310,42", "37 плюс 4 = 33", "37 + 4 равно 33", "4 + 4 + 4 = 33", "= 37 + 4 = 33",
	} {
		if _, problems := russian().Text(answer); len(problems) == 0 {
			t.Errorf("%q passed", answer)
		}
	}
	for _, answer := range []string{
		"33 + 4 = 37.", "37 − 4 = 33", "37 шт. − 4 шт. = 33 шт.", "1 080 246,90 ₽ / 1 234 567,89 ₽ = 87,5 %", "37 × 980,50 ₽ = 36 278,50 ₽", "0 + 4 + 33 = 37", "123 456,78 − 70 987,65 = 52 469,13", "Прибыль - 459 104,93 ₽", "Прибыль — 459 104,93 ₽", "Чистая позиция: - 1 750 000,50 ₽", "1 234 568 − 70 988 ≈ 0", "Остаток = 37 шт.", "Доступно = остаток − резерв = 37 − 4 = 33.", "120 / 4 = 30", "Третья часть отчёта ниже.", "42,5 % = 0,425", "1,23 млн ₽ − 1,08 млн ₽: подробности ниже.", "Рога 5 - 37 - 4 = 33.", "Рога 5: 37 − 4 = 33 шт.", "33 + 4 = 37 = 37.", "0,0425 × 10 = 0,425", "1 234,57 тыс. ₽ − 775,46 тыс. ₽ = 459,1 тыс. ₽.",
	} {
		for _, p := range wrongSums(answer) {
			t.Errorf("%q: %v", answer, p)
		}
	}
}

// wrongSums are the problems of the sums of an answer.
func wrongSums(answer string) (wrong []Problem) {
	_, problems := russian().Text(answer)
	for _, p := range problems {
		if p.Reason == WrongSum {
			wrong = append(wrong, p)
		}
	}
	return wrong
}
