package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/tools"
)

// A figure repeated from an earlier answer is shown with the date of its own report.
func TestRepeatedFigureKeepsItsDate(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("В кассе {{R1.cash}}."),
		agenttest.Say("Сейчас в кассе {{R1.cash}}."), agenttest.Say("Могу посмотреть ещё раз."), askCash, agenttest.Say("В кассе {{R2.cash}}."))
	at := testTime
	b := newTestAgent(t, server, func(context.Context, string, json.RawMessage) (*tools.Result, error) {
		r := cash("1500.00")
		r.AsOf = at
		return r, nil
	})
	b.Now = func() time.Time { return at }
	session := ""
	for _, turn := range []struct {
		after time.Duration
		says  string
	}{
		{0, "деньги. Данные на 21 ноября, 15:04 МСК."}, {24 * time.Hour, "деньги. Данные на 21 ноября, 15:04 МСК."},
		{0, nothingWritten.RU}, {0, "деньги. Данные на 22 ноября, 15:04 МСК."},
	} {
		at = at.Add(turn.after)
		req := question("Сколько денег в кассе?")
		req.SessionID = session
		got := b.ask(t.Context(), req)
		if session = got.session; got.err != nil || !strings.HasSuffix(got.text, turn.says) {
			t.Errorf("%v, %v later: %q, want the end %q", got.err, at.Sub(testTime), got.text, turn.says)
		}
	}
}
