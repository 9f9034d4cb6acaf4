package docs

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas"
)

// The page shows everything in the document, and no link on the page is broken.
func TestPageCoversTheDocument(t *testing.T) {
	page := string(Page())
	var d document
	if err := json.Unmarshal(schemas.OpenAPI(), &d); err != nil {
		t.Fatal(err)
	}
	for path, operations := range d.Paths {
		for method := range operations {
			heading := strings.ToUpper(method) + `</span> <code>` + path + `</code>`
			if d.canonicalPath(path) != path {
				heading = "<code>" + path + "</code>"
			}
			if method != "parameters" && !strings.Contains(page, heading) {
				t.Errorf("%s %s is not on the page", method, path)
			}
		}
	}
	for event := range d.Webhooks {
		if !strings.Contains(page, `EVENT</span> <code>`+event+`</code>`) {
			t.Errorf("event %s is not on the page", event)
		}
	}
	for _, header := range regexp.MustCompile(`"headers":\{"([^"]+)"`).FindAllStringSubmatch(string(schemas.OpenAPI()), -1) {
		if !strings.Contains(page, "<code>"+header[1]+`</code> <span class="in">header</span>`) {
			t.Errorf("response header %s is not on the page", header[1])
		}
	}
	for name := range d.Components.Schemas {
		if !strings.Contains(page, `id="schema-`+name+`"`) {
			t.Errorf("schema %s is not on the page", name)
		}
	}
	for _, link := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(page, `id="`+link[1]+`"`) {
			t.Errorf("a link leads to %s, which is not on the page", link[1])
		}
	}
	first := strings.Index(page, "<h2")
	first += strings.Index(page[first:], " <code>/")
	if !strings.HasPrefix(page[first:], " <code>/v1/chat/completions</code>") {
		t.Errorf("the first operation is %.60q", page[first:])
	}
	ids := map[string]bool{}
	for _, id := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if ids[id[1]] {
			t.Errorf("%s is on the page twice", id[1])
		}
		ids[id[1]] = true
	}
}

// The page runs no scripts, loads nothing, and its policy allows its style.
func TestPageIsSelfContained(t *testing.T) {
	page := string(Page())
	for _, foreign := range []string{"<script", "<link", "<img", "<iframe", "@import", "url(", "style=", " on" + "load=", "ZgotmplZ"} {
		if strings.Contains(page, foreign) {
			t.Errorf("%s is on the page", foreign)
		}
	}
	if outside := regexp.MustCompile(`(href|src)="(https?:)?//`).FindString(page); outside != "" {
		t.Errorf("the page refers to another origin: %s", outside)
	}
	if !strings.Contains(page, "<style>"+style+"</style>") || !strings.Contains(Policy, "style-src 'sha256-") {
		t.Errorf("the policy has the digest of another style: %s", Policy)
	}
}
