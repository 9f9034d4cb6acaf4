package render

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// cell formats one value. It shows null, and a value whose type is not that of the field, as unknown and never as 0.
func (p *page) cell(f *tools.Field, value any, siblings map[string]any) string {
	switch v := value.(type) {
	case string:
		word, known := f.Words[v]
		switch {
		case f.Kind == tools.KindDay || f.Kind == tools.KindMoment:
			return moment(p.lang, v)
		case known:
			return word.In(p.lang)
		case f.Kind.IsNumber() || f.Kind == tools.KindFlag:
			return Unknown.In(p.lang)
		case v != "":
			return Inline(v)
		}
		return p.missing(f)
	case bool:
		return Flag(p.lang, v)
	case json.Number:
		if d, err := decimal.NewFromString(v.String()); err == nil {
			return p.figure(f, d, siblings)
		}
	case []any:
		return p.list(f, v, siblings)
	case map[string]any:
		return p.parts(f, v)
	case nil:
		return p.missing(f)
	}
	return Unknown.In(p.lang)
}

func (p *page) missing(f *tools.Field) string {
	return cmp.Or(f.Missing.In(p.lang), Unknown.In(p.lang))
}

// parts formats an object that is shown in one cell.
func (p *page) parts(f *tools.Field, fields map[string]any) string {
	written := make([]string, len(f.Fields))
	for i := range f.Fields {
		part := &f.Fields[i]
		written[i] = p.cell(part, fields[part.Name], fields)
	}
	return strings.Join(written, ": ")
}

func (p *page) figure(f *tools.Field, value decimal.Decimal, siblings map[string]any) string {
	digits := bilingual.Digits(p.lang, value.String())
	switch f.Kind {
	case tools.KindMoney:
		currency := p.currency
		if f.Currency != "" {
			currency, _ = siblings[f.Currency].(string)
		}
		return amount(p.lang, value, currency)
	case tools.KindPercent:
		return digits + bilingual.PercentSign.In(p.lang)
	}
	return digits
}

// list formats a list that is shown in one cell, such as barcodes.
func (p *page) list(f *tools.Field, values []any, siblings map[string]any) string {
	if len(values) == 0 {
		return "—"
	}
	const shown = 5
	parts := make([]string, 0, shown)
	for _, value := range values[:min(len(values), shown)] {
		parts = append(parts, p.cell(f, value, siblings))
	}
	if len(values) > shown {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

// Unknown stands for a value that the books do not have.
var Unknown = bilingual.Text{RU: "нет данных", EN: "unknown"}

// Flag returns the word for yes or no.
func Flag(lang string, is bool) string {
	if is {
		return bilingual.Text{RU: "да", EN: "yes"}.In(lang)
	}
	return bilingual.Text{RU: "нет", EN: "no"}.In(lang)
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

// localized is [lookup] for a figure that may have a Russian text beside the English one, in a field with the suffix _ru.
func (p *page) localized(fields map[string]any, path string) (value any, present bool) {
	if value, present = lookup(fields, path+"_ru"); present && p.lang == "ru" {
		return value, present
	}
	return lookup(fields, path)
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
