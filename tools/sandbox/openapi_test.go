package sandbox_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// upstreamSchema reads the vendor's OpenAPI document. The document is not part of the project; if it is missing, the
// result is nil.
func upstreamSchema(t *testing.T) *openapi3.T {
	t.Helper()
	path := os.Getenv("KOPECK_UPSTREAM_OPENAPI")
	if path == "" {
		path = filepath.Join("..", "..", "..", "shared", "upstream", "openapi.json")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	// The alternatives in the document overlap and have no discriminators: a product is also a valid service. So one match is enough.
	text = bytes.ReplaceAll(text, []byte(`"oneOf"`), []byte(`"anyOf"`))
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatalf("the vendor's document: %v", err)
	}
	return document
}

// The vendor's document does not describe reports.
func TestEntitiesFitTheVendorsSchema(t *testing.T) {
	document := upstreamSchema(t)
	if document == nil {
		t.Skip("the vendor's OpenAPI document is not part of the project, and there is none here")
	}
	a := open(t, sandbox.Config{Seed: 3, Unlimited: true})
	for path, item := range document.Paths.Map() {
		if item.Get == nil {
			continue
		}
		t.Run(strings.Trim(path, "/"), func(t *testing.T) {
			schema := item.Get.Responses.Status(http.StatusOK).Value.Content.Get("application/json").Schema.Value
			for _, call := range a.callsFor(path) {
				answer := a.send(http.MethodGet, call, "", nil)
				if answer.StatusCode != http.StatusOK {
					t.Fatalf("%s: %d %s", call, answer.StatusCode, answer.text)
				}
				var body any
				must(t, json.Unmarshal([]byte(answer.text), &body))
				if err := schema.VisitJSON(body, openapi3.MultiErrors()); err != nil {
					t.Errorf("%s: %v", call, short(err))
				}
			}
		})
	}
}

// callsFor returns requests for a path of the document, with ids of existing entities and with expanded links.
func (a *account) callsFor(path string) []string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if strings.Contains(path, "{id}") {
		rows := get[struct {
			Rows []struct {
				ID           string `json:"id"`
				MinimumStock struct {
					Type string `json:"type"`
				} `json:"minimumStock"`
			} `json:"rows"`
		}](a, "/entity/"+parts[1]+"?limit=60&fields=minimumStock").Rows
		for _, row := range rows {
			if strings.HasSuffix(path, "storebalances") == (row.MinimumStock.Type == "WAREHOUSE_VARIED") {
				return []string{strings.Replace(path, "{id}", row.ID, 1)}
			}
		}
		return []string{strings.Replace(path, "{id}", rows[0].ID, 1)}
	}
	if parts[0] == "entity" && len(parts) == 2 {
		return []string{
			path + "?limit=100", path + "?limit=20&expand=agent,state,positions.assortment,product,supplier", path + "?fields=minimumStock",
		}
	}
	return []string{path}
}

func short(err error) string {
	text := err.Error()
	return text[:min(len(text), 1500)]
}
