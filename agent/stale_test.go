package agent

import (
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/schemas/openai"
)

// A figure that a model repeats from an earlier answer is told with how old it is, once the books may have changed.
func TestAFigureOfAnEarlierAnswerIsNotToldAsTodays(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("В кассе 1 500,00 ₽."),
		agenttest.Say("В кассе 1 500,00 ₽."), agenttest.Say("Сейчас в кассе 1 500,00 ₽."), agenttest.Say("Могу посмотреть ещё раз."), askCash, agenttest.Say("В кассе 1 500,00 ₽."))
	b := newBench(t, server, alwaysCash)
	at := asking
	b.Now = func() time.Time { return at }
	session := ""
	for _, turn := range []struct {
		after time.Duration
		old   bool
	}{{0, false}, {time.Minute, false}, {24 * time.Hour, true}, {0, false}, {0, false}} {
		at = at.Add(turn.after)
		req := question("Сколько денег в кассе?")
		req.SessionID = session
		got := b.ask(t.Context(), req)
		if got.err != nil || got.finished == nil || got.finished.Reason != openai.FinishStop {
			t.Fatalf("%v", got.err)
		}
		if session = got.session; strings.Contains(got.text, "не новее 21.11.2026 15:04 МСК") != turn.old {
			t.Errorf("%v later: %s", at.Sub(asking), got.text)
		}
	}
}
