package main

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	named "github.com/kopeck/kopeck/proxy/models"
)

// modelsCommand lists the models that clients can use. It fails if the settings are wrong. It does not send requests to a
// provider.
type modelsCommand struct {
	models
}

// Run prints a line for each model.
func (c *modelsCommand) Run(p *program) error {
	found, err := c.open(nil, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Out, "The agent, as kopeck, is over %s.\n", c.Model)
	set := found.registry.Set()
	if set.Empty() {
		return nil
	}
	table := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nMODEL\tROUTES\tFALLBACKS\tCAN\tPRICE OF A MILLION TOKENS, IN / CACHED / OUT")
	for _, name := range set.Names() {
		m := set.Find(name)
		fallbacks, can := cmp.Or(strings.Join(m.Fallbacks, ", "), "–"), cmp.Or(abilities(m), "–")
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", name, routesOf(m), fallbacks, can, pricesOf(m))
	}
	return table.Flush()
}

func routesOf(m *named.Model) string {
	all := make([]string, len(m.Routes))
	for i, r := range m.Routes {
		all[i] = r.Name
		if len(m.Routes) > 1 {
			all[i] = fmt.Sprintf("%s ×%d", r.Name, r.Weight)
		}
	}
	return strings.Join(all, ", ")
}

func abilities(m *named.Model) string {
	var all []string
	for _, can := range []struct {
		what string
		it   bool
	}{{"tools", m.Tools}, {"vision", m.Vision}, {"json", m.JSON}} {
		if can.it {
			all = append(all, can.what)
		}
	}
	return strings.Join(all, ", ")
}

func pricesOf(m *named.Model) string {
	p := m.Prices
	if p == nil {
		return "unknown"
	}
	cached := p.Input
	if p.CachedInput != nil {
		cached = *p.CachedInput
	}
	text := fmt.Sprintf("%s / %s / %s %s", p.Input, cached, p.Output, p.Currency)
	if p.Request != nil {
		text += fmt.Sprintf(", %s a request", p.Request)
	}
	return text
}
