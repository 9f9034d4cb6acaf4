package sandbox_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

func TestWriteEndsReplayedAnswers(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true, Replay: true})
	item := a.Books().Assortment[0]
	path := fmt.Sprintf("/entity/%s?filter=id=%s", item.Kind, item.ID)
	first, again := a.send(http.MethodGet, path, "", nil), a.send(http.MethodGet, path, "", nil)
	if first.StatusCode != http.StatusOK || first.text != again.text {
		t.Fatalf("%d %s, then %s", first.StatusCode, first.text, again.text)
	}
	a.write(http.MethodPut, fmt.Sprintf("/entity/%s/%s", item.Kind, item.ID), `{"name":"Renamed"}`)
	if renamed := a.send(http.MethodGet, path, "", nil); !strings.Contains(renamed.text, "Renamed") {
		t.Errorf("after the change, the name is still %s", renamed.text)
	}
}
