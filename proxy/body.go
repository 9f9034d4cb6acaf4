package proxy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas"
	"github.com/kopeck/kopeck/schemas/check"
)

// bodySchema describes a route's request body according to openapi.yaml.
type bodySchema struct {
	schema   *check.Schema // nil if the route takes no JSON body
	required bool
}

// openAPIPaths is the part of the document that is used here. The value of a path contains its methods, and "parameters".
type openAPIPaths struct {
	Paths map[string]map[string]json.RawMessage
}

// operation is one method of a path.
type operation struct {
	RequestBody struct {
		Required bool
		Content  map[string]json.RawMessage
	}
}

// readBodySchemas reads the document. It panics if a route is missing or its schema is invalid.
func readBodySchemas() map[*route]bodySchema {
	text := schemas.OpenAPI()
	compiled, err := check.NewDocument(text)
	var document openAPIPaths
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	if err != nil {
		panic(fmt.Sprintf("schemas/openapi.yaml: %v", err))
	}
	all := map[*route]bodySchema{}
	for i := range routes {
		if all[&routes[i]], err = document.schemaOf(&routes[i], compiled); err != nil {
			panic(fmt.Sprintf("schemas/openapi.yaml, %s %s: %v", routes[i].method, routes[i].openAPIPath(), err))
		}
	}
	return all
}

func (d openAPIPaths) schemaOf(ro *route, compiled *check.Document) (bodySchema, error) {
	path, method := ro.openAPIPath(), strings.ToLower(ro.method)
	text, there := d.Paths[path][method]
	if !there {
		return bodySchema{}, errors.New("not described")
	}
	var op operation
	if err := json.Unmarshal(text, &op); err != nil {
		return bodySchema{}, err
	}
	if op.RequestBody.Content["application/json"] == nil {
		return bodySchema{nil, op.RequestBody.Required}, nil
	}
	schema, err := compiled.At(
		"/paths/" + strings.ReplaceAll(path, "/", "~1") + "/" + method + "/requestBody/content/application~1json/schema",
	)
	return bodySchema{schema, op.RequestBody.Required}, err
}

// checkBody validates the body against openapi.yaml. It does not validate a request that is passed through: the model's
// provider does.
func (s *Server) checkBody(r *request) (err error) {
	body := bytes.TrimSpace(r.fast.PostBody())
	if len(body) == 0 && (r.fast.IsGet() || r.fast.IsHead()) { // no GET route has a body
		return nil
	}
	expected := s.bodySchemas()[r.route]
	if len(body) == 0 {
		if expected.required {
			return problem.Invalid("The request has no body.", "Send a JSON object; /openapi.json describes it.")
		}
		return nil
	}
	if r.api != nil && r.api.isForm {
		r.modelRequest, err = s.readModelForm(r)
		return err
	}
	if err := r.checkContentType(); err != nil {
		return err
	}
	if r.api != nil {
		if r.modelRequest, err = s.readModelRequest(body, r.api); r.modelRequest != nil || err != nil {
			return err
		}
	}
	if len(body) > maxBody {
		return tooLarge(maxBody)
	}
	if !utf8.Valid(body) {
		return notUTF8(body)
	}
	if !json.Valid(body) {
		return notJSON(body)
	}
	if expected.schema == nil {
		if wrong := check.CheckBounds(body); wrong != nil {
			return invalidBody([]*check.Problem{wrong})
		}
		return nil
	}
	if problems := expected.schema.Problems(body); len(problems) > 0 {
		return invalidBody(problems)
	}
	return nil
}

func invalidBody(problems []*check.Problem) *problem.Problem {
	for _, p := range problems {
		p.Field = cmp.Or(p.Field, "body")
	}
	return problem.InvalidValues(problems)
}

// checkContentType rejects bodies that are not JSON, or whose encoding is not supported. A body without a Content-Type
// counts as JSON.
func (r *request) checkContentType() error {
	coding := string(r.fast.Request.Header.ContentEncoding())
	if coding != "" && coding != "identity" && coding != "gzip" { // gzip is already unpacked
		return unsupported(fmt.Sprintf("The body is encoded with %q.", coding), "Send it without Content-Encoding, or with gzip.")
	}
	sent := string(r.fast.Request.Header.Peek(fasthttp.HeaderContentType))
	if sent == "" || sent == "application/json" {
		return nil
	}
	kind, parameters, err := mime.ParseMediaType(sent)
	charset := parameters["charset"]
	if err != nil || kind != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return unsupported(fmt.Sprintf("The body is of type %q.", sent), "Send JSON in UTF-8 with Content-Type: application/json.")
	}
	return nil
}

func unsupported(message, hint string) *problem.Problem {
	return problem.New(http.StatusUnsupportedMediaType, "CONTENT_TYPE_UNSUPPORTED", message, hint)
}

// notUTF8 returns the problem of a body that is not UTF-8. Go would replace the invalid bytes when decoding, and searches
// for such a text would find nothing.
func notUTF8(body []byte) *problem.Problem {
	at := 0
	for r, size := utf8.DecodeRune(body); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(body[at:]) {
		at += size
	}
	return problem.Invalid(fmt.Sprintf("The body is not UTF-8: byte %d is 0x%02X.", at+1, body[at]),
		"Send JSON in UTF-8. The Windows command line uses another encoding: save the body as a UTF-8 file and send the file.").
		At("body", "must be UTF-8")
}

// notJSON returns the problem of a body that is not JSON. The message says where the error is.
func notJSON(body []byte) *problem.Problem {
	var ignored any
	err := json.Unmarshal(body, &ignored)
	message := "The body is not JSON."
	if bytes.HasPrefix(body, []byte("\uFEFF")) {
		return problem.Invalid("The body is not JSON: it begins with a byte order mark.", "Save it as UTF-8 without BOM, and send it again.").
			At("body", "must be JSON")
	}
	if syntax, ok := err.(*json.SyntaxError); ok { //nolint:errorlint // Unmarshal does not wrap it
		message = fmt.Sprintf("The body is not JSON: at byte %d, %v.", syntax.Offset, err)
	}
	return problem.Invalid(message, "Send a JSON object, with quotes around names and no comma after the last field.").
		At("body", "must be JSON")
}
