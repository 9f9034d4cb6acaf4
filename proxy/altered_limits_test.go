package proxy

import (
	"net/http"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/keys"
)

// Write access to the database must not be enough to raise limits.
func TestLimitsAlteredInTheDatabaseGet403(t *testing.T) {
	h := newLimitedHarness(t, keys.Limits{TokensInAll: new(int64(5))}, agenttest.Say("a"))
	_, err := h.db.ExecContext(t.Context(), `DELETE FROM model_limits`)
	must(t, err)
	got := h.post("/v1/chat/completions", routedWhole)
	got.expectError("", http.StatusForbidden, "LIMITS_ALTERED")
	must(t, h.keys.SetLimits(t.Context(), operator, h.org, "", keys.Limits{}))
	h.post("/v1/chat/completions", routedWhole).expect("after the limits were set again", http.StatusOK)
}
