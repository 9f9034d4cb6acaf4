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

	"github.com/kopeck/kopeck/schemas"
	"github.com/kopeck/kopeck/schemas/check"
)

// bodySchema is what openapi.yaml says of a route's request body.
type bodySchema struct {
	schema   *check.Schema // nil when the route takes no body
	required bool
	passes   *api // what it may be passed on by; nil is nothing
}

// described is the part of the document that is read here. A path's keys are methods, and "parameters".
type described struct {
	Paths map[string]map[string]json.RawMessage
}

// operation is one method of a path.
type operation struct {
	RequestBody struct {
		Required bool
		Content  map[string]json.RawMessage
	}
}

// bodySchemas reads the document. A route that is not in it, or whose schema is none, is a defect and panics.
func bodySchemas() map[*route]bodySchema {
	text := schemas.OpenAPI()
	compiled, err := check.NewDocument(text)
	var document described
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	if err != nil {
		panic(fmt.Sprintf("schemas/openapi.yaml: %v", err))
	}
	all := map[*route]bodySchema{}
	for i := range routes {
		if all[&routes[i]], err = document.bodyOf(&routes[i], compiled); err != nil {
			panic(fmt.Sprintf("schemas/openapi.yaml, %s %s: %v", routes[i].method, routes[i].documented(), err))
		}
	}
	return all
}

func (d described) bodyOf(ro *route, compiled *check.Document) (bodySchema, error) {
	path, method := ro.documented(), strings.ToLower(ro.method)
	text, there := d.Paths[path][method]
	if !there {
		return bodySchema{}, errors.New("is not there")
	}
	var op operation
	if err := json.Unmarshal(text, &op); err != nil {
		return bodySchema{}, err
	}
	passes := apiOf(ro)
	if op.RequestBody.Content["application/json"] == nil {
		return bodySchema{nil, op.RequestBody.Required, passes}, nil
	}
	schema, err := compiled.At(
		"/paths/" + strings.ReplaceAll(path, "/", "~1") + "/" + method + "/requestBody/content/application~1json/schema",
	)
	return bodySchema{schema, op.RequestBody.Required, passes}, err
}

// checkBody holds the body against the document that the service shows to everyone. A request for a model that is passed
// through is the model's to check.
func (s *Server) checkBody(r *request) (err error) {
	body := bytes.TrimSpace(r.fast.PostBody())
	if len(body) == 0 && (r.fast.IsGet() || r.fast.IsHead()) { // none has one
		return nil
	}
	expected := s.bodies()[r.route]
	if len(body) == 0 {
		if expected.required {
			return invalid("The request has no body.", "Send a JSON object; /openapi.json describes it.")
		}
		return nil
	}
	if expected.passes != nil && expected.passes.form {
		r.plain, err = s.passedForm(r, expected.passes)
		return err
	}
	if err := r.jsonOnly(); err != nil {
		return err
	}
	if expected.passes != nil {
		if r.plain, err = s.plainChat(body, expected.passes); r.plain != nil || err != nil {
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
		if wrong := check.Bounds(body); wrong != nil {
			return invalidBody([]*check.Problem{wrong})
		}
		return nil
	}
	if problems := expected.schema.Problems(body); len(problems) > 0 {
		return invalidBody(problems)
	}
	return nil
}

func invalidBody(problems []*check.Problem) *problem {
	fields := make([]field, len(problems))
	for i, p := range problems {
		fields[i] = field{cmp.Or(p.Field, "body"), p.In("en")}
	}
	return invalidFields(fields...)
}

// jsonOnly refuses a body of another kind. Without a Content-Type it is read as JSON.
func (r *request) jsonOnly() error {
	if coding := string(r.fast.Request.Header.ContentEncoding()); coding != "" && coding != "identity" &&
		coding != "gzip" { // gzip is unpacked
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

func unsupported(message, hint string) *problem {
	return refuse(http.StatusUnsupportedMediaType, "CONTENT_TYPE_UNSUPPORTED", message, hint)
}

// notUTF8 refuses text in another encoding: JSON decoders would replace its letters, and a search would find nothing.
func notUTF8(body []byte) *problem {
	at := 0
	for r, size := utf8.DecodeRune(body); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(body[at:]) {
		at += size
	}
	return invalid(fmt.Sprintf("The body is not UTF-8: byte %d is 0x%02X.", at+1, body[at]),
		"Send JSON in UTF-8. Command lines of Windows write other encodings: put the body into a file saved as UTF-8, and send that.",
		field{"body", "must be UTF-8"})
}

// notJSON says where the body stops being JSON.
func notJSON(body []byte) *problem {
	var ignored any
	err := json.Unmarshal(body, &ignored)
	message := "The body is not JSON."
	if bytes.HasPrefix(body, []byte("\uFEFF")) {
		return invalid(
			"The body is not JSON: it begins with a byte order mark.", "Save it as UTF-8 without BOM, and send it again.",
			field{"body", "must be JSON"},
		)
	}
	if syntax, ok := err.(*json.SyntaxError); ok { //nolint:errorlint // Unmarshal returns it as it is
		message = fmt.Sprintf("The body is not JSON: at byte %d, %v.", syntax.Offset, err)
	}
	return invalid(message, "Send a JSON object; quotes around names, no comma after the last field.", field{"body", "must be JSON"})
}
