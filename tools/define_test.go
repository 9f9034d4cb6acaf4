package tools

import (
	"encoding/json"
	"testing"
)

// Every tool's schemas compile and its text is there.
func TestEveryToolIsDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, tool := range All() {
		if seen[tool.Name] {
			t.Errorf("%s is listed twice", tool.Name)
		}
		seen[tool.Name] = true
		if len(tool.Description) < 100 {
			t.Errorf("%s: description %q tells a model nothing", tool.Name, tool.Description)
		}
		for part, schema := range map[string]json.RawMessage{"parameters": tool.Parameters, "result": tool.Result} {
			var document map[string]any
			if err := json.Unmarshal(schema, &document); err != nil {
				t.Errorf("%s: %s: %v", tool.Name, part, err)
			}
			if document["type"] != "object" || document["additionalProperties"] != false {
				t.Errorf("%s: %s is not a closed object: %s", tool.Name, part, schema)
			}
		}
	}
}
