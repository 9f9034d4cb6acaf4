package main

import (
	"encoding/json"
	"testing"

	"github.com/kopeck/kopeck/agent/render"
)

// describedKeywords are the keywords of schemas that package check can describe, and those that do not restrict values.
var describedKeywords = map[string]bool{
	"$schema": true, "title": true, "description": true, "default": true, "properties": true, "items": true,
	"type": true, "required": true, "additionalProperties": true, "enum": true, "pattern": true, "minimum": true, "maximum": true,
	"exclusiveMinimum": true, "exclusiveMaximum": true, "minLength": true, "maxLength": true, "minItems": true, "maxItems": true,
}

// Each argument of a tool has a Russian name. The tools' schemas only use keywords for which there are Russian texts.
func TestArgumentErrorsHaveRussianTexts(t *testing.T) {
	for _, tool := range directTools() {
		var schema map[string]any
		must(t, json.Unmarshal(tool.Parameters, &schema))
		checkTexts(t, tool.Name, schema)
	}
}

func checkTexts(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	for keyword, value := range schema {
		if !describedKeywords[keyword] {
			t.Errorf("%s: there is no text for the keyword %s", path, keyword)
		}
		if items, is := value.(map[string]any); is && keyword == "items" {
			checkTexts(t, path+".0", items)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		if russian, known := render.ArgumentName("ru", path+"."+name); !known || russian == name {
			t.Errorf("%s.%s has no name in Russian", path, name)
		}
		if inner, is := property.(map[string]any); is {
			checkTexts(t, path+"."+name, inner)
		}
	}
}
