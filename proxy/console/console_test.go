package console

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas"
)

func catalogue(t *testing.T, name string) map[string]string {
	t.Helper()
	f, there := Find(name)
	if !there {
		t.Fatalf("there is no %s", name)
	}
	var texts map[string]string
	if err := json.Unmarshal(f.text, &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

// ownScripts returns the text of all scripts that are not third-party.
func ownScripts() string {
	var all strings.Builder
	for name, f := range files() {
		if strings.HasSuffix(name, ".js") && name != "uplot.js" {
			all.Write(f.text)
		}
	}
	return all.String()
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

func TestLanguagesHaveTheSameTexts(t *testing.T) {
	en, ru := catalogue(t, "en.json"), catalogue(t, "ru.json")
	for key, text := range en {
		said, there := ru[key]
		if !there || said == "" || text == "" {
			t.Errorf("%s: English %q, Russian %q", key, text, said)
			continue
		}
		values := func(text string) []string { return slices.Sorted(slices.Values(placeholder.FindAllString(text, -1))) }
		if !slices.Equal(values(text), values(said)) {
			t.Errorf("%s: %q and %q have different placeholders", key, text, said)
		}
	}
	for key := range ru {
		if _, there := en[key]; !there {
			t.Errorf("%s has only a Russian text", key)
		}
	}
}

// Every text that a script uses exists, and every text is used. If a script builds a key from parts, the first part must be
// a literal that ends with a dot.
func TestScriptsAndCataloguesAgree(t *testing.T) {
	texts, script := catalogue(t, "en.json"), ownScripts()
	asked := map[string]bool{}
	var prefixes []string
	for _, found := range regexp.MustCompile(`'([a-z_]+(?:\.[a-zA-Z_:]+)*\.?)'`).FindAllStringSubmatch(script, -1) {
		if strings.HasSuffix(found[1], ".") {
			prefixes = append(prefixes, found[1])
		}
		asked[found[1]] = true
	}
	for _, found := range regexp.MustCompile(`\bt\('([^']+)'[,)]`).FindAllStringSubmatch(script, -1) {
		if texts[found[1]] == "" {
			t.Errorf("a script uses %q, which has no text", found[1])
		}
	}
	for key := range texts {
		if !asked[key] && !slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) {
			t.Errorf("no script uses %q", key)
		}
	}
}

func TestEveryErrorCodeHasAText(t *testing.T) {
	var document struct {
		Components struct {
			Schemas struct {
				Error struct {
					Properties struct {
						Detail struct {
							Properties struct{ Code struct{ Enum []string } }
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(schemas.OpenAPI(), &document); err != nil {
		t.Fatal(err)
	}
	codes := document.Components.Schemas.Error.Properties.Detail.Properties.Code.Enum
	if len(codes) == 0 {
		t.Fatal("openapi.yaml lists no error codes")
	}
	texts := catalogue(t, "en.json")
	for _, code := range codes {
		if texts["error."+code] == "" {
			t.Errorf("%s has no text", code)
		}
	}
}

// The page has no way to create nodes other than as text, so text from other people cannot become markup.
func TestNoScriptTurnsTextIntoMarkup(t *testing.T) {
	script := ownScripts()
	for _, way := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser", "setAttribute('style'", "javascript:"} {
		if strings.Contains(script, way) {
			t.Errorf("a script has %s", way)
		}
	}
	page, _ := Find("index.html")
	for _, inline := range []*regexp.Regexp{regexp.MustCompile(`<script(?:\s[^>]*)?>[^<]`), regexp.MustCompile(`<style|\sstyle=|\son\w+=`), regexp.MustCompile(`(?:src|href)="[^/]`)} {
		if found := inline.Find(page.text); found != nil {
			t.Errorf("the page has %s", found)
		}
	}
	for _, found := range regexp.MustCompile(`(?:src|href)="/console/([^"]+)"`).FindAllSubmatch(page.text, -1) {
		if _, there := Find(string(found[1])); !there {
			t.Errorf("the page loads %s, which does not exist", found[1])
		}
	}
}

func TestPageIsSmall(t *testing.T) {
	all := 0
	for name, f := range files() {
		body, encoding := f.Encoded("br, gzip")
		if encoding != "gzip" || f.Type == "" {
			t.Errorf("%s is %q, encoded %q", name, f.Type, encoding)
		}
		all += len(body)
	}
	t.Logf("%d files, %d bytes compressed", len(files()), all)
	if all > 200<<10 {
		t.Errorf("all files together have %d bytes compressed", all)
	}
}

func TestEncodingFollowsTheRequest(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "br, gzip;q=0.5": true, "gzip; q=0": false, "gzip;q=0.000": false, "deflate": false, "xgzip": false,
	} {
		if got := accepts(header, "gzip"); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}

func TestOnlyFilesOfThePageAreServed(t *testing.T) {
	for _, name := range []string{"", "console.go", "../console.go", "page", "page/app.js"} {
		if _, there := Find(name); there {
			t.Errorf("%q is served", name)
		}
	}
	if names := slices.Sorted(maps.Keys(files())); !slices.Contains(names, "uplot.LICENSE") {
		t.Errorf("the licence of uPlot is not among %q", names)
	}
}

// The scripts go through the figures and the tables of every layout.
func TestLayoutsHaveTheirLists(t *testing.T) {
	var words struct {
		Layouts map[string]struct{ Figures, Tables []json.RawMessage }
	}
	if f, _ := Find(wordsFile); json.Unmarshal(f.text, &words) != nil || len(words.Layouts) == 0 {
		t.Fatalf("%s has no layouts", wordsFile)
	}
	for tool, layout := range words.Layouts {
		if layout.Figures == nil || layout.Tables == nil {
			t.Errorf("%s: %d figures, %d tables; one of them is null", tool, len(layout.Figures), len(layout.Tables))
		}
	}
}
