package main

import (
	"encoding/json"
	"testing"

	"github.com/kopeck/kopeck/agent/render"
)

// worded are the keywords of a schema that say nothing of a value, and those of which every breach is worded in package check.
var worded = map[string]bool{
	"$schema": true, "title": true, "description": true, "default": true, "properties": true, "items": true,
	"type": true, "required": true, "additionalProperties": true, "enum": true, "pattern": true, "minimum": true, "maximum": true,
	"exclusiveMinimum": true, "exclusiveMaximum": true, "minLength": true, "maxLength": true, "minItems": true, "maxItems": true,
}

// Whatever is wrong with an argument of a tool can be said in Russian: each argument has a name, and what its schema asks is
// worded.
func TestEveryArgumentCanBeSpokenOfInRussian(t *testing.T) {
	for _, tool := range directTools() {
		var schema map[string]any
		if err := json.Unmarshal(tool.Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		speakOf(t, tool.Name, schema)
	}
}

func speakOf(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	for keyword, value := range schema {
		if !worded[keyword] {
			t.Errorf("%s: what %s asks of a value is not worded", path, keyword)
		}
		if items, is := value.(map[string]any); is && keyword == "items" {
			speakOf(t, path+".0", items)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		if said, known := render.ArgumentName("ru", path+"."+name); !known || said == name {
			t.Errorf("%s.%s has no name in Russian", path, name)
		}
		if inner, is := property.(map[string]any); is {
			speakOf(t, path+"."+name, inner)
		}
	}
}
