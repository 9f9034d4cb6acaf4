// Package docs is the API's document as a page for people: one file of HTML, made of openapi.yaml itself, without scripts
// and without anything from elsewhere.
package docs

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kopeck/kopeck/schemas"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	style string
)

// Page is the page.
var Page = sync.OnceValue(func() []byte {
	page, err := render(schemas.OpenAPI())
	if err != nil {
		panic(fmt.Sprintf("schemas/openapi.yaml: %v", err))
	}
	return page
})

// Policy lets the page have its own style and nothing else.
var Policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

func render(text []byte) ([]byte, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	groups, err := d.groups()
	if err != nil {
		return nil, err
	}
	page, err := template.New("page").Funcs(template.FuncMap{"prose": prose}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = page.Execute(&out, map[string]any{
		"Info":    d.Info,
		"Style":   template.CSS(style), //nolint:gosec // our own, and the policy names its digest
		"Groups":  groups,
		"Schemas": named(d.Components.Schemas),
	})
	return out.Bytes(), err
}

// document is what the page needs of an OpenAPI document.
type document struct {
	Info       struct{ Title, Summary, Description string }
	Tags       []tag
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Parameters map[string]parameter
		Responses  map[string]response
		Schemas    map[string]*schema
	}
}

type tag struct{ Name, Description string }

type parameter struct {
	Ref         string `json:"$ref"`
	Name, In    string
	Description string
	Required    bool
	Schema      *schema
}

type response struct {
	Ref         string `json:"$ref"`
	Status      string `json:"-"`
	Description string
	Headers     map[string]parameter
	Content     map[string]content
}

type content struct{ Schema *schema }

// operation is one method of one path.
type operation struct {
	Method, Path         string   `json:"-"`
	Also                 []string `json:"-"` // where the same answers
	OperationID          string
	Tags                 []string
	Summary, Description string
	Security             *[]json.RawMessage
	Parameters           []parameter
	RequestBody          *struct {
		Required bool
		Content  map[string]content
	}
	Responses map[string]response
	Answers   []response `json:"-"` // the same in order, references followed
}

// Open tells that it takes no key.
func (o operation) Open() bool { return o.Security != nil && len(*o.Security) == 0 }

// group is the operations of a tag.
type group struct {
	tag
	Operations []operation
}

// methods in the order that people expect.
var methods = []string{"get", "post", "put", "patch", "delete"}

func (d document) groups() ([]group, error) {
	groups := make([]group, len(d.Tags))
	for i, t := range d.Tags {
		groups[i].tag = t
	}
	paths := slices.Sorted(maps.Keys(d.Paths))
	for _, path := range paths {
		if d.first(path) != path {
			continue
		}
		also := slices.DeleteFunc(slices.Clone(paths), func(other string) bool { return other == path || d.first(other) != path })
		for _, method := range methods {
			text, there := d.Paths[path][method]
			if !there {
				continue
			}
			o, err := d.operation(method, path, text)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			o.Also = also
			at := slices.IndexFunc(groups, func(g group) bool { return slices.Contains(o.Tags, g.Name) })
			if at < 0 {
				return nil, fmt.Errorf("%s %s has no tag that is described", method, path)
			}
			groups[at].Operations = append(groups[at].Operations, o)
		}
	}
	return groups, nil
}

// first is the address that clients know of those that answer alike: OpenAI's, which are also there under the base.
func (d document) first(path string) string {
	known := "/v1" + strings.TrimPrefix(strings.TrimPrefix(path, "/api/v1"), "/v1")
	if _, there := d.Paths[known]; there {
		return known
	}
	return path
}

func (d document) operation(method, path string, text json.RawMessage) (operation, error) {
	o := operation{Method: strings.ToUpper(method), Path: path}
	if err := json.Unmarshal(text, &o); err != nil {
		return o, err
	}
	var shared []parameter
	if text, there := d.Paths[path]["parameters"]; there {
		if err := json.Unmarshal(text, &shared); err != nil {
			return o, err
		}
	}
	o.Parameters = append(shared, o.Parameters...)
	for i, p := range o.Parameters {
		if p.Ref != "" {
			o.Parameters[i] = d.Components.Parameters[last(p.Ref)]
		}
		if o.Parameters[i].Name == "" {
			return o, fmt.Errorf("parameter %d has no name", i)
		}
	}
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		r := o.Responses[status]
		if r.Ref != "" {
			r = d.Components.Responses[last(r.Ref)]
		}
		r.Status = status
		o.Answers = append(o.Answers, r)
	}
	return o, nil
}

// last is the name that a reference ends with.
func last(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// prose is a description: paragraphs, with words between backticks as code.
func prose(text string) template.HTML {
	var out strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		out.WriteString("<p>")
		for i, part := range strings.Split(paragraph, "`") {
			if i%2 == 1 {
				out.WriteString("<code>" + template.HTMLEscapeString(part) + "</code>")
			} else {
				out.WriteString(template.HTMLEscapeString(part))
			}
		}
		out.WriteString("</p>")
	}
	return template.HTML(out.String()) //nolint:gosec // escaped above
}
