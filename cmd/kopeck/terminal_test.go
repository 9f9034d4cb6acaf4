package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/creack/pty"
	"github.com/mattn/go-runewidth"

	"github.com/kopeck/kopeck/tools/drafts"
)

func chunk(delta string) string {
	return `data: {"choices":[{"index":0,"delta":` + delta + `}]}` + "\n\n"
}

// atTerminal starts the program on a terminal with 50 columns.
func atTerminal(t *testing.T, url string, args ...string) (*exec.Cmd, *os.File) {
	t.Helper()
	program, err := built()
	must(t, err)
	command := exec.CommandContext(t.Context(), program, args...)
	command.Env = append(withoutSettings(os.Environ()), "KOPECK_URL="+url, "KOPECK_KEY=key", "TERM=xterm", "NO_COLOR=")
	screen, err := pty.StartWithSize(command, &pty.Winsize{Rows: 40, Cols: 50})
	must(t, err)
	t.Cleanup(func() { screen.Close() })
	return command, screen
}

func TestAnswerFitsTheTerminal(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, chunk(`{"reasoning_content":"reading the stock report\n"}`)+
			chunk(`{"content":"**Stock**\n\n| Product | Ware"}`)+
			chunk(`{"content":"house | Value |\n| --- | --- | ---: |\n| Electric kettle of 1.7 litres | Main warehouse | 1,234,567.89 RUB |\n"}`)+
			"data: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	command, screen := atTerminal(t, server.URL, "ask", "What is there?")
	out, _ := io.ReadAll(screen) // on Linux, reading from a closed terminal returns an error
	if err := command.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	progress, answer, _ := strings.Cut(string(out), "\x1b[1mStock")
	if !strings.Contains(progress, "What is there? 0 s") || !strings.Contains(progress, "reading the stock report") || !strings.HasSuffix(progress, "\r\x1b[K") {
		t.Errorf("before the answer: %q", progress)
	}
	for line := range strings.Lines(answer) {
		if width := runewidth.StringWidth(strings.NewReplacer("\x1b[1m", "", "\x1b[22m", "", "\r\n", "").Replace(line)); width > 50 {
			t.Errorf("%d columns in %q", width, line)
		}
	}
	if !strings.Contains(answer, "───") || !strings.Contains(answer, "RUB") || !strings.Contains(answer, "1,234,567.89") {
		t.Errorf("the answer: %q", answer)
	}
}

// Ctrl-C cancels the question in the service and removes the progress line. Nothing else is printed.
func TestCtrlCCancelsQuestion(t *testing.T) {
	t.Parallel()
	asked, left := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body) // only then does the server notice that the client disconnects
		_, _ = io.WriteString(w, ": ping\n\n")
		w.(http.Flusher).Flush()
		close(asked)
		<-r.Context().Done()
		close(left)
	}))
	t.Cleanup(server.Close)
	command, screen := atTerminal(t, server.URL, "ask", "What is there?")
	<-asked
	_, err := screen.WriteString("\x03")
	must(t, err)
	out, _ := io.ReadAll(screen)
	_ = command.Wait()
	<-left
	if code := command.ProcessState.ExitCode(); code != interrupted || !strings.HasSuffix(string(out), "\r\x1b[K") || strings.Contains(string(out), "kopeck: context") {
		t.Errorf("exit code %d, %q", code, out)
	}
}

func TestToolAndConfirmCommandsWork(t *testing.T) {
	t.Parallel()
	d := runDemo(t, nil)
	run := func(code int, args ...string) string {
		t.Helper()
		got, output := runKopeck(t, append(args, "--url", d.url, "--key", d.secret)...)
		if got != code {
			t.Fatalf("%v: exit code %d, %s", args, got, output)
		}
		return output
	}
	for _, c := range []struct {
		args []string
		says string
		code int
	}{
		{[]string{"tool"}, "| below_minimum | ", 0},
		{[]string{"tool", "below_minimum", "--arg", "limit=2", "--language", "ru"}, "Не показано строк", 0},
		{[]string{"tool", "search_products", "--arg", "query=00071"}, "00071", 0},
		{[]string{"tool", "calculate", "--args-json", `{"expression":"0.1+0.2"}`, "--json"}, `"value":0.3`, 0},
		{[]string{"tool", "stock", "--arg", "warehouse=Mars"}, `warehouse must be the name or id of a warehouse, and none fits, got "Mars"`, 1},
		{[]string{"tool", "stock", "--arg", "warehouse=Mars", "--language", "ru"}, "такого склада в учёте нет, указано «Mars»", 1},
		{[]string{"tool", "stock", "--arg", "warehouse"}, "write KEY=VALUE", 1},
		{[]string{"tool", "nothing"}, `There is no tool "nothing". GET /api/v1/tools lists the tools.`, 1},
		{[]string{"confirm", "PO-AAAAAA"}, `there is no draft with the code "PO-AAAAAA"`, 1},
		{[]string{"confirm", "PO-AAAAAA", "--language", "ru"}, "нет черновика с кодом «PO-AAAAAA»", 1},
		{[]string{"ask", "What is below its minimum?", "--json"}, `"object":"chat.completion"`, 0},
	} {
		if out := run(c.code, c.args...); !strings.Contains(out, c.says) {
			t.Errorf("%v says\n%s", c.args, out)
		}
	}
	var short struct {
		Result struct {
			Suppliers []struct {
				SupplierID string `json:"supplier_id"`
			}
		}
	}
	if err := json.Unmarshal([]byte(run(0, "tool", "shortage_by_supplier", "--json")), &short); err != nil || len(short.Result.Suppliers) == 0 {
		t.Fatal(err, short)
	}
	var made struct{ Result drafts.Draft }
	supplier := short.Result.Suppliers[0].SupplierID
	output := run(0, "tool", "draft_purchase_order", "--arg", "supplier="+supplier, "--arg", "from_shortage=true", "--json")
	must(t, json.Unmarshal([]byte(output), &made))
	code, name := made.Result.Code, made.Result.Lines[0].Name
	if out := run(1, "confirm", code); !strings.Contains(out, "--yes is only for scripts") || !strings.Contains(out, name) {
		t.Errorf("not at a terminal:\n%s", out)
	}
	if out := run(0, "confirm", code, "--yes"); !strings.Contains(out, "written to MoySklad") {
		t.Errorf("confirmed:\n%s", out)
	}
	if out := run(0, "confirm", code); !strings.Contains(out, "written to MoySklad") { // it no longer waits, so there is nothing to ask
		t.Errorf("confirmed again:\n%s", out)
	}
}

// A model that knows the code could otherwise run the command and write what nobody has looked at.
func TestConfirmShowsTheDraftAndAsksForItsCode(t *testing.T) {
	t.Parallel()
	const draft = `"id":"1","code":"TR-7K3M9X","kind":"transfer","digest":"d1","lines":[{"name":"Blue mug","units":3}],
		"notes":[{"code":"X","text":"Only two are there."}]`
	for name, c := range map[string]struct {
		typed, says string
		code        int
		confirms    bool
	}{
		"the code":        {"tr-7k3m9x\n", "written to MoySklad", 0, true},
		"another code":    {"TR-7K3M9Y\n", "that is not the draft's code", 1, false},
		"yes":             {"yes\n", "that is not the draft's code", 1, false},
		"nothing":         {"\n", "that is not the draft's code", 1, false},
		"end of the file": {"\x04", "that is not the draft's code", 1, false},
		"Ctrl-C":          {"\x03", "", interrupted, false},
	} {
		var confirmed atomic.Bool
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				confirmed.Store(true)
				_, _ = io.WriteString(w, `{`+draft+`,"state":"created"}`)
				return
			}
			_, _ = io.WriteString(w, `{"data":[{`+draft+`,"state":"draft"}],"next_cursor":null}`)
		}))
		t.Cleanup(server.Close)
		command, screen := atTerminal(t, server.URL, "confirm", "TR-7K3M9X", "--language", "en")
		out := readUntil(t, screen, "type TR-7K3M9X: ")
		if confirmed.Load() || !strings.Contains(out, "Blue mug") || !strings.Contains(out, "Only two are there.") {
			t.Errorf("%s: before the code (confirmed: %v): %q", name, confirmed.Load(), out)
		}
		_, err := screen.WriteString(c.typed)
		must(t, err)
		rest, _ := io.ReadAll(screen)
		_ = command.Wait()
		code := command.ProcessState.ExitCode()
		if code != c.code || confirmed.Load() != c.confirms || !strings.Contains(string(rest), c.says) {
			t.Errorf("%s: exit code %d, confirmed: %v, %q", name, code, confirmed.Load(), rest)
		}
	}
}

// readUntil reads from a terminal until a text has appeared.
func readUntil(t *testing.T, screen *os.File, text string) string {
	t.Helper()
	var shown []byte
	for more := make([]byte, 1); !strings.HasSuffix(string(shown), text); {
		if _, err := screen.Read(more); err != nil {
			t.Fatalf("no %q in %q: %v", text, shown, err)
		}
		shown = append(shown, more...)
	}
	return string(shown)
}

// The program itself computes the candidates.
func TestBashCompletesCommandsAndArguments(t *testing.T) {
	t.Parallel()
	program, err := built()
	must(t, err)
	for typed, want := range map[string]string{
		"kopeck to":                            "tool",
		"kopeck tool below_m":                  "below_minimum",
		"kopeck tool below_minimum --arg war":  "warehouse=",
		"kopeck tool below_minimum --json --a": "--arg --args-json",
		"kopeck completion f":                  "fish",
		"kopeck org c":                         "create",
		"kopeck ask --conn":                    "--connection",
	} {
		script := `eval "$(kopeck completion bash)"; compopt() { :; }; COMP_WORDS=(` + typed + `); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _kopeck; echo "${COMPREPLY[*]}"`
		command := exec.CommandContext(t.Context(), "bash", "-c", script)
		command.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
		out, err := command.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%q is completed with %q (%v), want %q", typed, got, err, want)
		}
	}
}
