package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

// Every page, light and dark, on a desktop and on a phone: nothing is wider than the screen, no text is missing from a
// catalogue, and axe finds nothing serious. The pictures are for people.
func TestThePagesInEveryLook(t *testing.T) {
	t.Parallel()
	c := openCounter(t)
	c.connect("Main shop", c.demo)
	c.draft()
	b := open(t, c.url)
	b.accessible("signing in")
	b.keep("sign-in")
	b.signIn(c.secret)
	for _, language := range []string{"en", "ru"} {
		b.press(".switch", strings.ToUpper(language))
		b.see(fmt.Sprintf(`document.documentElement.lang === %q`, language))
		for _, name := range []string{"ask", "stock", "minimums", "dead", "margin", "cash", "drafts", "connections", "keys", "spend", "sessions", "events", "audit"} {
			b.visit(name)
			for i, l := range looks {
				if (i == 1 || i == 2) != (language == "ru") { // each look once, each language light and dark
					continue
				}
				b.as(l)
				what := name + "-" + l.name
				b.whole(what)
				if i < 2 { // a phone shows the same elements
					b.accessible(what)
				}
				b.keep(what)
			}
			b.as(looks[0])
		}
	}
}

// whole reports what is wider than the screen, and keys of the catalogue that stand in place of their texts.
func (b *tab) whole(what string) {
	b.Helper()
	over := read[float64](b, `document.documentElement.scrollWidth - innerWidth`)
	if over > 0 {
		b.Errorf("%s is %v pixels wider than the screen", what, over)
	}
	keys := read[[]string](b, `fetch('/console/en.json').then(r => r.json()).then(texts => Object.keys(texts).filter(key => key.includes('.') && document.body.innerText.split(/\s+/).includes(key)))`)
	if len(keys) > 0 {
		b.Errorf("%s has no text for %q", what, keys)
	}
}

// draft leaves an order waiting, so that there is something to see.
func (c *counter) draft() {
	c.Helper()
	suppliers := c.tool("shortage_by_supplier", map[string]any{}).Result["suppliers"].([]any)
	status := c.ask("POST", "/tools/draft_purchase_order/execute", c.secret,
		map[string]any{"arguments": map[string]any{"supplier": suppliers[0].(map[string]any)["supplier_id"], "from_shortage": true}}, nil)
	if status != http.StatusAccepted {
		c.Fatalf("draft an order: %d", status)
	}
}

// hostileNames do harm where text is taken for something else.
var hostileNames = []string{
	`<script>document.title = 'owned'</script>`,
	`<img src=x onerror="document.title = 'owned'">`,
	`<style>body { display: none }</style><b>bold</b>`,
	"\u202egnp.exe\u202c right to left \u2066isolated",
	`=HYPERLINK("http://evil.example","click")`,
	`[click](javascript:document.title='owned') ![](http://evil.example/x.png)`,
	strings.Repeat("very long ", 1000),
	"{{constructor.constructor('document.title=1')()}} ${document.title='owned'}",
}

// Names that attack stay in their cells: as text, in one line's height, and in exports as text too. There are two
// accounts, so the page asks which one is meant first.
func TestHostileNamesChangeNothingButTheirCell(t *testing.T) {
	t.Parallel()
	c := openCounter(t)
	named := 0
	for _, item := range c.hostile.Books().Assortment {
		if item.Stocked() && item.Parent == nil && len(item.Variants) == 0 {
			item.Name = hostileNames[named%len(hostileNames)]
			named++
		}
	}
	c.connect("Main shop", c.demo)
	c.connect("<b>Other</b> shop", c.hostile)
	b := open(t, c.url)
	b.signIn(c.secret)
	b.visit("stock")
	b.see(`document.querySelector('.problem')?.innerText.includes('Which account do you mean?')`)
	b.press(".problem", "<b>Other</b> shop")
	b.see(`document.querySelector('[data-table^=kopeck-stock-2] tbody tr')`)
	tall := read[float64](b, `Math.max(...[...document.querySelectorAll('[data-table^=kopeck-stock-2] tbody tr:not(.room)')].map(tr => tr.getBoundingClientRect().height))`)
	foreign := read[int](b, `document.querySelectorAll('main script, main img, main style, main b, main a[href^="http"], main a[href^="java"]').length`)
	title := read[string](b, `document.title`)
	if tall > 46 || foreign != 0 || title != "Stock · Kopeck" {
		t.Errorf("rows are up to %v pixels high, %d foreign elements, the title is %q", tall, foreign, title)
	}
	b.whole("stock")
	shown := c.readCSV(b.saved("kopeck-stock-2*.csv", func() { b.press("[data-table^=kopeck-stock-2]", "CSV") }))
	hyperlink := false
	for _, row := range shown[1:] {
		if strings.HasPrefix(row[0], "=") {
			t.Errorf("a spreadsheet would run %q", row[0])
		}
		hyperlink = hyperlink || strings.HasPrefix(row[0], "'=HYPERLINK")
	}
	if !hyperlink {
		t.Errorf("the name that is a formula is not in the CSV: %.300q", shown)
	}
	if diff := cmp.Diff(len(shown), len(c.readXLSX(b.saved("kopeck-stock-2*.xlsx", func() { b.press("[data-table^=kopeck-stock-2]", "XLSX") })))); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"minimums", "dead", "margin"} {
		b.visit(name)
		b.whole(name)
	}
	b.keep("hostile")
}

// painted is how many milliseconds a page takes until something of it is seen.
func (b *tab) painted(url string) float64 {
	b.Helper()
	b.do(chromedp.Navigate(url))
	b.see(`performance.getEntriesByName('first-contentful-paint').length`)
	return read[float64](b, `performance.getEntriesByName('first-contentful-paint')[0].startTime`)
}

// On a throttled phone the page paints within a second, and a table of 5,000 rows has only those in sight in the page.
func TestThePageIsQuick(t *testing.T) {
	c := openCounter(t)
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `<!doctype html><meta charset=utf-8><link rel=icon href="data:,"><p>Kopeck</p>`)
	}))
	t.Cleanup(bare.Close)
	b := open(t, c.url)
	b.as(looks[2])
	// A slow 4G link and a phone of the middle range, as Lighthouse has them.
	tell(b, network.Enable, network.EnableParams{})
	tell(b, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	tell(b, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{
		{Latency: 150, DownloadThroughput: 1_638_400 / 8, UploadThroughput: 750_000 / 8}}})
	tell(b, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 4})
	best, least := 1e9, 1e9
	for try := 0; try < 6 && best > 1000; try++ { // the machine may be busy with other tests
		least = min(least, b.painted(bare.URL))
		best = min(best, b.painted(c.url+"/"))
	}
	t.Logf("first contentful paint after %.0f ms, of a bare page after %.0f", best, least)
	if best > max(1000, 3*least) { // a slow machine takes long over a bare page too
		t.Errorf("the first paint takes %.0f ms on a throttled phone, that of a bare page %.0f", best, least)
	}
	tell(b, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 1})
	b.see(`document.querySelector('input[name=key]')`)
	type scrolled struct {
		Most, Frames int
		Last         string
		Slowest      float64
	}
	seen := read[scrolled](b, `(async () => {
		const {table} = await import('/console/table.js'), {Figure} = await import('/console/exact.js')
		const rows = Array.from({length: 5000}, (_, i) => ({name: 'Product ' + i, money: new Figure(i + '.50')}))
		document.body.replaceChildren(table({title: 'Many', rows, currency: 'RUB', columns: [{field: 'name', kind: 'text', title: 'Name'}, {field: 'money', kind: 'money', title: 'Money'}]}))
		const room = document.querySelector('.grid-scroll'), frame = () => new Promise(requestAnimationFrame)
		let most = 0, slowest = 0, frames = 0
		await frame()
		for (let before = performance.now(); room.scrollTop + room.clientHeight < room.scrollHeight - 1; frames++) {
			room.scrollTop += 1500
			await frame(); await frame()
			slowest = Math.max(slowest, performance.now() - before)
			before = performance.now()
			most = Math.max(most, document.querySelectorAll('tbody tr').length)
		}
		return {most, slowest, frames, last: [...document.querySelectorAll('tbody th')].at(-1).innerText}
	})()`)
	t.Logf("%+v", seen)
	if seen.Most > 120 || seen.Last != "Product 4999" {
		t.Errorf("up to %d rows are in the page, the last one is %q", seen.Most, seen.Last)
	}
}
