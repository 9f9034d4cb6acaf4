package proxy

import (
	"net/http"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/keys"
)

// Somebody who can write the database gets no more out of models than the limits allow.
func TestLimitsAlteredInTheDatabaseGet403(t *testing.T) {
	h := bounded(t, keys.Limits{TokensInAll: new(int64(5))}, agenttest.Say("a"))
	_, err := h.db.ExecContext(t.Context(), `DELETE FROM model_limits`)
	must(t, err)
	got := h.post("/v1/chat/completions", routedWhole)
	if got.status != http.StatusForbidden || got.failure().Detail.Code != "LIMITS_ALTERED" {
		t.Errorf("%d %s", got.status, got.body)
	}
	must(t, h.keys.SetLimits(t.Context(), operator, h.ours, "", keys.Limits{}))
	if got := h.post("/v1/chat/completions", routedWhole); got.status != http.StatusOK {
		t.Errorf("set again, they refuse: %d %s", got.status, got.body)
	}
}
