package grounding

import "testing"

// catches holds a check to finding a problem in each of these answers.
func catches(t *testing.T, check *Check, answers ...string) {
	t.Helper()
	for _, answer := range answers {
		if _, problems := check.Text(answer); len(problems) == 0 {
			t.Errorf("%q passed", answer)
		}
	}
}

// passes holds a check to finding none.
func passes(t *testing.T, check *Check, answers ...string) {
	t.Helper()
	for _, answer := range answers {
		if _, problems := check.Text(answer); len(problems) > 0 {
			t.Errorf("%q: %v", answer, problems)
		}
	}
}
