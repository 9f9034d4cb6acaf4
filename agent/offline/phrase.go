package offline

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// pluralOf chooses the form that goes with a number: one, few and many in Russian, one and many in English.
func pluralOf(lang string, n int64, forms []string) string {
	n = max(n, -n)
	last, teens := n%10, n/10%10 == 1
	switch {
	case n == 1, lang == "ru" && last == 1 && !teens:
		return forms[0]
	case lang == "ru" && last > 1 && last < 5 && !teens:
		return forms[1]
	}
	return forms[len(forms)-1]
}

// When returns the period in words. If the question names none, the report's own period is used.
func (t *telling) When() string {
	if t.period().From.IsZero() {
		return reply(t.lang, "own_period")
	}
	return when(t.lang, t.period(), t.heard.today)
}

// Start says the beginning of the period.
func (t *telling) Start() string {
	if p := t.period(); t.lang == "ru" && p.From.Equal(p.To) {
		return "на начало " + strings.TrimPrefix(t.When(), "за ")
	}
	return reply(t.lang, "at_start", "WHEN", t.When())
}

// Lately returns the period that the question names, or else the last days that the report covers.
func (t *telling) Lately() string {
	if len(t.periods) == 0 {
		return reply(t.lang, "lately")
	}
	return t.When()
}

// when says a period in words. It leaves out the year of today.
func when(lang string, p calendar.Period, today time.Time) string {
	year := func(day time.Time) string {
		if day.Year() == today.Year() {
			return ""
		}
		return reply(lang, "of_year", "N", day.Format("2006"))
	}
	name, first := "in_"+string(p.Unit), bilingual.Day(lang, p.From)
	if whole := loaded().replies[name]; whole.RU == "" || !p.Same(calendar.Back(p.Unit, 0, p.From)) {
		name = "from_to"
	}
	switch {
	case p.From.Equal(p.To):
		name = "in_day"
	case p.From.Format("200601") == p.To.Format("200601"):
		first = p.From.Format("2")
	case p.From.Year() != p.To.Year():
		first += year(p.From)
	}
	month := int(p.From.Month()) - 1
	return reply(lang, name, "FIRST", first, "LAST", bilingual.Day(lang, p.To), "N", p.From.Format("2006"), "YEAR", year(p.To),
		"MONTH", strings.Fields(reply(lang, "months"))[month], "QUARTER", strings.Fields(reply(lang, "quarters"))[month/3])
}

// phrase puts quoted names into a text of replies.yaml. It returns "" if there are none.
func (t *telling) phrase(name string, names ...string) string {
	said := t.quotes(names)
	if said == "" {
		return ""
	}
	return reply(t.lang, name, "WHAT", said)
}

func (t *telling) quote(name string) string { return reference.Quoted(t.lang, name) }

// quotes lists the names that are not empty.
func (t *telling) quotes(names []string) string {
	var all []string
	for _, name := range names {
		if name != "" {
			all = append(all, t.quote(name))
		}
	}
	return strings.Join(all, ", ")
}

// place returns the warehouse's name for a place after the word for one.
func (t *telling) place() string {
	if t.lang == "ru" {
		return strings.TrimPrefix(t.warehouse, "Склад ")
	}
	return t.warehouse
}

// Where returns " at " and the warehouse, or "".
func (t *telling) Where() string { return t.phrase("where", t.place()) }

// Source returns "at" and the warehouse that goods may be taken from, or "".
func (t *telling) Source() string { return strings.TrimSpace(t.phrase("where", t.source)) }

// To returns " to " and the warehouse, or "".
func (t *telling) To() string { return t.phrase("where_to", t.place()) }

// ChannelSaid returns " through " and the channel, or that the answer is not only about marketplaces if they were asked about, or "".
func (t *telling) ChannelSaid() string {
	if t.channel == "" && t.heard.has(t.heard.Marketplaces) {
		return reply(t.lang, "all_channels")
	}
	return t.phrase("through", t.channel)
}

// Label names the goods, places or counterparty that the answer is about.
func (t *telling) Label() string {
	switch {
	case t.top:
		return reply(t.lang, "first_rows", "N", fmt.Sprint(t.limit))
	case t.goods != nil:
		return t.goodsSaid()
	case len(t.places) > 0:
		return strings.Join(t.places, ", ")
	case t.channel == tools.NoSalesChannel:
		return reply(t.lang, "no_channel")
	case t.channel != "":
		return t.quote(t.channel)
	case t.party != "":
		return t.PartySaid()
	case t.Threshold():
		return t.limits()
	}
	return reply(t.lang, "that")
}

// About begins a sentence with what it is about and the warehouse. It returns "" if it is about everything.
func (t *telling) About() string {
	about := t.Label()
	if about == reply(t.lang, "that") {
		about = ""
	}
	if about += t.Where(); about == "" {
		return ""
	}
	return capital(about) + ": "
}

// goodsSaid names the goods that the answer is about; "" if it is about all.
func (t *telling) goodsSaid() string {
	switch goods := t.goods; {
	case goods == nil:
		return ""
	case len(goods.Tokens) == 0 && goods.Query()+goods.Prefix() == "": // what a list before has
		return goods.Said
	default:
		return t.quote(cmp.Or(goods.One(), strings.TrimRight(goods.Prefix(), " ("), goods.Query(), goods.Said))
	}
}

// Unsupported says which words of the question the report cannot filter by.
func (t *telling) Unsupported() string {
	name := "only_now"
	switch {
	case t.report.Slots.Month != "":
		name = "whole_months"
	case len(t.report.Slots.Period) > 0 && t.report.Slots.Warehouse == "" && len(t.heard.warehouses) > 0:
		name = "no_places"
	case len(t.report.Slots.Period) > 0:
		name = "undivided"
	}
	return t.phrase(name, t.unsupported...)
}

// Foreign says that no figure is converted into the currency of the question. It is empty if the question names none, or the report has it.
func (t *telling) Foreign() string {
	at := t.heard.first(t.heard.Foreign)
	if at < 0 || t.report.Slots.Foreign {
		return ""
	}
	return t.phrase("foreign", t.heard.tokens[at].Text)
}
