package accounts

import (
	"testing"

	"github.com/kopeck/kopeck/keys"
)

func TestBestConnectionWorksAndSeesMost(t *testing.T) {
	all := keys.Permissions{ViewCost: true, ViewMoney: true, WriteDocuments: true}
	rows := []keys.Connection{
		{ID: "failing", AccountID: "a", State: keys.Failing, Permissions: all},
		{ID: "blind", AccountID: "a", State: keys.Verified},
		{ID: "sees cost", AccountID: "a", State: keys.Verified, Permissions: keys.Permissions{ViewCost: true}},
		{ID: "writes", AccountID: "a", State: keys.Verified, Permissions: keys.Permissions{WriteDocuments: true}},
		{ID: "only one", AccountID: "b", State: keys.Failing},
	}
	got := bestPerAccount(rows)
	if len(got) != 2 || got[0].ID != "sees cost" || got[1].ID != "only one" {
		t.Errorf("chose %+v", got)
	}
}
