package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"gopkg.in/yaml.v3"

	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// block is a fenced code block.
type block struct{ language, text string }

// documents are those whose blocks a reader can paste.
var documents = []string{"README.md", "schemas/README.md", "cmd/kopeck/deploy/README.md", "CONTRIBUTING.md"}

// The master key that README.md puts into the checkout is not committed.
func TestMasterKeyIsIgnoredByGit(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	must(t, err)
	ignored, err := os.ReadFile(filepath.Join("..", "..", ".gitignore"))
	must(t, err)
	file := regexp.MustCompile(`base64 > (\S+)\)`).FindSubmatch(readme)
	if file == nil || !slices.Contains(strings.Fields(string(ignored)), "/"+string(file[1])) {
		t.Errorf("git would commit %q", file)
	}
}

func readmeBlocks(t *testing.T) []block {
	t.Helper()
	var blocks []block
	for _, document := range documents {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(document)))
		must(t, err)
		blocks = append(blocks, blocksOf(string(text))...)
	}
	return blocks
}

func blocksOf(text string) []block {
	var blocks []block
	var open *block
	for line := range strings.Lines(text) {
		language, fence := strings.CutPrefix(strings.TrimRight(line, "\n"), "```")
		switch {
		case fence && open == nil:
			open = &block{language: language}
		case fence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.text += line
		}
	}
	return blocks
}

// promise is what a block must print. about is a text that identifies the block.
type promise struct {
	about   string
	says    []string
	figures []decimal.Decimal
}

// Each block works when it is pasted, and prints the right figures of the demo.
func TestReadmeBlocksWorkWhenPasted(t *testing.T) {
	t.Parallel()
	d := runDemo(t, nil)
	right := truth.Of(d.shop.Books(), time.Now(), truth.View{})
	belowMinimum := []decimal.Decimal{decimal.NewFromInt(int64(right.BelowMinimum(nil).Totals.Positions))}
	dead, position := right.DeadStock(90, 90, nil), right.MoneyPosition()
	promises := []promise{
		{"мёртвом остатке", []string{"chat.completion"}, []decimal.Decimal{*dead.Totals.DeadMoney}},
		{"mcpServers", []string{"below_minimum", "draft_purchase_order"}, nil},
		{"tool below_minimum", []string{"dead_stock", "Below minimum", `"tool":"money_position"`}, belowMinimum},
		{"kopeck ask", []string{"below the minimum"}, belowMinimum},
		{"last 30 days", []string{"Margin", "cost is known for"}, nil},
		{"How much cash", []string{"bank accounts"}, []decimal.Decimal{*position.Cash, *position.Receivables}},
		{"below_minimum/execute", []string{`"tool":"below_minimum"`, `"truncated":true`}, belowMinimum},
		{"подтверждаю '$CODE'", []string{"Документ", "записан"}, nil},
		{"draft_purchase_order/execute", []string{`"applicable":false`, `"positions"`, "entity/purchaseorder"}, nil},
		{"curl -s $KOPECK_URL/v1/models", []string{`"id":"kopeck"`}, nil},
		{"endpoints:", []string{`"id":"kopeck"`}, nil},
		{"OPENAI_PROXY_URL", []string{`"id":"kopeck"`}, nil},
		{"api/v1/webhooks", []string{`"secret":"whsec_`}, nil},
		{"api/v1/digests", []string{`"cron":"0 9 * * 1-5"`, `"next_at"`}, nil},
		{"org create", []string{"sk-org-", "database"}, nil},
	}
	checkout := linkedCheckout(t)
	for _, b := range readmeBlocks(t) {
		at := slices.IndexFunc(promises, func(p promise) bool { return strings.Contains(b.text, p.about) })
		if at < 0 {
			t.Errorf("the test has no expected output for this block:\n%s", b.text)
			continue
		}
		out := b.paste(t, d, checkout)
		promises[at].check(t, b, out)
		promises = slices.Delete(promises, at, at+1)
	}
	for _, p := range promises {
		t.Errorf("no document has a block about %q", p.about)
	}
}

// paste runs a block as a reader would: in the checkout, or in a copy of it if the block builds something. JavaScript runs
// in the folder where the client is installed.
func (b block) paste(t *testing.T, d running, checkout string) string {
	t.Helper()
	root := filepath.Join("..", "..")
	var command *exec.Cmd
	switch b.language {
	case "json":
		return desktopTools(t, d, b.text)
	case "sh":
		command = exec.CommandContext(t.Context(), "sh", "-e", "-c", b.text)
		command.Dir = root
		if strings.Contains(b.text, "bin/") {
			command.Dir = checkout
		}
	case "js":
		command = inConformance(t, "--input-type=module")
		command.Args = append(command.Args, "--eval", b.text)
	case "yaml":
		command = exec.CommandContext(t.Context(), "sh", "-e", "-c", b.fetchModelsLikeLibreChat(t))
	case "go":
		file := filepath.Join(t.TempDir(), "main.go")
		must(t, os.WriteFile(file, []byte(b.text), 0o600))
		command = exec.CommandContext(t.Context(), "go", "run", file)
		command.Dir = root
	default:
		t.Fatalf("a block in %q, which cannot be pasted", b.language)
	}
	command.Env = append(withoutSettings(os.Environ()), "KOPECK_URL="+d.url, "KOPECK_KEY="+d.secret, "KOPECK_UPSTREAM_URL="+d.upstream,
		"GOFLAGS=-trimpath "+os.Getenv("GOFLAGS"), "CGO_ENABLED=0") // the same flags as for [built], so that the build cache can be shared
	out, err := command.Output()
	if err != nil {
		if exit, is := errors.AsType[*exec.ExitError](err); is {
			t.Errorf("%v\n%s\n%s\nof\n%s", err, out, exit.Stderr, b.text)
		} else {
			t.Errorf("%v", err)
		}
	}
	return string(out)
}

// withoutSettings removes the variables that a fresh machine does not have.
func withoutSettings(environment []string) []string {
	return slices.DeleteFunc(environment, func(setting string) bool { return strings.HasPrefix(setting, "KOPECK_") })
}

func (p promise) check(t *testing.T, b block, out string) {
	t.Helper()
	for _, says := range p.says {
		if !strings.Contains(out, says) {
			t.Errorf("%q is not in what this block printed:\n%s\n%s", says, b.text, out)
		}
	}
	for _, figure := range p.figures {
		if !slices.ContainsFunc(figuresOf(out), figure.Equal) {
			t.Errorf("%s is not in what this block printed:\n%s\n%s", figure, b.text, out)
		}
	}
}

// linkedCheckout returns a copy of the checkout that consists of links. Blocks that write files do not change the original.
func linkedCheckout(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	must(t, err)
	entries, err := os.ReadDir(root)
	must(t, err)
	folder := t.TempDir()
	for _, entry := range entries {
		if name := entry.Name(); name != "bin" && name != "var" && name != ".git" {
			must(t, os.Symlink(filepath.Join(root, name), filepath.Join(folder, name)))
		}
	}
	return folder
}

// fetchModelsLikeLibreChat replaces the variables in a block of settings, and sends LibreChat's first request, which
// fetches the models of the endpoint.
func (b block) fetchModelsLikeLibreChat(t *testing.T) string {
	t.Helper()
	var settings struct {
		Endpoints struct {
			Custom []struct {
				APIKey  string `yaml:"apiKey"`
				BaseURL string `yaml:"baseURL"`
			}
		}
	}
	if err := yaml.Unmarshal([]byte(b.text), &settings); err != nil || len(settings.Endpoints.Custom) != 1 {
		t.Fatalf("the block describes no endpoint (%v):\n%s", err, b.text)
	}
	endpoint := settings.Endpoints.Custom[0]
	return `curl -s "` + endpoint.BaseURL + `/models" -H "Authorization: Bearer ` + endpoint.APIKey + `"`
}
