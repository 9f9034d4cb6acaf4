package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/keys/redact"
)

// errNotForm: the body is not a form, or two readers could read it differently.
var errNotForm = errors.New("not a form")

// readForm finds what routing needs in a form of fields and a file, which is not copied. It is stricter than readers of forms
// are, so that the provider finds the same model in it.
func readForm(text []byte, kind string) (chatBody, error) {
	c := chatBody{text: text}
	media, parameters, err := mime.ParseMediaType(kind)
	if err != nil || media != "multipart/form-data" || parameters["boundary"] == "" {
		return c, errNotForm
	}
	delimiter := []byte("\r\n--" + parameters["boundary"])
	if !bytes.HasPrefix(text, delimiter[2:]) {
		return c, errNotForm
	}
	at := len(delimiter) - 2
	for seen := map[string]bool{}; ; {
		rest := text[at:]
		if bytes.HasPrefix(rest, []byte("--")) {
			return c, nil
		}
		head, length := partHead(rest)
		if length < 0 {
			return c, errNotForm
		}
		from := at + length
		end := bytes.Index(text[from:], delimiter)
		if end < 0 {
			return c, errNotForm
		}
		value := span{from, from + end}
		c.secret = c.secret || !head.file && redact.FindsOurs(value.of(text))
		if routedIn := strings.ToLower(head.name); routedIn == "model" || routedIn == "stream" {
			if seen[routedIn] || head.name != routedIn || head.file {
				return c, errAmbiguous
			}
			seen[routedIn] = true
			switch said := string(value.of(text)); routedIn {
			case "model":
				c.model, c.modelAt = said, value
			case "stream":
				c.stream = said == "true"
			}
		}
		at = value.to + len(delimiter)
	}
}

// partOf is what the head of a form's part says.
type partOf struct {
	name string
	file bool
}

// partHead reads the head of a part from the end of the line before, and tells its length; -1 if it is none.
func partHead(text []byte) (partOf, int) {
	const most = 4 << 10
	end := bytes.Index(text[:min(len(text), most)], []byte("\r\n\r\n"))
	if end < 0 || !bytes.HasPrefix(text, []byte("\r\n")) {
		return partOf{}, -1
	}
	fields, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(text[2 : end+4]))).ReadMIMEHeader()
	disposition := fields["Content-Disposition"]
	if err != nil || len(disposition) != 1 {
		return partOf{}, -1
	}
	kind, parameters, err := mime.ParseMediaType(disposition[0])
	if err != nil || kind != "form-data" {
		return partOf{}, -1
	}
	_, file := parameters["filename"]
	return partOf{parameters["name"], file}, end + 4
}

// passedForm reads a form whose model is passed through.
func (s *Server) passedForm(r *request, to *api) (*plainChat, error) {
	kind := string(r.fast.Request.Header.Peek(fasthttp.HeaderContentType))
	if !strings.HasPrefix(kind, "multipart/form-data") {
		return nil, refuse(http.StatusUnsupportedMediaType, "CONTENT_TYPE_UNSUPPORTED", fmt.Sprintf("The body is of type %q.", kind),
			"Send multipart/form-data.")
	}
	form, wrong := readForm(r.fast.PostBody(), kind)
	switch {
	case errors.Is(wrong, errAmbiguous):
		return nil, invalid("The form says twice, as a file or in other letters, what its model or stream is.",
			"Say each once, in small letters.")
	case wrong != nil:
		return nil, invalid("The body is not a form as its Content-Type says.",
			"Send it with an HTTP client's multipart/form-data.", field{"body", "must be a form"})
	case form.model == "":
		return nil, invalidFields(field{"model", "is missing"})
	}
	model := s.cfg.Models.Find(form.model)
	if model == nil {
		return nil, unknownModel(form.model)
	}
	return &plainChat{form, model, to, kind}, nil
}
