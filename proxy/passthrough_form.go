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

// errNotForm: the body is not a form, or parsers could read it differently.
var errNotForm = errors.New("not a form")

// Parsers differ in the boundaries and names that they accept, so only what all of them read alike is accepted.
var (
	plainBoundary = regexp.MustCompile(`^[0-9A-Za-z'()+_,./:=?-]{1,70}$`)
	plainName     = regexp.MustCompile(`^[0-9A-Za-z_.-]{1,64}(\[[0-9A-Za-z_.-]*\])*$`)
	extendedName  = regexp.MustCompile(`(?i)\bname\*`)
)

// partFields are the allowed header fields of a part.
var partFields = []string{"Content-Disposition", "Content-Type", "Content-Length", "Content-Transfer-Encoding"}

// readForm finds what routing needs in a form, without copying its file. It is stricter than other parsers, so that the
// provider finds the same model: the boundary may appear only between parts, and nothing may follow the last part. It also
// returns the boundary.
func readForm(text []byte, kind string) (c routedBody, boundary string, err error) {
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
		value := byteRange{from, from + end}
		if err := c.part(head, value, seen); err != nil {
			return c, "", err
		}
		at = value.to + len(delimiter)
	}
}

// part reads a part of a form. seen are the parts so far that routing needs.
func (c *routedBody) part(head partHeader, value byteRange, seen map[string]bool) error {
	c.secret = c.secret || !head.file && redact.ContainsOwnSecret(value.slice(c.text))
	routedIn, _, indexed := strings.Cut(strings.ToLower(head.name), "[")
	if routedIn != "model" && routedIn != "stream" {
		return nil
	}
	if seen[routedIn] || indexed || head.name != routedIn || head.file {
		return errAmbiguous
	}
	seen[routedIn] = true
	switch said := string(value.slice(c.text)); routedIn {
	case "model":
		c.modelName, c.modelAt = said, value
	case "stream":
		c.stream = said == "true"
	}
	return nil
}

// partHeader is the header of a part.
type partHeader struct {
	name string
	file bool
}

// partHead parses the header of a part, which starts with the end of the boundary's line. It also returns its length; -1 if
// it is invalid.
func partHead(text []byte) (partHeader, int) {
	const most = 4 << 10
	end := bytes.Index(text[:min(len(text), most)], []byte("\r\n\r\n"))
	if end < 0 || !bytes.HasPrefix(text, []byte("\r\n")) {
		return partHeader{}, -1
	}
	fields, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(text[2 : end+4]))).ReadMIMEHeader()
	disposition := fields["Content-Disposition"]
	if err != nil || len(disposition) != 1 || extendedName.MatchString(disposition[0]) {
		return partHeader{}, -1
	}
	for name := range fields {
		if !slices.Contains(partFields, name) {
			return partHeader{}, -1
		}
	}
	kind, parameters, err := mime.ParseMediaType(disposition[0])
	if err != nil || kind != "form-data" || !plainName.MatchString(parameters["name"]) {
		return partHeader{}, -1
	}
	_, file := parameters["filename"]
	return partHeader{parameters["name"], file}, end + 4
}

// readModelForm reads a form that is passed through.
func (s *Server) readModelForm(r *request, to *api) (*modelRequest, error) {
	kind := string(r.fast.Request.Header.Peek(fasthttp.HeaderContentType))
	if !strings.HasPrefix(kind, formKind) {
		return nil, newProblem(http.StatusUnsupportedMediaType, "CONTENT_TYPE_UNSUPPORTED", fmt.Sprintf("The body is of type %q.", kind),
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
	case form.modelName == "":
		return nil, invalidFields(field{"model", "is missing"})
	}
	model := s.cfg.Models.Find(form.modelName)
	if model == nil {
		return nil, unknownModel(form.modelName)
	}
	// Formatted anew: a parser may find another boundary in the client's header.
	return &modelRequest{form, model, to, mime.FormatMediaType(formKind, map[string]string{"boundary": boundary})}, nil
}
