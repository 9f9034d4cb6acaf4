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
