package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The example file is valid, and the output of the command that its comments show is correct.
func TestExampleModelsFileIsValid(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret-one")
	t.Setenv("ANTHROPIC_API_KEY", "sk-secret-two")
	code, output := runKopeck(t, "models", "--models=deploy/models.example.yaml", "--model=fast")
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, output)
	}
	for _, want := range []string{"over fast", "openai/gpt-4.1-mini ×3, office/qwen3-32b ×1", "careful", "0.4 / 0.1 / 1.6 USD", "anthropic/claude-sonnet-4-5", "unknown"} {
		if !strings.Contains(output, want) {
			t.Errorf("%q is not in\n%s", want, output)
		}
	}
	if strings.Contains(output, "secret") {
		t.Errorf("a key is shown:\n%s", output)
	}
}

// If the file is invalid, the program does not start, and prints one line that says where the error is.
func TestInvalidModelsFileStopsTheStart(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret-one")
	path := filepath.Join(t.TempDir(), "models.yaml")
	const providers = "providers: {p: {kind: openai, key: \"${OPENAI_API_KEY}\"}}\n"
	for name, c := range map[string]struct{ text, model, want string }{
		"wrong":           {providers + "models: {m: {routes: [{provider: q, model: x}]}}", "offline", "models.m.routes[0].provider"},
		"another agent":   {providers + "models: {m: {routes: [{provider: p, model: x}]}}", "n", `KOPECK_MODEL holds "n"`},
		"an unable agent": {providers + "models: {m: {routes: [{provider: p, model: x}], can: {tools: false}}}", "m", "cannot call tools"},
		"no providers":    {"models: {m: {routes: [{provider: q, model: x}]}}", "offline", `is "q", which is not under providers; there: none`},
		"unknown field":   {"providers: {p: {kee: x}}", "offline", "line 1: there is no field kee\n"},
		"no unit":         {providers + "models: {m: {first_byte: 5}}", "offline", "line 2: `5` must be a duration with its unit, such as 30s\n"},
		"not a list":      {providers + "models: {m: {routes: {provider: p}}}", "offline", "line 2: must be a list\n"},
	} {
		must(t, os.WriteFile(path, []byte(c.text), 0o600))
		for _, command := range [][]string{{"models"}, {"doctor", "--database-url=sqlite:" + filepath.Join(t.TempDir(), "kopeck.db")}} {
			code, output := runKopeck(t, append(command, "--models="+path, "--model="+c.model)...)
			if code != 1 || !strings.Contains(output, "KOPECK_MODELS") || !strings.Contains(output, c.want) || strings.Contains(output, "secret") {
				t.Errorf("%s, %s: exit %d\n%s", name, command, code, output)
			}
		}
	}
}
