// Package schemas is what things look like at the boundaries. Here is the OpenAPI document; the wire types of chat
// completions and the tables are in the packages below.
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

// OpenAPI is the API's document as JSON: what /openapi.json serves, and what request bodies are held against.
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
