// Package docs renders the API's OpenAPI document as a web page: one HTML file without scripts or external resources.
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

// Page returns the page.
var Page = sync.OnceValue(func() []byte {
	page, err := render(schemas.OpenAPI(), schemas.Paths())
	if err != nil {
		panic(fmt.Sprintf("schemas/openapi.yaml: %v", err))
	}
	return page
})

// Policy is the page's content security policy: it allows the page's style and nothing else.
var Policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

func render(text []byte, paths []string) ([]byte, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	groups, err := d.groups(paths)
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
		"Style":   template.CSS(style), //nolint:gosec // our own file, whose digest is in the policy
		"Groups":  groups,
		"Schemas": sortedFields(d.Components.Schemas),
	})
	return out.Bytes(), err
}

// document is the part of an OpenAPI document that the page shows.
type document struct {
	Info       struct{ Title, Summary, Description string }
	Tags       []tag
	Paths      map[string]map[string]json.RawMessage
	Webhooks   map[string]struct{ Post json.RawMessage }
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

// operation is one method of one path, or an EVENT that is sent to webhooks and whose name is the path.
type operation struct {
	Method, Path         string   `json:"-"`
	Aliases              []string `json:"-"` // other paths of the same operation
	OperationID          string
	Tags                 []string
	Summary, Description string
	Security             *[]json.RawMessage
	Parameters           []parameter
	RequestBody          *struct {
		Required bool
		Content  map[string]content
	}
	Responses        map[string]response
	OrderedResponses []response `json:"-"` // sorted by status, with references resolved
}

// Public reports whether the operation needs no key.
func (o operation) Public() bool { return o.Security != nil && len(*o.Security) == 0 }

// group is a tag with its operations.
type group struct {
	tag
	Operations []operation
}

// methods in display order.
var methods = []string{"get", "post", "put", "patch", "delete"}

// groups returns the tags with their operations, in the order of the paths, and then the events by name.
func (d document) groups(paths []string) ([]group, error) {
	groups := make([]group, len(d.Tags))
	for i, t := range d.Tags {
		groups[i].tag = t
	}
	add := func(o operation) error {
		at := slices.IndexFunc(groups, func(g group) bool { return slices.Contains(o.Tags, g.Name) })
		if at < 0 {
			return fmt.Errorf("%s %s has no described tag", o.Method, o.Path)
		}
		groups[at].Operations = append(groups[at].Operations, o)
		return nil
	}
	for _, path := range paths {
		if d.canonicalPath(path) != path {
			continue
		}
		also := slices.DeleteFunc(slices.Clone(paths), func(other string) bool { return other == path || d.canonicalPath(other) != path })
		for _, method := range methods {
			text, there := d.Paths[path][method]
			if !there {
				continue
			}
			o, err := d.operation(method, path, text)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			o.Aliases = also
			if err := add(o); err != nil {
				return nil, err
			}
		}
	}
	for _, event := range slices.Sorted(maps.Keys(d.Webhooks)) {
		o, err := d.operation("event", event, d.Webhooks[event].Post)
		if err != nil {
			return nil, fmt.Errorf("event %s: %w", event, err)
		}
		if err := add(o); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// canonicalPath returns the path to show for an operation. OpenAI's operations have several paths, and the one under /v1 is
// shown.
func (d document) canonicalPath(path string) string {
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
			o.Parameters[i] = d.Components.Parameters[refName(p.Ref)]
		}
		if o.Parameters[i].Name == "" {
			return o, fmt.Errorf("parameter %d has no name", i)
		}
	}
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		r := o.Responses[status]
		if r.Ref != "" {
			r = d.Components.Responses[refName(r.Ref)]
		}
		r.Status = status
		o.OrderedResponses = append(o.OrderedResponses, r)
	}
	return o, nil
}

// refName returns the last part of a reference.
func refName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// prose renders a description: paragraphs, and code between backticks.
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
