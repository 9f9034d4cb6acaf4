package tools

import (
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

func TestReconciliationErrorsNameTheValue(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1}, func(t *testing.T, s *shop) {
		wrong := s.mustRefuse("reconcile_shipments", `{"from": "2026-10-01", "to": "2026-10-31", "channel": "Amazon"}`)
		if !strings.Contains(wrong.Error(), "Amazon") || !slices.Contains(wrong.Choices(), "Ozon") {
			t.Errorf("%v, candidates %v", wrong, wrong.Choices())
		}
		if wrong := s.mustRefuse("reconcile_shipments", `{"from": "2026-10-01", "to": "2026-10-31", "number_in": "comment"}`); !strings.Contains(wrong.Error(), "attribute:NAME") {
			t.Error(wrong)
		}
	})
}
