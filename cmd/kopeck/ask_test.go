package main

import (
	"strings"
	"testing"
)

// An answer that breaks off must make the command fail.
func TestIncompleteAnswerIsAnError(t *testing.T) {
	text := func(s string) string {
		return `data: {"choices":[{"index":0,"delta":{"content":"` + s + `"}}]}` + "\n\n"
	}
	for name, c := range map[string]struct{ stream, printed, wrong string }{
		"whole":   {": ping\n\n" + text("12 ") + `data: {"choices":[]}` + "\n\n" + text("шт.") + "data: [DONE]\n\n", "12 шт.", ""},
		"cut":     {text("12"), "12", "incomplete"},
		"refused": {text("12") + `data: {"detail":{"code":"MODEL_UNAVAILABLE","message":"Away.","hint":"Wait."},"error":{}}` + "\n\n", "12", "Away. Wait. (MODEL_UNAVAILABLE)"},
		"no JSON": {"data: <html>\n\n", "", "is this the address"},
	} {
		var out strings.Builder
		err := printStream(&out, strings.NewReader(c.stream), noProgress{})
		if out.String() != c.printed || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: printed %q, error %v", name, out.String(), err)
		}
	}
}
