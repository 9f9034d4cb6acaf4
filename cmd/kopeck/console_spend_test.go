package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

// An admin reads what models cost, limits a key, sees an error for an invalid limit, and removes the limits.
func TestConsoleShowsSpendAndSetsLimits(t *testing.T) {
	t.Parallel()
	c := newConsoleTest(t)
	models := filepath.Join(t.TempDir(), "models.yaml")
	text := "providers: {house: {kind: openai, base_url: %q, key: \"${OPENAI_API_KEY}\"}}\n" +
		"models:\n  priced: {routes: [{provider: house, model: m}], prices: {input: 100000, output: 200000, currency: USD}}\n"
	for i := range manyModels {
		text += fmt.Sprintf("  free%d: {routes: [{provider: house, model: m}]}\n", i)
	}
	model := agenttest.ServeForever(t, agenttest.Say("Hello.")).URL
	must(t, os.WriteFile(models, fmt.Appendf(nil, text, model), 0o600))
	c.serve(model, "KOPECK_MODELS="+models)
	c.spends(3, "priced", "priced", "priced")

	b := open(t, c.url)
	b.signIn(c.secret)
	b.visit("spend")
	b.waitFor(`document.querySelector('.tiles')`)
	// 3 requests × (10 tokens at 0.1 + 5 tokens at 0.2)
	if tiles := b.text(".tiles"); !strings.Contains(tiles, "USD\u00a06.00") || !strings.Contains(tiles, "30") {
		t.Errorf("the tiles say %q", tiles)
	}
	if bars := read[int](b, `document.querySelectorAll('.columns .column-room').length`); bars != 30 {
		t.Errorf("the plot has %d days", bars)
	}
	b.choose("By key and model")
	b.seeFirstRow("owner", "priced")
	want := "\ufeff" + `"Key","Model","Spent, USD","Requests","Prompt tokens","Answer tokens"` + "\r\n" +
		`"owner","priced",6,3,30,15` + "\r\n"
	if file := b.spendFile(); file != want {
		t.Errorf("the file says %q, want %q", file, want)
	}
	c.bounds(b)
	c.showsMoreThanAPage(b)
	c.showsAllOrganizations(b)
}

// seeFirstRow waits until the first row of the table contains the texts.
func (b *tab) seeFirstRow(texts ...string) {
	b.Helper()
	for _, text := range texts {
		b.waitFor(fmt.Sprintf(`document.querySelector('.grid tbody tr')?.innerText.includes(%q)`, text))
	}
}

// spendFile downloads the report and returns it.
func (b *tab) spendFile() string {
	b.Helper()
	return string(b.download("kopeck-spend.csv", func() { b.press(".grid-bar", "CSV") }))
}

// manyModels is more than the service returns in one page.
const manyModels = 120

// showsMoreThanAPage opens a report with several pages.
func (c *consoleTest) showsMoreThanAPage(b *tab) {
	names := make([]string, manyModels)
	for i := range names {
		names[i] = fmt.Sprintf("free%d", i)
	}
	c.spends(manyModels+3, names...)
	b.choose("By model")
	b.waitFor(`document.body.innerText.includes('Rows: 121')`)
	if file := b.spendFile(); strings.Count(file, "free") != manyModels {
		c.Errorf("the file has %d of %d models", strings.Count(file, "free"), manyModels)
	}
}

// showsAllOrganizations signs in as an operator, who sees the cost of each organization.
func (c *consoleTest) showsAllOrganizations(b *tab) {
	secret := c.key(keys.NewKey{Name: "operator", Operator: true, Scopes: []keys.Scope{keys.Admin}})
	b.press("#nav", "Sign out")
	b.waitFor(`document.querySelector('.sign-in input')`)
	b.write(".sign-in input", secret)
	b.press(".sign-in", "Sign in")
	b.press(".sign-in", "Shop")
	b.visit("spend")
	b.waitFor(`document.querySelector('.tiles')`)
	b.choose("All organizations")
	b.seeFirstRow("Shop", "6.00")
	for _, l := range looks {
		b.setLook(l)
		b.requireCompletePage("spend-all-" + l.name)
		b.accessible("spend-all-" + l.name)
		b.screenshot("spend-all-" + l.name)
	}
	if !read[bool](b, `document.querySelector('form.card') !== null`) {
		c.Error("an operator cannot change the organization's limits")
	}
}

// spends sends a request to each model, and waits until all of them are counted.
func (c *consoleTest) spends(counted int, models ...string) {
	for _, model := range models {
		body := `{"model":"` + model + `","messages":[{"role":"user","content":"Hello"}]}`
		if res, _, err := send(c.Context(), "POST", c.url+"/v1/chat/completions", c.secret, body, nil); err != nil || res.StatusCode != http.StatusOK {
			c.Fatalf("the model request: %v, %v", res, err)
		}
	}
	for deadline := time.Now().Add(browserTimeout); ; {
		var found struct{ Data []struct{ Requests int } }
		c.ask("GET", "/organizations/"+c.organization+"/spend", c.secret, nil, &found)
		if len(found.Data) == 1 && found.Data[0].Requests == counted {
			return
		}
		if !sleep(c.Context(), 50*time.Millisecond) || time.Now().After(deadline) {
			c.Fatalf("the spend is %+v", found)
		}
	}
}

// bounds sets limits for a key, enters an invalid one, and removes the limits.
func (c *consoleTest) bounds(b *tab) {
	if !read[bool](b, `document.body.innerText.includes("Only the operator of this service changes an organization's limits.")`) {
		c.Error("an admin can change the organization's limits")
	}
	b.choose("owner")
	b.waitFor(`document.querySelector('form.card')`)
	fill := func(name, text string) {
		b.write(fmt.Sprintf(`form.card input[name=%s]`, name), text)
	}
	fill("requests_per_minute", "100")
	fill("money_per_month", "2,50")
	b.press("form.card", "Set the limits")
	b.waitFor(`document.querySelector('form.card .problem')?.innerText.includes('currency must be a code such as USD')`)
	fill("currency", "usd")
	b.press("form.card", "Set the limits")
	b.waitFor(`document.querySelector('.levels')?.innerText.includes('USD\u00a00.00 of USD\u00a02.50')`)
	now := time.Now().UTC()
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	databasetest.Exec(c, c.db, `INSERT INTO limit_uses (subject, rule, since, units, parts, reserved_units, reserved_parts)
		SELECT counted_as, 'money_per_month USD', $1, 2, 0, 1, 250000000000 FROM model_limits`, month.UnixMicro())
	b.choose("The whole organization")
	b.waitFor(`document.body.innerText.includes('No limits are set.')`)
	b.choose("owner")
	b.waitFor(`document.querySelector('.levels')?.innerText.includes('USD\u00a00.75 of USD\u00a02.50')`)
	b.waitFor(`document.querySelector('.levels')?.innerText.includes('requests: USD\u00a01.25')`)
	b.screenshot("spend-limits")
	b.press("form.card", "Remove all limits")
	b.press("dialog.sure", "Remove all limits")
	b.waitFor(`document.body.innerText.includes('No limits are set.')`)
}
