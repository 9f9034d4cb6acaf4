package tools

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// A calculation needs nothing of the account, so it makes no call and does not fail with the upstream.
func TestCalculateNeedsNoUpstream(t *testing.T) {
	t.Parallel()
	s := openShopThrough(t, sandbox.Config{Seed: 1}, rewrite(func(request *http.Request) { t.Errorf("a call: %s", request.URL) }))
	if got, result := ask[calculateResult](s, "calculate", `{"expression": "2 * 21"}`); got.Value.String() != "42" || result.UpstreamCalls != 0 {
		t.Errorf("%+v in %d calls", got, result.UpstreamCalls)
	}
}

func TestCalculateAnswersAndRefuses(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1}, func(t *testing.T, s *shop) {
		got, result := ask[calculateResult](s, "calculate", `{"expression": "round(percent(1234.56 - 980.10, 1234.56), 2)"}`)
		if got.Value.String() != "20.61" || len(result.Notes) != 0 {
			t.Errorf("%+v, notes %v", got, result.Notes)
		}
		wrong := s.refused("calculate", `{"expression": "1 234,50 * 2"}`)
		if wrong.Problems[0].Field != "expression" || !strings.Contains(wrong.Error(), "without spaces between digits") {
			t.Error(wrong)
		}
		s.refused("calculate", `{}`)
	})
}
