package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/keys/redact"
)

const formKind = "multipart/form-data"

// errNotForm: the body is not a form, or two readers could read it differently.
var errNotForm = errors.New("not a form")

// Readers of forms differ in what they take for a boundary and for a name, so only what all of them read alike is taken.
var (
	plainBoundary = regexp.MustCompile(`^[0-9A-Za-z'()+_,./:=?-]{1,70}$`)
	plainName     = regexp.MustCompile(`^[0-9A-Za-z_.-]{1,64}(\[[0-9A-Za-z_.-]*\])*$`)
	extendedName  = regexp.MustCompile(`(?i)\bname\*`)
)

// partFields are the fields that the head of a part may have.
var partFields = []string{"Content-Disposition", "Content-Type", "Content-Length", "Content-Transfer-Encoding"}

// readForm finds what routing needs in a form of fields and a file, which is not copied. It is stricter than readers of forms
// are, so that the provider finds the same model in it: the boundary stands nowhere but between parts, and nothing follows
// the last. The boundary comes with it.
func readForm(text []byte, kind string) (c chatBody, boundary string, err error) {
	c.text = text
	media, parameters, err := mime.ParseMediaType(kind)
	boundary = parameters["boundary"]
	if err != nil || media != formKind || !plainBoundary.MatchString(boundary) {
		return c, "", errNotForm
	}
	dashed := []byte("--" + boundary)
	delimiter := append([]byte("\r\n"), dashed...)
	if !bytes.HasPrefix(text, dashed) {
		return c, "", errNotForm
	}
	at := len(dashed)
	for seen := map[string]bool{}; ; {
		rest := text[at:]
		if end, last := bytes.CutPrefix(rest, []byte("--")); last {
			if len(bytes.TrimSpace(end)) > 0 {
				return c, "", errNotForm
			}
			return c, boundary, nil
		}
		head, length := partHead(rest)
		if length < 0 {
			return c, "", errNotForm
		}
		from := at + length
		end := bytes.Index(text[from:], delimiter)
		if end < 0 || bytes.Contains(text[at:from+end], dashed) {
			return c, "", errNotForm
		}
		value := span{from, from + end}
		if err := c.part(head, value, seen); err != nil {
			return c, "", err
		}
		at = value.to + len(delimiter)
	}
}

// part takes in a part of a form. seen are those of the parts before that routing needs.
func (c *chatBody) part(head partOf, value span, seen map[string]bool) error {
	c.secret = c.secret || !head.file && redact.ContainsOwnSecret(value.of(c.text))
	routedIn, _, indexed := strings.Cut(strings.ToLower(head.name), "[")
	if routedIn != "model" && routedIn != "stream" {
		return nil
	}
	if seen[routedIn] || indexed || head.name != routedIn || head.file {
		return errAmbiguous
	}
	seen[routedIn] = true
	switch said := string(value.of(c.text)); routedIn {
	case "model":
		c.model, c.modelAt = said, value
	case "stream":
		c.stream = said == "true"
	}
	return nil
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
	if err != nil || len(disposition) != 1 || extendedName.MatchString(disposition[0]) {
		return partOf{}, -1
	}
	for name := range fields {
		if !slices.Contains(partFields, name) {
			return partOf{}, -1
		}
	}
	kind, parameters, err := mime.ParseMediaType(disposition[0])
	if err != nil || kind != "form-data" || !plainName.MatchString(parameters["name"]) {
		return partOf{}, -1
	}
	_, file := parameters["filename"]
	return partOf{parameters["name"], file}, end + 4
}

// passedForm reads a form whose model is passed through.
func (s *Server) passedForm(r *request, to *api) (*plainChat, error) {
	kind := string(r.fast.Request.Header.Peek(fasthttp.HeaderContentType))
	if !strings.HasPrefix(kind, formKind) {
		return nil, refuse(http.StatusUnsupportedMediaType, "CONTENT_TYPE_UNSUPPORTED", fmt.Sprintf("The body is of type %q.", kind),
			"Send multipart/form-data.")
	}
	form, boundary, wrong := readForm(r.fast.PostBody(), kind)
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
	// Said anew: a reader may find another boundary in the client's own words.
	return &plainChat{form, model, to, mime.FormatMediaType(formKind, map[string]string{"boundary": boundary})}, nil
}
