package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools"
)

const module = "github.com/kopeck/kopeck"

// allowedImports lists, for each package, which of our packages it may import. It must contain every package.
var allowedImports = map[string][]string{
	"cmd/kopeck":                    {"*"},
	"cmd/kopeck/conformance":        {},
	"cmd/kopeck/bench":              {},
	"cmd/kopeck/terminal":           {"agent/render"},
	"cmd/kopeck/evaluation":         {"agent/render", "tools/sandbox", "tools/sandbox/truth", "tools/moysklad", "schemas/openai"},
	"proxy/docs":                    {"schemas"},
	"proxy/places":                  {},
	"proxy/problem":                 {"agent", "agent/provider", "keys", "keys/redact", "proxy/clients", "proxy/limits", "proxy/places", "proxy/webhooks", "schemas/bilingual", "schemas/check", "schemas/database", "schemas/openai", "tools", "tools/accounts", "tools/drafts", "tools/moysklad"},
	"proxy/clients":                 {"schemas/socket"},
	"proxy/skim":                    {"agent/provider", "keys/redact", "schemas/openai"},
	"proxy/tasks":                   {"schemas/database", "schemas/caught"},
	"proxy/mcp":                     {"agent/render", "tools", "tools/drafts", "keys", "keys/redact", "proxy/clients", "proxy/places", "schemas/bilingual", "schemas/caught", "schemas/encoded"},
	"proxy":                         {"agent", "agent/provider", "tools", "tools/accounts", "tools/drafts", "tools/moysklad", "keys", "schemas", "schemas/bilingual", "schemas/check", "schemas/database", "schemas/openai", "proxy/*", "keys/redact", "schemas/cache", "schemas/caught", "schemas/encoded"},
	"proxy/webhooks":                {"keys", "tools/drafts", "schemas/check", "schemas/database", "keys/redact", "proxy/tasks"},
	"proxy/digests":                 {"agent/render", "keys", "proxy/webhooks", "schemas/check", "schemas/database", "keys/redact", "proxy/tasks", "schemas/caught"},
	"proxy/routing":                 {"agent/provider"},
	"proxy/models":                  {"agent/provider", "proxy/routing"},
	"proxy/spend":                   {"proxy/models", "schemas/check", "schemas/database"},
	"proxy/limits":                  {"keys", "proxy/spend", "schemas/database"},
	"proxy/console":                 {"agent/render", "tools", "schemas/bilingual", "schemas/encoded"},
	"agent":                         {"agent/answer", "agent/answer/*", "agent/render", "agent/provider", "tools", "keys", "schemas/check", "schemas/database", "schemas/openai", "keys/redact", "schemas/bilingual", "schemas/caught", "schemas/encoded"},
	"agent/answer/document":         {"agent/answer", "agent/answer/*", "agent/render", "tools", "keys/redact"},
	"agent/answer":                  {"agent/answer/evidence", "agent/answer/lexer", "agent/answer/reference", "agent/answer/literal", "agent/answer/markup", "agent/answer/plain", "agent/render", "tools", "keys/redact", "schemas/bilingual"},
	"agent/answer/evidence":         {"agent/answer/reference", "agent/answer/literal", "agent/answer/markup", "agent/answer/plain", "agent/render", "tools", "keys/redact"},
	"agent/answer/lexer":            {"agent/answer/literal", "agent/answer/markup", "agent/answer/plain", "agent/render", "keys/redact", "schemas/bilingual"},
	"agent/answer/reference":        {"agent/answer/literal", "agent/render", "tools", "schemas/check", "schemas/bilingual"},
	"agent/answer/literal":          {"agent/answer/plain", "tools"},
	"agent/answer/markup":           {"agent/answer/plain"},
	"agent/answer/plain":            {},
	"agent/answer/shelf":            {},
	"agent/provider":                {"agent/answer", "schemas/openai", "keys/redact", "schemas/wire", "schemas/encoded"},
	"agent/offline":                 {"agent/answer", "agent/answer/reference", "agent/offline/*", "agent/render", "tools", "schemas/bilingual"},
	"agent/offline/intent":          {},
	"agent/offline/words":           {"schemas/bilingual"},
	"agent/offline/calendar":        {"agent/offline/words"},
	"agent/offline/naming":          {"agent/offline/words", "tools"},
	"agent/render":                  {"tools", "schemas/check", "schemas/bilingual"},
	"agent/agenttest":               {"schemas/openai", "schemas/encoded"},
	"tools/accounts":                {"tools", "tools/moysklad", "keys", "schemas/encoded"},
	"tools/drafts":                  {"tools", "tools/moysklad", "keys", "schemas/check", "schemas/database", "keys/redact", "schemas/caught", "schemas/encoded"},
	"tools":                         {"tools/moysklad", "schemas/cache", "schemas/check", "schemas/bilingual", "schemas/caught", "schemas/encoded"},
	"tools/pace":                    {"tools/moysklad", "schemas/database"},
	"tools/moysklad":                {"schemas/caught", "schemas/wire"},
	"tools/sandbox":                 {"tools/moysklad"},
	"tools/sandbox/truth":           {"tools/sandbox", "tools/moysklad"},
	"keys":                          {"keys/redact", "schemas/check", "schemas/database", "schemas/encoded"},
	"keys/keystest":                 {"keys"},
	"keys/redact":                   {},
	"schemas":                       {},
	"schemas/bilingual":             {},
	"schemas/cache":                 {},
	"schemas/caught":                {},
	"schemas/check":                 {"schemas/bilingual"},
	"schemas/clocktest":             {},
	"schemas/cputest":               {},
	"schemas/openai":                {},
	"schemas/socket":                {},
	"schemas/wire":                  {"schemas/caught", "schemas/socket"},
	"schemas/database":              {"schemas/check"},
	"schemas/encoded":               {},
	"schemas/database/databasetest": {"schemas/database"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Deps", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

func allowedFor(importPath string) (string, bool) {
	return strings.CutPrefix(importPath, module+"/")
}

func TestImportsGoDownOnly(t *testing.T) {
	gone := maps.Clone(allowedImports)
	for _, p := range listPackages(t) {
		from, _ := allowedFor(p.ImportPath)
		delete(gone, from)
		allowed, known := allowedImports[from]
		if !known {
			t.Errorf("%s is not in the table: add it with the packages that it may import", from)
			continue
		}
		for _, imported := range p.Imports {
			to, ours := allowedFor(imported)
			if ours && !slices.ContainsFunc(allowed, func(pattern string) bool { return matchesPattern(pattern, to) }) {
				t.Errorf("%s must not import %s", from, to)
			}
		}
	}
	for from := range gone {
		t.Errorf("the table lists %s, which does not exist", from)
	}
}

// CONTRIBUTING.md lists the packages in the order of their imports. It leaves out those that are used only by tests, by the
// program or by other tools.
func TestContributingListsPackages(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "CONTRIBUTING.md"))
	must(t, err)
	_, tree, _ := strings.Cut(string(text), "# How Kopeck is built\n\n")
	tree, _, _ = strings.Cut(tree, "\n\n")
	var shown []string
	var floor string
	for line := range strings.Lines(tree) {
		name := strings.Fields(line)[0]
		if indent := len(line) - len(strings.TrimLeft(line, " ")); indent > 4 {
			name = floor + "/" + name
		} else {
			floor = name
		}
		shown = append(shown, name)
	}
	for name := range allowedImports {
		if !slices.Contains(shown, name) && !strings.HasPrefix(name, "cmd/") && !slices.Contains(testPackages, name) {
			t.Errorf("CONTRIBUTING.md does not list %s", name)
		}
	}
	for i, name := range shown {
		if _, known := allowedImports[name]; !known {
			t.Errorf("CONTRIBUTING.md lists %s, which does not exist", name)
		}
		for _, above := range shown[:i] {
			up := slices.ContainsFunc(allowedImports[name], func(pattern string) bool { return matchesPattern(pattern, above) })
			if inside := strings.HasPrefix(name, above+"/"); up && !inside {
				t.Errorf("CONTRIBUTING.md lists %s below %s, but it may import that package", name, above)
			}
		}
	}
}

// Each report has those files that CONTRIBUTING.md demands and no other test checks.
func TestEveryReportHasItsFiles(t *testing.T) {
	for _, tool := range tools.All() {
		for _, path := range []string{
			"tools/" + tool.Name + ".go", "tools/" + tool.Name + ".yaml",
			"agent/offline/tools/" + tool.Name + ".yaml", "agent/offline/examples/" + tool.Name + ".txt",
		} {
			if _, err := os.Stat("../../" + path); err != nil {
				t.Error(err)
			}
		}
	}
}

// testPackages may be imported only by tests and by the simulated account.
var testPackages = []string{"agent/agenttest", "agent/answer/shelf", "tools/sandbox/truth", "keys/keystest", "schemas/clocktest", "schemas/cputest", "schemas/database/databasetest"}

func matchesPattern(pattern, to string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(to, prefix)
	}
	return pattern == to
}

// The package that runs the model must not import the code that writes to MoySklad, not even indirectly.
func TestAgentCannotImportWriters(t *testing.T) {
	for _, p := range listPackages(t) {
		from, _ := allowedFor(p.ImportPath)
		if from != "agent" && !strings.HasPrefix(from, "agent/") {
			continue
		}
		if slices.Contains(p.Deps, module+"/tools/drafts") {
			t.Errorf("%s imports tools/drafts indirectly", from)
		}
	}
}

// The writer is created in one place, and only one package uses it.
func TestOnlyDraftsGetAWriter(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		room := filepath.ToSlash(strings.TrimPrefix(path, filepath.Join("..", "..")+string(filepath.Separator)))
		has := strings.Contains(string(text), "moysklad.Writer") || strings.Contains(string(text), "pool.Writer(")
		if has && room != "tools/accounts/tokens.go" && !strings.HasPrefix(room, "tools/drafts/") {
			t.Errorf("%s uses the writing client, which only tools/drafts may", room)
		}
		return err
	})
	must(t, err)
}

// A panic in a goroutine of an errgroup would end the process. caught.Group recovers it.
func TestGroupGoroutinesRecover(t *testing.T) {
	for _, p := range listPackages(t) {
		from, ours := allowedFor(p.ImportPath)
		if ours && from != "schemas/caught" && slices.Contains(p.Imports, "golang.org/x/sync/errgroup") {
			t.Errorf("%s imports errgroup instead of schemas/caught", from)
		}
	}
}

// A template engine executes its templates, and a template could contain names from the data. langchaingo links such
// engines, and our code must not use them.
func TestPromptTemplatesAreNotUsed(t *testing.T) {
	engines := []string{"github.com/tmc/langchaingo/prompts", "github.com/nikolalohinski/gonja", "github.com/Masterminds/sprig"}
	for _, p := range listPackages(t) {
		for _, imported := range p.Imports {
			if slices.ContainsFunc(engines, func(engine string) bool { return strings.HasPrefix(imported, engine) }) {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
			runs := imported == "github.com/tmc/langchaingo/agents" || imported == "github.com/tmc/langchaingo/chains"
			if from, _ := allowedFor(p.ImportPath); runs && from != "agent" {
				t.Errorf("%s imports %s, which uses template engines", p.ImportPath, imported)
			}
		}
	}
}
