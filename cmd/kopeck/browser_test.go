package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// patience is how long a test waits for something to be seen, on however slow a machine.
const patience = 2 * time.Minute

// chromium is one browser for a test. Its own sandbox does not work for root, and it sees no page but ours.
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

// tab is a browser's tab that shows the console. What its page complains of fails the test.
type tab struct {
	*testing.T
	ctx       context.Context
	downloads string

	mu         sync.Mutex
	complaints []string
}

// open shows the console of a service.
func open(t *testing.T, url string) *tab {
	t.Helper()
	b := &tab{T: t, ctx: chromium(t), downloads: t.TempDir()}
	if err := chromedp.Listen(b.ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.quiet)
	tell(b, runtime.Enable, cdp.Empty{})
	tell(b, cdplog.Enable, cdp.Empty{})
	tell(b, cdpage.Enable, cdpage.EnableParams{})
	allow := true
	tell(b, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: b.downloads, EventsEnabled: &allow})
	b.do(chromedp.EmulateViewport(1320, 860), chromedp.Navigate(url+"/"))
	return b
}

// tell sends a command of the browser's protocol.
func tell[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	answer, err := chromedp.Call(ctx, command, params)
	if err != nil {
		b.Fatalf("%s: %v", command.Method, err)
	}
	return answer
}

// listen notes errors of scripts and breaches of the policy. Answers that are errors are part of some tests.
func (b *tab) listen(event any) {
	var said string
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		said = e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			said += " " + e.ExceptionDetails.Exception.Description
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError {
			for _, arg := range e.Args {
				said += " " + string(arg.Value) + arg.Description
			}
		}
	case *cdplog.EventEntryAdded:
		if e.Entry.Source == cdplog.EntrySourceSecurity {
			said = e.Entry.Text
		}
	case *cdpage.EventJavascriptDialogOpening:
		said = "a dialog opened: " + e.Message
	}
	if said != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.complaints = append(b.complaints, said)
	}
}

func (b *tab) quiet() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, said := range b.complaints {
		b.Errorf("the page complains: %s", said)
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.giveUp(err.Error())
	}
}

// giveUp ends the test with what the page shows.
func (b *tab) giveUp(why string) {
	b.Helper()
	seen, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.body.innerText.slice(0, 1500)`)) // as far as it can be read
	b.Fatalf("%s; the page shows:\n%s", why, seen)
}

// read is a value of the page; a promise is awaited.
func read[T any](b *tab, expression string) T {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.giveUp(expression + ": " + err.Error())
	}
	return value
}

// run runs a script in the page.
func (b *tab) run(script string) { b.Helper(); read[chromedp.Void](b, script) }

// see waits until an expression is true of the page.
func (b *tab) see(expression string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Poll[chromedp.Void]("Boolean("+expression+")", chromedp.WithPollingInterval(30*time.Millisecond))); err != nil {
		b.giveUp("not seen: " + expression + ": " + err.Error())
	}
}

// text is what an element says.
func (b *tab) text(selector string) string {
	b.Helper()
	return read[string](b, fmt.Sprintf(`document.querySelector(%q).innerText`, selector))
}

func (b *tab) click(selector string) {
	b.Helper()
	b.do(chromedp.ScrollIntoView(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// press clicks the first button inside a selector that says just this.
func (b *tab) press(within, says string) {
	b.Helper()
	b.clickOn(fmt.Sprintf(`[...document.querySelectorAll(%q)].find(e => e.innerText.trim() === %q && e.offsetParent && !e.disabled)`, within+" button", says))
}

// clickOn clicks the element that an expression finds, as soon as there is one.
func (b *tab) clickOn(found string) {
	b.Helper()
	b.see(found)
	b.run(found + `.setAttribute('data-pressed', '')`)
	b.click("[data-pressed]")
	b.run(`document.querySelector('[data-pressed]')?.removeAttribute('data-pressed')`)
}

// write puts a text in the place of what a field holds, as typing would.
func (b *tab) write(selector, text string) {
	b.Helper()
	b.see(fmt.Sprintf(`document.querySelector(%q)`, selector))
	b.run(fmt.Sprintf(`(field => { field.focus(); field.select() })(document.querySelector(%q))`, selector))
	tell(b, input.InsertText, input.InsertTextParams{Text: text})
}

// choose picks the option with a label in the first select that offers it, as soon as there is one.
func (b *tab) choose(label string) {
	b.Helper()
	option := fmt.Sprintf(`[...document.querySelectorAll('select option')].find(option => option.label === %q)`, label)
	b.see(option)
	b.run(fmt.Sprintf(`(option => { option.selected = true; option.parentElement.dispatchEvent(new Event('change', {bubbles: true})) })(%s)`, option))
}

// visit shows a page of the console and waits until it is read.
func (b *tab) visit(name string) {
	b.Helper()
	b.run(fmt.Sprintf(`location.hash = '#/%s'`, name))
	b.see(fmt.Sprintf(`document.querySelector('nav a[aria-current]')?.dataset.page === %q && document.querySelector('.page h1') && !document.querySelector('[aria-busy]')`, name))
}

// signIn types a key and waits for the first page.
func (b *tab) signIn(secret string) {
	b.Helper()
	b.see(`document.querySelector('input[name=key]')`)
	b.write(`input[name=key]`, secret)
	b.click(`.sign-in button[type=submit]`)
	b.see(`document.querySelector('nav')`)
}

// saved presses something that saves a file, and gives what is in the file.
func (b *tab) saved(name string, press func()) []byte {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	progress := chromedp.Events(ctx, browser.DownloadProgress)
	press()
	for event, err := range progress {
		if err != nil {
			b.Fatalf("%s is not saved: %v", name, err)
		}
		if event.State == browser.DownloadProgressStateCompleted {
			break
		}
	}
	found, err := filepath.Glob(filepath.Join(b.downloads, name))
	if err != nil || len(found) != 1 {
		b.Fatalf("saved is %v, %v, not one %s", found, err, name)
	}
	content, err := os.ReadFile(found[0])
	if err != nil {
		b.Fatal(err)
	}
	if err := os.Remove(found[0]); err != nil {
		b.Fatal(err)
	}
	return content
}

// look is how a page is looked at.
type look struct {
	name, scheme  string
	width, height int64
}

var looks = []look{
	{"light-desktop", "light", 1320, 860}, {"dark-desktop", "dark", 1320, 860},
	{"light-phone", "light", 390, 844}, {"dark-phone", "dark", 390, 844},
}

func (b *tab) as(l look) {
	b.Helper()
	b.do(chromedp.EmulateViewport(l.width, l.height))
	tell(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}}})
	b.see(`[...document.querySelectorAll('.cloud .uplot')].every(plot => plot.offsetWidth <= plot.parentElement.clientWidth)`)
}

// keep takes a picture of the whole page, for people to look at. KOPECK_SCREENSHOTS names the folder; without it the
// pictures are artifacts of the test.
func (b *tab) keep(name string) {
	b.Helper()
	folder := os.Getenv("KOPECK_SCREENSHOTS")
	if folder == "" {
		folder = b.ArtifactDir()
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// axe is the checker's script.
var axe = sync.OnceValues(func() (string, error) {
	script, err := os.ReadFile("conformance/node_modules/axe-core/axe.min.js")
	return string(script), err
})

// accessible reports what axe finds serious or critical. It runs in a world of its own, into which the page's policy
// does not reach.
func (b *tab) accessible(what string) {
	b.Helper()
	script, err := axe()
	if err != nil {
		b.Fatalf("%v: make test brings axe-core", err)
	}
	frame := tell(b, cdpage.GetFrameTree, cdp.Empty{}).FrameTree.Frame.ID
	world := tell(b, cdpage.CreateIsolatedWorld, cdpage.CreateIsolatedWorldParams{FrameID: frame}).ExecutionContextID
	yes := true
	found := tell(b, runtime.Evaluate, runtime.EvaluateParams{ContextID: world, AwaitPromise: &yes, ReturnByValue: &yes, Expression: script + `;
		axe.run({resultTypes: ['violations']}).then(r => r.violations.filter(v => ['serious', 'critical'].includes(v.impact)).map(v =>
			v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(' ')))`})
	if found.ExceptionDetails != nil {
		b.Fatalf("axe: %s", found.ExceptionDetails.Text)
	}
	var violations []string
	if err := json.Unmarshal(found.Result.Value, &violations); err != nil {
		b.Fatal(err)
	}
	for _, v := range violations {
		b.Errorf("axe, %s: %s", what, v)
	}
}
