// Package schemas embeds the OpenAPI document.
package schemas

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed openapi.yaml
var openAPI []byte

// OpenAPI returns the OpenAPI document as JSON. The service serves it at /openapi.json and validates request bodies against
// it.
var OpenAPI = sync.OnceValue(func() []byte {
	var document any
	if err := yaml.Unmarshal(openAPI, &document); err != nil {
		panic(fmt.Sprintf("schemas/openapi.yaml: %v", err))
	}
	text, err := json.Marshal(document)
	if err != nil {
		panic(fmt.Sprintf("schemas/openapi.yaml: %v", err))
	}
	return text
})

// Paths returns the document's paths in its own order, in which the most important come first. JSON has lost this order.
var Paths = sync.OnceValue(func() []string {
	var document struct{ Paths yaml.Node }
	if err := yaml.Unmarshal(openAPI, &document); err != nil {
		panic(fmt.Sprintf("schemas/openapi.yaml: %v", err))
	}
	var paths []string
	for i := 0; i < len(document.Paths.Content); i += 2 { // a mapping's keys and values alternate
		paths = append(paths, document.Paths.Content[i].Value)
	}
	return paths
})
