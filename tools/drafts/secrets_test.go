package drafts_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// hexCode has the form of an upstream token, but may also be an ordinary code, such as a SHA-1.
const hexCode = "da39a3ee5e6b4b0d3255bfef95601890afd80709"

// Writing *** in its place would put a value into the books that nobody sent.
func TestWriteWithASecretIsRefused(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	from := drafts.Owner{Who: s.who, ConnectionID: s.connection, AccountID: s.upstream.Books().AccountID}
	for body, want := range map[string]string{
		`{"externalCode":"` + hexCode + `","name":"A"}`:                                                                     "externalCode ",
		`{"name":"A","attributes":[{"value":1},{"value":"key \u0064` + hexCode[1:] + `"}],"description":"` + hexCode + `"}`: "attributes.1.value ",
		`{"description":"Bearer\t` + hexCode[:20] + `"}`:                                                                    "description ",
		`{"name":"A","` + hexCode + `":1}`:                                                                                  "*** ",
	} {
		_, err := s.store.AddGateway(t.Context(), from, s.client.Client, http.MethodPost, "entity/product", []byte(body))
		var wrong *check.InvalidError
		if !errors.As(err, &wrong) || !strings.HasPrefix(wrong.Error(), want) || strings.Contains(wrong.Error(), hexCode) {
			t.Errorf("%s: got %v, want it refused for %s", body, err, want)
		}
	}
	if all, _, err := s.store.List(t.Context(), s.who.OrganizationID, database.Page{Limit: 10}); err != nil || len(all) != 0 {
		t.Errorf("%d drafts are stored (%v)", len(all), err)
	}
}

// The name is not shown, but the object can be changed like any other.
func TestObjectWhoseNameContainsASecretCanBeChanged(t *testing.T) {
	for name, draft := range map[string]func(*shop, *sandbox.Item) (drafts.Draft, error){
		"tool": func(s *shop, item *sandbox.Item) (drafts.Draft, error) {
			return s.draft("draft_price_change", object{"lines": []object{{"product": item.ID, "price": newPrice}}})
		},
		"gateway": func(s *shop, item *sandbox.Item) (drafts.Draft, error) {
			from := drafts.Owner{Who: s.who, ConnectionID: s.connection, AccountID: s.upstream.Books().AccountID}
			return s.store.AddGateway(s.Context(), from, s.client.Client, http.MethodPut, "entity/product/"+item.ID, []byte(`{"archived":true}`))
		},
	} {
		for renamed, want := range map[bool]drafts.State{false: drafts.Created, true: drafts.Failed} {
			s := open(t, databasetest.SQLite(t), time.Now)
			item := s.priced()
			item.Name = "Кабель " + hexCode
			d, err := draft(s, item)
			must(t, err)
			if renamed {
				item.Name = "Провод " + hexCode
			}
			d, err = s.confirm(d)
			if d.State != want || errors.As(err, new(*drafts.StaleError)) != renamed {
				t.Errorf("%s, renamed: %t: %s, %v", name, renamed, d.State, err)
			}
			if text, err := json.Marshal(d); err != nil || strings.Contains(string(text), hexCode) || !strings.Contains(string(text), "***") {
				t.Errorf("%s, renamed: %t: the draft shows %s (%v)", name, renamed, text, err)
			}
		}
	}
}
