package skim

import (
	"bufio"
	"bytes"
	"errors"
	"mime"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/keys/redact"
)

// FormType is the media type of forms.
const FormType = "multipart/form-data"

// ErrNotForm means that the body is not a form, or that different parsers could read it differently.
var ErrNotForm = errors.New("not a form")

// Parsers differ in which boundaries and names they accept. Only what they all read in the same way is accepted.
var (
	plainBoundary = regexp.MustCompile(`^[0-9A-Za-z'()+_,./:=?-]{1,70}$`)
	plainName     = regexp.MustCompile(`^[0-9A-Za-z_.-]{1,64}(\[[0-9A-Za-z_.-]*\])*$`)
	extendedName  = regexp.MustCompile(`(?i)\bname\*`)
)

// partFields are the allowed header fields of a part.
var partFields = []string{"Content-Disposition", "Content-Type", "Content-Length", "Content-Transfer-Encoding"}

// ReadForm reads a form without copying its file. It also returns the boundary. It is stricter than other parsers, so that the
// provider cannot find another model: the boundary must appear only between parts, and nothing may follow the last part.
func ReadForm(text []byte, contentType string) (c Request, boundary string, err error) {
	c.Text = text
	media, parameters, err := mime.ParseMediaType(contentType)
	boundary = parameters["boundary"]
	if err != nil || media != FormType || !plainBoundary.MatchString(boundary) {
		return c, "", ErrNotForm
	}
	dashed := []byte("--" + boundary)
	delimiter := append([]byte("\r\n"), dashed...)
	if !bytes.HasPrefix(text, dashed) {
		return c, "", ErrNotForm
	}
	at := len(dashed)
	for seen := map[string]bool{}; ; {
		rest := text[at:]
		if end, last := bytes.CutPrefix(rest, []byte("--")); last {
			if len(bytes.TrimSpace(end)) > 0 {
				return c, "", ErrNotForm
			}
			return c, boundary, nil
		}
		head, length := parsePartHeader(rest)
		if length < 0 {
			return c, "", ErrNotForm
		}
		from := at + length
		end := bytes.Index(text[from:], delimiter)
		if end < 0 || bytes.Contains(text[at:from+end], dashed) {
			return c, "", ErrNotForm
		}
		value := byteRange{from, from + end}
		if err := c.readPart(head, value, seen); err != nil {
			return c, "", err
		}
		at = value.to + len(delimiter)
	}
}

// readPart reads one part of a form. seen has the names of earlier parts that routing needs.
func (c *Request) readPart(head partHeader, value byteRange, seen map[string]bool) error {
	c.Secret = c.Secret || !head.file && redact.ContainsOwnSecret(value.slice(c.Text))
	name, _, indexed := strings.Cut(strings.ToLower(head.name), "[")
	if name != "model" && name != "stream" {
		return nil
	}
	if seen[name] || indexed || head.name != name || head.file {
		return ErrAmbiguous
	}
	seen[name] = true
	if text := string(value.slice(c.Text)); name == "model" {
		c.Model, c.modelAt = text, value
	} else {
		c.Stream = text == "true"
	}
	return nil
}

type partHeader struct {
	name string
	file bool
}

// parsePartHeader parses the header of a part. text begins with the end of the boundary's line. It also returns the length
// of the header, or -1 if it is invalid.
func parsePartHeader(text []byte) (partHeader, int) {
	const maxLength = 4 << 10
	end := bytes.Index(text[:min(len(text), maxLength)], []byte("\r\n\r\n"))
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
	media, parameters, err := mime.ParseMediaType(disposition[0])
	if err != nil || media != "form-data" || !plainName.MatchString(parameters["name"]) {
		return partHeader{}, -1
	}
	_, file := parameters["filename"]
	return partHeader{parameters["name"], file}, end + 4
}

// FormFor returns the body for the provider with another name of the model, as a list of consecutive parts.
func (c *Request) FormFor(name string) [][]byte {
	return [][]byte{c.Text[:c.modelAt.from], []byte(name), c.Text[c.modelAt.to:]}
}
