package agent

import (
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/openai"
)

func TestProgressIsDescribed(t *testing.T) {
	call := openai.ToolCall{ID: "1", Function: openai.FunctionCall{Name: "stock"}}
	for _, c := range []struct {
		lang            string
		sent, remaining int
		want            string
		left            time.Duration
	}{
		{"ru", 10, 30, "… stock: запрос 10 из 40, ещё около 15 с", 15 * time.Second},
		{"en", 10, 30, "… stock: request 10 of 40, about 15 s left", 15 * time.Second},
		{"en", 3, 0, "… stock: 3 requests to MoySklad", 0},
	} {
		if got := progress(c.lang, call, c.sent, c.remaining, 5*time.Second); got.Text != c.want || got.Remaining != c.left || got.Total != c.sent+c.remaining {
			t.Errorf("%+v, want %q", got, c.want)
		}
	}
}
