package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browserTimeout is how long a test waits for the page to change, even on a slow machine.
const browserTimeout = 2 * time.Minute

// chromium starts a browser for a test. Its sandbox is off, because it does not work for root. The browser loads only our
// own page.
func chromium(t *testing.T) context.Context {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("the console's tests need Chromium: install the package chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.Flag("lang", "en-GB"))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	return ctx
}

// tab is a browser tab with the console. Errors in the page fail the test.
type tab struct {
	*testing.T
	ctx       context.Context
	downloads string

	mu         sync.Mutex
	complaints []string
}

// open opens the console of a service.
func open(t *testing.T, url string) *tab {
	t.Helper()
	b := &tab{T: t, ctx: chromium(t), downloads: t.TempDir()}
	must(t, chromedp.Listen(b.ctx, b.listen))
	t.Cleanup(b.requireNoErrors)
	runCommand(b, runtime.Enable, cdp.Empty{})
	runCommand(b, cdplog.Enable, cdp.Empty{})
	runCommand(b, cdpage.Enable, cdpage.EnableParams{})
	allow := true
	runCommand(b, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: b.downloads, EventsEnabled: &allow})
	b.do(chromedp.EmulateViewport(1320, 860), chromedp.Navigate(url+"/"))
	return b
}

// runCommand sends a command of the browser's protocol.
func runCommand[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserTimeout)
	defer cancel()
	answer, err := chromedp.Call(ctx, command, params)
	if err != nil {
		b.Fatalf("%s: %v", command.Method, err)
	}
	return answer
}

// listen records script errors and violations of the content policy. It ignores error responses, which some tests provoke.
func (b *tab) listen(event any) {
	var complaint string
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		complaint = e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			complaint += " " + e.ExceptionDetails.Exception.Description
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError {
			for _, arg := range e.Args {
				complaint += " " + string(arg.Value) + arg.Description
			}
		}
	case *cdplog.EventEntryAdded:
		if e.Entry.Source == cdplog.EntrySourceSecurity {
			complaint = e.Entry.Text
		}
	case *cdpage.EventJavascriptDialogOpening:
		complaint = "a dialog opened: " + e.Message
	}
	if complaint != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.complaints = append(b.complaints, complaint)
	}
}

func (b *tab) requireNoErrors() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, complaint := range b.complaints {
		b.Errorf("error in the page: %s", complaint)
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserTimeout)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.fail(err.Error())
	}
}

// fail ends the test and prints the visible text of the page.
func (b *tab) fail(why string) {
	b.Helper()
	seen, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.body.innerText.slice(0, 1500)`)) // best effort
	b.Fatalf("%s; the page shows:\n%s", why, seen)
}

// read evaluates an expression in the page and awaits a promise.
func read[T any](b *tab, expression string) T {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserTimeout)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.fail(expression + ": " + err.Error())
	}
	return value
}

func (b *tab) run(script string) { b.Helper(); read[chromedp.Void](b, script) }

// waitFor waits until an expression is true in the page.
func (b *tab) waitFor(expression string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserTimeout)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Poll[chromedp.Void]("Boolean("+expression+")", chromedp.WithPollingInterval(30*time.Millisecond))); err != nil {
		b.fail("did not become true: " + expression + ": " + err.Error())
	}
}

func (b *tab) text(selector string) string {
	b.Helper()
	return read[string](b, fmt.Sprintf(`document.querySelector(%q).innerText`, selector))
}

func (b *tab) click(selector string) {
	b.Helper()
	b.do(chromedp.ScrollIntoView(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// press clicks the first button with this text inside a selector.
func (b *tab) press(within, says string) {
	b.Helper()
	b.clickOn(fmt.Sprintf(`[...document.querySelectorAll(%q)].find(e => e.innerText.trim() === %q && e.offsetParent && !e.disabled)`, within+" button", says))
}

// clickOn waits for the element that an expression returns, and clicks it.
func (b *tab) clickOn(found string) {
	b.Helper()
	b.waitFor(found)
	b.run(found + `.setAttribute('data-pressed', '')`)
	b.click("[data-pressed]")
	b.run(`document.querySelector('[data-pressed]')?.removeAttribute('data-pressed')`)
}

// write replaces the content of a field as if it was typed.
func (b *tab) write(selector, text string) {
	b.Helper()
	b.waitFor(fmt.Sprintf(`document.querySelector(%q)`, selector))
	b.run(fmt.Sprintf(`(field => { field.focus(); field.select() })(document.querySelector(%q))`, selector))
	runCommand(b, input.InsertText, input.InsertTextParams{Text: text})
}

// choose waits for a select element that has the option, and selects it.
func (b *tab) choose(label string) {
	b.Helper()
	option := fmt.Sprintf(`[...document.querySelectorAll('select option')].find(option => option.label === %q)`, label)
	b.waitFor(option)
	b.run(fmt.Sprintf(`(option => { option.selected = true; option.parentElement.dispatchEvent(new Event('change', {bubbles: true})) })(%s)`, option))
}

// visit opens a page of the console and waits until it has loaded.
func (b *tab) visit(name string) {
	b.Helper()
	b.run(fmt.Sprintf(`location.hash = '#/%s'`, name))
	page, _, _ := strings.Cut(name, "/")
	b.waitFor(fmt.Sprintf(`document.querySelector('nav a[aria-current]')?.dataset.page === %q && document.querySelector('.page h1') && !document.querySelector('[aria-busy]')`, page))
}

// signIn enters a key and waits for the first page.
func (b *tab) signIn(secret string) {
	b.Helper()
	b.waitFor(`document.querySelector('input[name=key]')`)
	b.write(`input[name=key]`, secret)
	b.click(`.sign-in button[type=submit]`)
	b.waitFor(`document.querySelector('nav')`)
}

// download calls press, which must save a file, and returns the content of that file.
func (b *tab) download(name string, press func()) []byte {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserTimeout)
	defer cancel()
	progress := chromedp.Events(ctx, browser.DownloadProgress)
	press()
	for event, err := range progress {
		if err != nil {
			b.Fatalf("%s was not saved: %v", name, err)
		}
		if event.State == browser.DownloadProgressStateCompleted {
			break
		}
	}
	found, err := filepath.Glob(filepath.Join(b.downloads, name))
	if err != nil || len(found) != 1 {
		b.Fatalf("saved files are %v, %v; want one %s", found, err, name)
	}
	content, err := os.ReadFile(found[0])
	must(b, err)
	must(b, os.Remove(found[0]))
	return content
}

// look is a combination of screen size, theme and language.
type look struct {
	name, scheme  string
	width, height int64
}

var looks = []look{
	{"light-desktop", "light", 1320, 860}, {"dark-desktop", "dark", 1320, 860},
	{"light-phone", "light", 360, 780}, {"dark-phone", "dark", 360, 780},
}

func (b *tab) setLook(l look) {
	b.Helper()
	b.do(chromedp.EmulateViewport(l.width, l.height))
	runCommand(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}}})
	b.waitFor(`[...document.querySelectorAll('.cloud .uplot')].every(plot => plot.offsetWidth <= plot.parentElement.clientWidth)`)
}

// screenshot saves a picture of the whole page in the folder KOPECK_SCREENSHOTS, to be looked at by people.
func (b *tab) screenshot(name string) {
	b.Helper()
	folder := os.Getenv("KOPECK_SCREENSHOTS")
	if folder == "" {
		return
	}
	ctx, cancel := context.WithTimeout(b.ctx, browserTimeout)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644)
	}
	must(b, err)
}

// axe is the script of the accessibility checker.
var axe = sync.OnceValues(func() (string, error) {
	script, err := os.ReadFile("conformance/node_modules/axe-core/axe.min.js")
	return string(script), err
})

// accessible reports the problems that axe rates as serious or critical. axe runs in an isolated world, to which the page's
// content policy does not apply.
func (b *tab) accessible(what string) {
	b.Helper()
	script, err := axe()
	if err != nil {
		b.Fatalf("%v: make test installs axe-core", err)
	}
	frame := runCommand(b, cdpage.GetFrameTree, cdp.Empty{}).FrameTree.Frame.ID
	world := runCommand(b, cdpage.CreateIsolatedWorld, cdpage.CreateIsolatedWorldParams{FrameID: frame}).ExecutionContextID
	yes := true
	found := runCommand(b, runtime.Evaluate, runtime.EvaluateParams{ContextID: world, AwaitPromise: &yes, ReturnByValue: &yes, Expression: script + `;
		axe.run({resultTypes: ['violations']}).then(r => r.violations.filter(v => ['serious', 'critical'].includes(v.impact)).map(v =>
			v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(' ')))`})
	if found.ExceptionDetails != nil {
		b.Fatalf("axe: %s", found.ExceptionDetails.Text)
	}
	var violations []string
	must(b, json.Unmarshal(found.Result.Value, &violations))
	for _, v := range violations {
		b.Errorf("axe, %s: %s", what, v)
	}
}
