package agent

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// Only the end of a long session is read, and its results keep their numbers.
func TestLongSessionIsReadUpToLimits(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		store := NewStore(db, clock)
		who := organization(t, db, "org-1")
		result := json.RawMessage(`"` + strings.Repeat("r", 50<<10) + `"`)
		var messages []Message
		const turns = 500
		for i := range turns {
			messages = append(messages, user(fmt.Sprint(i)), callMessage("own"), Message{Role: "tool", ToolCallID: "own", Content: "{}", Results: []json.RawMessage{result}},
				assistant(strings.Repeat("a", 1<<10)))
		}
		session := createTestSession(t, store, who, messages...)
		check := func(when string) {
			t.Helper()
			recent, err := store.recent(t.Context(), "org-1", session.ID, 0)
			must(t, err)
			textBytes, resultBytes, results := 0, 0, 0
			for _, m := range recent.Messages {
				textBytes += len(m.Content)
				results += len(m.Results)
				for _, r := range m.Results {
					resultBytes += len(r)
				}
			}
			if textBytes > maxHistoryBytes || textBytes < maxHistoryBytes*9/10 || resultBytes > maxResultBytes || resultBytes < maxResultBytes*9/10 {
				t.Errorf("%s: read %d bytes of words and %d of results", when, textBytes, resultBytes)
			}
			if recent.EarlierResults+results != turns || recent.Messages[len(recent.Messages)-1].Content != messages[len(messages)-1].Content {
				t.Errorf("%s: %d results before, and %d", when, recent.EarlierResults, results)
			}
		}
		check("counted")
		if _, err := db.ExecContext(t.Context(), `UPDATE messages SET results_so_far = NULL WHERE position > 700`); err != nil {
			t.Fatal(err)
		}
		check("with messages of an older program")
		half, err := store.recent(t.Context(), "org-1", session.ID, 4*10)
		if err != nil || len(half.Messages) != 40 || half.EarlierResults != 0 {
			t.Errorf("up to the tenth answer: %d messages, %d results before, %v", len(half.Messages), half.EarlierResults, err)
		}
	})
}

func TestCopiedSessionKeepsResultNumbers(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		store := NewStore(db, clock)
		who := organization(t, db, "org-1")
		one := func(text string) []json.RawMessage { return []json.RawMessage{json.RawMessage(`"` + text + `"`)} }
		first := createTestSession(t, store, who, user("1"), Message{Role: "assistant", Content: "раз", Results: one("R1")}, user("2"), Message{Role: "assistant", Content: "два", Results: one("R2")})
		second, turn, err := store.create(t.Context(), who, "?", nil)
		if err == nil {
			err = turn.save(t.Context(), who.KeyID, place{first.ID, 2}, []Message{user("2b"), {Role: "assistant", Content: "иначе", Results: one("R2b")}})
		}
		must(t, err)
		recent, err := store.recent(t.Context(), "org-1", second.ID, 0)
		if err != nil || recent.EarlierResults != 0 || len(recent.Messages) != 4 || string(recent.Messages[1].Results[0]) != `"R1"` || string(recent.Messages[3].Results[0]) != `"R2b"` {
			t.Errorf("%+v, %v", recent, err)
		}
		if total, err := store.resultsUpTo(t.Context(), "org-1", second.ID, 4); err != nil || total != 2 {
			t.Errorf("%d results, %v", total, err)
		}
	})
}
