package schemas_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/kopeck/kopeck/schemas"
)

func TestDocumentIsValidOpenAPI(t *testing.T) {
	document, err := openapi3.NewLoader().LoadFromData(schemas.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
}
