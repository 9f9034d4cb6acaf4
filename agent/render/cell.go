package render

import (
	"encoding/json"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

// cell formats one value. It shows null, and a value whose type is not what the layout expects, as unknown and never as
// 0.
func (p *page) cell(c Column, value any, siblings map[string]any) string {
	switch v := value.(type) {
	case string:
		if c.Kind == Date {
			return moment(p.lang, v)
		}
		if word, known := c.Words[v]; known {
			return word.In(p.lang)
		}
		if c.Kind == Text && v != "" {
			return Inline(v)
		}
		if c.Kind == Text && c.Missing != (bilingual.Text{}) {
			return c.Missing.In(p.lang)
		}
	case bool:
		if v {
			return bilingual.Text{RU: "да", EN: "yes"}.In(p.lang)
		}
		return bilingual.Text{RU: "нет", EN: "no"}.In(p.lang)
	case json.Number:
		if d, err := decimal.NewFromString(v.String()); err == nil {
			return p.figure(c, d, siblings)
		}
	case []any:
		return p.list(c, v, siblings)
	case map[string]any:
		return p.parts(c, v)
	case nil:
		if c.Missing != (bilingual.Text{}) {
			return c.Missing.In(p.lang)
		}
	}
	return unknown(p.lang)
}

// parts formats an object that is shown in one cell.
func (p *page) parts(c Column, fields map[string]any) string {
	written := make([]string, len(c.Parts))
	for i, part := range c.Parts {
		value, _ := lookup(fields, part.Field)
		written[i] = p.cell(part, value, fields)
	}
	return strings.Join(written, ": ")
}

func (p *page) figure(c Column, value decimal.Decimal, siblings map[string]any) string {
	switch c.Kind {
	case Money:
		currency := p.currency
		if c.Currency != "" {
			currency, _ = siblings[c.Currency].(string)
		}
		return amount(p.lang, value, Inline(currency))
	case Percent:
		return percent(p.lang, value)
	default:
		return exactNumber(p.lang, value)
	}
}

// list formats a list that is shown in one cell, such as barcodes.
func (p *page) list(c Column, values []any, siblings map[string]any) string {
	if len(values) == 0 {
		return "—"
	}
	const shown = 5
	parts := make([]string, 0, shown)
	for _, value := range values[:min(len(values), shown)] {
		parts = append(parts, p.cell(c, value, siblings))
	}
	if len(values) > shown {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

func unknown(lang string) string {
	return bilingual.Text{RU: "нет данных", EN: "unknown"}.In(lang)
}

// lookup follows a dotted path. present is false if the field is missing, and true if it is null.
func lookup(fields map[string]any, path string) (value any, present bool) {
	for {
		name, rest, nested := strings.Cut(path, ".")
		value, present = fields[name]
		if !nested || !present {
			return value, present
		}
		fields, _ = value.(map[string]any)
		path = rest
	}
}

func parentOf(fields map[string]any, path string) map[string]any {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		value, _ := lookup(fields, path[:i])
		fields, _ = value.(map[string]any)
	}
	return fields
}

func rowsOf(value any) []map[string]any {
	list, _ := value.([]any)
	rows := make([]map[string]any, 0, len(list))
	for _, item := range list {
		if row, ok := item.(map[string]any); ok {
			rows = append(rows, row)
		}
	}
	return rows
}
