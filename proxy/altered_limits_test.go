package proxy

import (
	"net/http"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// Write access to the database must not be enough to raise limits.
func TestLimitsAlteredInTheDatabaseGet403(t *testing.T) {
	h := newLimitedHarness(t, keys.Limits{TokensInAll: new(int64(5))}, agenttest.Say("a"))
	databasetest.Exec(t, h.db, `DELETE FROM model_limits`)
	got := h.post("/v1/chat/completions", routedWhole)
	got.expectError("", http.StatusForbidden, "LIMITS_ALTERED")
	must(t, h.keys.SetLimits(t.Context(), operator, h.org, "", keys.Limits{}))
	h.post("/v1/chat/completions", routedWhole).expect("after the limits were set again", http.StatusOK)
}
