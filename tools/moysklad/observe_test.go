package moysklad

import "testing"

// If endpoints contained ids, the number of different metric labels would grow without limit.
func TestObservationsNameNoIDs(t *testing.T) {
	for path, want := range map[string]string{
		"entity/product": "entity/product",
		"entity/product/0190f2b1-0000-7000-8000-000000000001":          "entity/product/{id}",
		"entity/demand/0190f2b1-0000-7000-8000-000000000001/positions": "entity/demand/{id}/positions",
		"report/stock/all": "report/stock/all",
		"entity/customentity/0190f2b1-0000-7000-8000-000000000001/abc1": "entity/customentity/{id}/{id}",
	} {
		if got := (&request{path: path}).endpoint(); got != want {
			t.Errorf("%s is observed as %s, want %s", path, got, want)
		}
	}
}
