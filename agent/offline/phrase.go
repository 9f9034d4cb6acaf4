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

var (
	monthsIn  = strings.Fields("январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь")
	romanOnes = []string{"I", "II", "III", "IV"}
)

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

func when(lang string, p calendar.Period, today time.Time) string {
	yearOf := func(day time.Time) string {
		if day.Year() == today.Year() {
			return ""
		}
		return bilingual.Text{RU: day.Format(" 2006 года"), EN: day.Format(" 2006")}.In(lang)
	}
	year := yearOf(p.From)
	whole := calendar.Back(p.Unit, 0, p.From)
	begun := p.Unit != "" && p.From.Equal(whole.From) && !p.To.Before(whole.To)
	sameMonth := p.From.Year() == p.To.Year() && p.From.Month() == p.To.Month()
	month, from, to := int(p.From.Month())-1, bilingual.Day(lang, p.From), bilingual.Day(lang, p.To)
	var said bilingual.Text
	switch {
	case p.Unit == calendar.Month && begun && sameMonth:
		said = bilingual.Text{RU: "за " + monthsIn[month], EN: "in " + p.From.Month().String()}
	case p.Unit == calendar.Quarter && begun:
		said = bilingual.Text{RU: "за " + romanOnes[month/3] + " квартал", EN: "in Q" + "1234"[month/3:month/3+1]}
	case p.Unit == calendar.Year && begun:
		return bilingual.Text{RU: p.From.Format("за 2006 год"), EN: p.From.Format("in 2006")}.In(lang)
	case p.From.Equal(p.To):
		said = bilingual.Text{RU: "за " + from, EN: "on " + from}
	case sameMonth:
		said = bilingual.Text{RU: p.From.Format("с 2 по ") + to, EN: p.From.Format("from 2 to ") + to}
	case p.From.Year() == p.To.Year():
		said = bilingual.Text{RU: "с " + from + " по " + to, EN: "from " + from + " to " + to}
	default:
		return bilingual.Text{RU: "с ", EN: "from "}.In(lang) + from + year + bilingual.Text{RU: " по ", EN: " to "}.In(lang) + to + yearOf(p.To)
	}
	return said.In(lang) + year
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
	case len(goods.Tokens) == 0 && goods.Query+goods.Prefix == "": // what a list before has
		return goods.Said
	default:
		return t.quote(cmp.Or(goods.One(), strings.TrimRight(goods.Prefix, " ("), goods.Query, goods.Said))
	}
}

// Unsupported says which words of the question the report cannot filter by.
func (t *telling) Unsupported() string {
	name := "unsupported"
	switch {
	case t.report.Slots.Month != "":
		name = "whole_months"
	case t.report.Slots.Warehouse != "":
		name = "only_now"
	}
	return t.phrase(name, t.unsupported...)
}
