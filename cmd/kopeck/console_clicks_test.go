package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// A user starts with an empty organization. They connect an account, ask questions, read the reports, order what is
// missing, manage keys and change the language.
func TestConsoleWorksByClicks(t *testing.T) {
	t.Parallel()
	next := make(chan string)
	asked, left := make(chan struct{}), make(chan struct{})
	c := startConsoleTest(t,
		agenttest.CallTools(agenttest.Call{Tool: "dead_stock", Arguments: `{}`}), agenttest.Paced(next),
		func(r *agenttest.Reply) { // never answers
			close(asked)
			<-r.Gone
			close(left)
		})
	b := open(t, c.url)

	b.waitFor(`document.querySelector('input[name=key]')`)
	b.write(`input[name=key]`, "sk-org-nothing")
	b.click(`.sign-in button[type=submit]`)
	b.waitFor(`document.querySelector('.problem')?.innerText.includes('This key is not valid')`)
	b.signIn(c.secret)

	c.connects(b)
	c.asks(b, next)
	c.stops(b, asked, left)
	c.reads(b)
	c.orders(b)
	c.seesOldAndNew(b)
	c.makesKeys(b)
	c.schedules(b)
	c.readsAudit(b)
	c.speaksRussian(b)
}

// connects enters an invalid token, and then the token of the demo shop.
func (c *consoleTest) connects(b *tab) {
	b.visit("connections")
	b.waitFor(`document.querySelector('.empty')`)
	connect := func(name, token string) {
		b.write(`.form input:not([type=password])`, name)
		b.write(`.form input[type=password]`, token)
		b.press(".form", "Connect")
	}
	connect("Wrong", "nothing-that-works")
	b.waitFor(`document.querySelector('.form .problem')?.innerText.includes('The accounting system refuses this token')`)
	connect("Main shop", c.demo.Token())
	b.waitFor(`document.querySelector('.cards')?.innerText.includes('Main shop')`)
	if card := b.text(".cards"); !strings.Contains(card, "works") || !strings.Contains(card, "See cost: yes") {
		c.Errorf("the connection says:\n%s", card)
	}
	b.press(".cards", "Verify")
	b.waitFor(`!document.querySelector('[aria-busy]') && document.querySelector('.cards')?.innerText.includes('Main shop')`)
}

// asks reads an answer while it is streamed. It opens the origin of a figure there, and again in the stored session.
func (c *consoleTest) asks(b *tab, next chan<- string) {
	dead := c.tool("dead_stock", map[string]any{})
	frozen := decimal.RequireFromString(dead.Result["totals"].(map[string]any)["dead_money"].(json.Number).String()).StringFixed(2)
	b.visit("ask")
	b.run(`window.shifted = 0; new PerformanceObserver(list => list.getEntries().forEach(e => { if (!e.hadRecentInput) window.shifted += e.value })).observe({type: 'layout-shift'})`)
	b.write("textarea", "How much money is frozen in dead stock? We need 123,456.")
	b.do(chromedp.KeyEvent("\r"))
	next <- "Let us look at what lies there.\n\n"
	next <- "Frozen in dead stock: " // a sentence is sent once the next one has begun
	b.waitFor(`document.querySelector('.answer[aria-busy] .prose')?.innerText.includes('Let us look')`)
	next <- "{{R1.totals.dead_money}}.\n\n"
	next <- "{{table(first(R1.rows, 2), \"name\", \"code\", \"units\", \"days_in_warehouse\", \"frozen_money\")}}\n\n"
	next <- "You need 123,456.\n"
	close(next)
	b.waitFor(`!document.querySelector('.answer[aria-busy]')`)
	shifted := read[float64](b, `window.shifted`)
	if shifted > 0.001 {
		c.Errorf("content moved by %v while the answer was streamed", shifted)
	}
	b.run(fmt.Sprintf(`[...document.querySelectorAll('.sourced')].find(e => e.innerText.replaceAll(',', '').endsWith(%q)).click()`, frozen))
	b.waitFor(`document.querySelector('dialog.trace')?.innerText.includes('totals.dead_money')`)
	b.press("dialog.trace", "Close")
	if head := b.text(".prose thead"); !strings.HasPrefix(head, "Product") {
		c.Errorf("the table's header is %q", head)
	}
	b.press(".prose", "Where this table comes from")
	b.waitFor(`document.querySelector('dialog.trace')?.innerText.includes('rows.frozen_money')`)
	b.press("dialog.trace", "Close")
	b.waitFor(`[...document.querySelectorAll('.prose > .faint')].map(e => e.innerText.split(/[ :]/)[0]).join() === 'Figures,In,Sources'`)
	b.click("details.source summary")
	b.waitFor(`document.querySelector('details.source table')`)
	b.setLook(looks[2])
	b.requireCompletePage("an answer on a phone")
	b.setLook(looks[0])

	b.visit("sessions") // the stored answer shows its origins too
	b.click(".grid tbody a")
	b.waitFor(`document.querySelector('.record .sourced') && document.querySelector('.record details.source')?.innerText.includes('Dead stock')`)
}

// stops asks a question, and cancels it before an answer arrives. The request to the model must end.
func (c *consoleTest) stops(b *tab, asked, left <-chan struct{}) {
	b.visit("ask")
	b.write("textarea", "And now?")
	b.do(chromedp.KeyEvent("\r"))
	select {
	case <-asked:
	case <-time.After(browserTimeout):
		c.Fatal("the model was not asked")
	}
	b.click(`.composer button[type=button]`)
	b.waitFor(`document.querySelector('.stopped')`)
	select {
	case <-left:
	case <-time.After(browserTimeout):
		c.Error("the request to the model continues after the answer was stopped")
	}
}

// orders drafts a purchase order from a shortage, confirms it, and finds it in the shop's books.
func (c *consoleTest) orders(b *tab) {
	b.visit("minimums")
	b.press(`[data-table^=kopeck-shortage]`, "Draft an order")
	b.waitFor(`location.hash.startsWith('#/drafts/') && document.querySelector('.draft .decision')`)
	code := b.text(".draft .code")
	if words := b.text(".draft .words"); words != "confirm "+code {
		c.Errorf("the command to type is %q", words)
	}
	sum := b.text(".draft .facts")
	b.press(".draft .decision", "Confirm "+code)
	b.waitFor(`document.querySelector('.draft .outcome.good')`)
	id := read[string](b, `document.querySelector('.outcome.good code').innerText`)
	res, answer, err := send(c.Context(), "GET", c.upstream+"/entity/purchaseorder/"+id+"?expand=positions", c.demo.Token(), nil, nil)
	if err != nil || res.StatusCode != http.StatusOK {
		c.Fatalf("the order is not in the books: %v, %v", res, err)
	}
	var order struct {
		ID  string
		Sum decimal.Decimal
	}
	must(c, json.Unmarshal(answer, &order))
	if kopecks := order.Sum.Shift(-2); order.ID != id || !slices.ContainsFunc(figuresOf(sum), kopecks.Equal) {
		c.Errorf("the sum of the order is %s in the books and %s in the draft", kopecks, sum)
	}
	if said := b.text(".outcome.good .warning"); said != "The document is not posted: post it in MoySklad." {
		c.Errorf("the outcome says %q about posting", said)
	}
	b.visit("drafts")
	b.waitFor(`document.querySelector('.grid')?.innerText.includes('written to MoySklad')`)
	b.visit("minimums")
	b.press(`[data-table^=kopeck-shortage]`, "Draft an order")
	b.waitFor(`document.querySelector('.draft [data-code=UNPOSTED_ORDER]')`)
}

// seesOldAndNew opens a price change, which must show the old and the new price, and cancels it.
func (c *consoleTest) seesOldAndNew(b *tab) {
	product := c.tool("stock", map[string]any{"limit": 1}).Result["rows"].([]any)[0].(map[string]any)
	var made struct {
		Result struct {
			ID, Code string
			Lines    []struct {
				OldPrice decimal.Decimal `json:"old_price"`
			}
		}
	}
	status := c.ask("POST", "/tools/draft_price_change/execute", c.secret,
		map[string]any{"arguments": map[string]any{"lines": []any{map[string]any{"product": product["product_id"], "price": 4321.5}}}}, &made)
	if status != http.StatusAccepted {
		c.Fatalf("draft a price: %d", status)
	}
	var gateway struct{ Code string }
	if status := c.ask("POST", "/connectors/moysklad/gateway/entity/demand", c.secret, map[string]any{"name": "x"}, &gateway); status != http.StatusAccepted {
		c.Fatalf("draft a request through the gateway: %d", status)
	}
	b.visit("drafts")
	b.waitFor(fmt.Sprintf(`document.querySelector('.grid')?.innerText.includes(%q)`, made.Result.Code))
	row := read[string](b, fmt.Sprintf(`[...document.querySelectorAll('.grid tr')].find(tr => tr.innerText.includes(%q)).querySelector('.figure').innerText`, gateway.Code))
	if row != "1" {
		c.Errorf("a draft that writes one object has %q lines", row)
	}
	b.run(fmt.Sprintf(`[...document.querySelectorAll('.grid a')].find(a => a.innerText === %q).click()`, made.Result.Code))
	b.waitFor(`document.querySelector('.draft del')`)
	for selector, want := range map[string]decimal.Decimal{"del": made.Result.Lines[0].OldPrice, "ins": decimal.RequireFromString("4321.50")} {
		if text := b.text(".draft " + selector); !slices.ContainsFunc(figuresOf(text), want.Equal) {
			c.Errorf("%s is %q, not %s", selector, text, want)
		}
	}
	b.press(".draft .decision", "Cancel the draft")
	b.waitFor(`document.querySelector('.draft .pill.cancelled')`)
}

// makesKeys creates a key, whose secret is shown only once, uses it and revokes it.
func (c *consoleTest) makesKeys(b *tab) {
	b.visit("keys")
	b.write(".form input", "till")
	b.press(".form", "Create the key")
	b.waitFor(`document.querySelector('.secret-text')`)
	secret := b.text(".secret-text")
	if status := c.ask("GET", "/caller", secret, nil, nil); status != http.StatusOK {
		c.Errorf("status with the new key: %d", status)
	}
	b.press(".secret", "Copy")
	b.waitFor(`document.querySelector('.secret [role=status]').innerText !== ''`)
	b.waitFor(`[...document.querySelectorAll('.grid tbody tr')].some(tr => tr.innerText.includes('till'))`)
	b.run(`[...document.querySelectorAll('.grid tbody tr')].find(tr => tr.innerText.includes('till')).querySelector('.danger').click()`)
	b.press("dialog.sure", "Revoke")
	b.waitFor(`[...document.querySelectorAll('.grid tbody tr')].find(tr => tr.innerText.includes('till'))?.querySelector('.pill.revoked')`)
	if status := c.ask("GET", "/caller", secret, nil, nil); status != http.StatusUnauthorized {
		c.Errorf("status with the revoked key: %d", status)
	}
	b.visit("connections")
	b.visit("keys")
	again := read[bool](b, fmt.Sprintf(`document.body.innerText.includes(%q)`, secret))
	if again {
		c.Error("the secret is shown a second time")
	}
}

// schedules has a question asked on Mondays, and another on a schedule of its own.
func (c *consoleTest) schedules(b *tab) {
	b.visit("events")
	question := `form input[placeholder^="What is below"]`
	b.write(question, "What is dead?")
	b.choose("on Mondays at 9:00")
	b.press("form", "Create the question")
	b.waitFor(`document.querySelector('.cards')?.innerText.includes('on Mondays at 9:00, Europe/Moscow')`)
	b.write(question, "Who owes us?")
	b.choose("other (cron)")
	b.write(`label:not([hidden]) > input[name=cron]`, "30 8 * * 5")
	b.press("form", "Create the question")
	b.waitFor(`document.querySelector('.cards')?.innerText.includes('30 8 * * 5, Europe/Moscow')`)
}

// readsAudit finds the names of keys and accounts and the codes of drafts in the audit instead of ids.
func (c *consoleTest) readsAudit(b *tab) {
	b.visit("audit")
	b.waitFor(`document.querySelector('.grid tbody a[href^="#/drafts/"]')`)
	rows := b.text(".grid tbody")
	for _, name := range []string{"till", "Main shop", "PC-", "PO-", "the command line", "the service", "draft written", "Written to: "} {
		if !strings.Contains(rows, name) {
			c.Errorf("the audit does not show %q:\n%s", name, rows)
		}
	}
	b.visit("keys")
}

// speaksRussian also shows the service's errors in Russian.
func (c *consoleTest) speaksRussian(b *tab) {
	b.press(".switch", "RU")
	b.waitFor(`document.documentElement.lang === 'ru' && document.querySelector('h1')?.innerText === 'Ключи'`)
	b.run(`location.hash = '#/drafts/none'`)
	b.waitFor(`document.querySelector('.problem')?.innerText.includes('Нет черновика «none».')`)
	b.visit("keys")
	b.waitFor(`document.querySelector('h1')?.innerText === 'Ключи'`)
	b.press(".switch", "EN")
	b.waitFor(`document.documentElement.lang === 'en' && document.querySelector('h1')?.innerText === 'Keys'`)
}

// The draft's card contains the preview that the answer shows, so the preview is folded. The command that confirms the
// draft remains visible. After confirming, the outcome replaces the button.
func TestConsoleConfirmsADraftOfAConversation(t *testing.T) {
	t.Parallel()
	c := newConsoleTest(t)
	books := c.demo.Books()
	good := books.Assortment[slices.IndexFunc(books.Assortment, func(i *sandbox.Item) bool {
		return i.Stocked() && i.Parent == nil && len(i.Variants) == 0 && !i.Archived && i.BuyPrice > 0 &&
			i.BuyCurrency == books.Currencies[0] && i.Supplier != nil && !i.Supplier.Archived
	})]
	order := fmt.Sprintf(`{"supplier":%q,"lines":[{"product":%q,"units":3}]}`, good.Supplier.ID, good.ID)
	c.serve(agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "draft_purchase_order", Arguments: order}), agenttest.Say("Done.")).URL)
	c.connect("Main shop", c.demo)
	b := open(t, c.url)
	b.signIn(c.secret)
	b.write("textarea", "Order 3 of the kettle") // on the first page, whose address gets the session only now
	b.do(chromedp.KeyEvent("\r"))
	b.waitFor(`document.querySelector('.prose > details .scroll') && document.querySelector('article.draft table')`)
	b.waitFor(`location.hash.startsWith('#/ask/')`)
	if said := b.text(".prose"); !strings.Contains(said, "confirm PO-") || strings.Contains(said, good.Name) {
		t.Errorf("the answer shows\n%s", said)
	}
	if over := read[float64](b, `document.documentElement.scrollHeight - innerHeight`); over > 0 {
		t.Errorf("the page scrolls by %v pixels beside the conversation", over)
	}
	b.run(`document.querySelector('.decision .primary').click()`)
	b.waitFor(`document.querySelector('article.draft > :last-child').matches('.outcome.good')`)
	if said := b.text(".prose"); strings.Contains(said, "Nothing is written") {
		t.Errorf("above a written draft, the answer says\n%s", said)
	}
	b.visit("sessions") // the stored answer shows the draft as it is now
	b.click(".grid tbody a")
	b.waitFor(`document.querySelector('.record article.draft .outcome.good')`)
}
