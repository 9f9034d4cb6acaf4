package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/kopeck/kopeck/tools"
)

// Every report is reached from the list of reports by keyboard, and shows the figures of its tool. Its form asks for each
// argument, and begins with the tool's defaults and the last 30 days.
func TestConsoleShowsEveryReport(t *testing.T) {
	t.Parallel()
	c := startConsoleTest(t)
	c.connect("Main shop", c.demo)
	var all struct{ Data []tools.Tool }
	c.ask("GET", "/tools", c.secret, nil, &all)
	b := open(t, c.url)
	b.signIn(c.secret)
	b.visit("reports")
	listed := read[[]string](b, `[...document.querySelectorAll('.page li a')].map(a => a.hash.split('/').at(-1))`)
	pages := map[string]string{"stock": "stock", "below_minimum": "minimums", "dead_stock": "dead", "margin": "margin", "money_position": "cash"}
	shown := 0
	for _, report := range all.Data {
		if report.Kind != tools.Read || report.Name == "calculate" {
			continue
		}
		shown++
		if !slices.Contains(listed, cmp.Or(pages[report.Name], report.Name)) {
			t.Errorf("%s is not in the list of reports: %v", report.Name, listed)
		} else if pages[report.Name] == "" {
			c.showsReport(b, report)
		}
	}
	if len(listed) != shown {
		t.Errorf("%d reports are listed, there are %d", len(listed), shown)
	}
}

// showsReport opens a report from the list, fills in what is required, and compares its first table with rows with the tool's result.
func (c *consoleTest) showsReport(b *tab, report tools.Tool) {
	c.Helper()
	var schema struct {
		Properties map[string]struct{ Default any }
		Required   []string
	}
	must(c, json.Unmarshal(report.Parameters, &schema))
	b.visit("reports")
	b.run(fmt.Sprintf(`document.querySelector('a[href="#/reports/%s"]').focus()`, report.Name))
	b.do(chromedp.KeyEvent("\r"))
	b.waitFor(fmt.Sprintf(`location.hash === '#/reports/%s' && document.querySelector('h1') === document.activeElement`, report.Name))
	b.waitFor(`!document.querySelector('.page [aria-busy]')`)
	_, limited := schema.Properties["limit"]
	arguments := map[string]any{}
	if limited {
		arguments["limit"] = 1000
		delete(schema.Properties, "limit")
	}
	if asked := read[int](b, `document.querySelectorAll('.controls .field').length`); asked != len(schema.Properties) {
		c.Errorf("%s asks for %d arguments, and has %d", report.Name, asked, len(schema.Properties))
	}
	for _, name := range schema.Required {
		switch name {
		case "query":
			arguments[name] = "чайник"
			b.write(".controls input", "чайник")
			b.do(chromedp.KeyEvent("\r"))
		case "from":
			arguments[name] = read[string](b, `document.querySelectorAll('.controls input[type=date]')[0].value`)
		case "to":
			arguments[name] = read[string](b, `document.querySelectorAll('.controls input[type=date]')[1].value`)
		default:
			c.Fatalf("%s requires %s, which this test does not know", report.Name, name)
		}
	}
	b.waitFor(`document.querySelector('.report .origin') && !document.querySelector('.page [aria-busy]')`)
	want := c.tool(report.Name, arguments).Result
	table := read[string](b, `document.querySelector('[data-table]:has(tbody .figure)')?.dataset.table ?? ''`)
	part := regexp.MustCompile("^kopeck-" + report.Name + "-?(.*?)-?[0-9]{4}-[0-9]{2}-[0-9]{2}$").FindStringSubmatch(table)
	if part == nil {
		b.fail(fmt.Sprintf("%s shows the table %q", report.Name, table))
	}
	rows, _ := want[cmp.Or(part[1], "rows")].([]any)
	c.sameFigures(b, fmt.Sprintf("[data-table=%q]", table), report.Name, rows)
}
