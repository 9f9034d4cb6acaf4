package grounding

import "github.com/shopspring/decimal"

// column is what the head of a table's column says of the bare numbers below: their unit, and their scale.
type column struct {
	head     string // plain
	is       dimension
	currency string
	scale    decimal.Decimal
}

// columnOf reads a head such as "Выручка, тыс. ₽" or "Margin (%)". A head with several units says nothing.
func columnOf(head string) column {
	c := column{head: head, scale: one}
	for i := 0; i < len(head); i++ {
		if i > 0 && head[i-1] != ' ' && head[i-1] != '(' {
			continue
		}
		t := tail{text: head, at: i, readings: []reading{{one, one}}}
		t.read()
		switch {
		case t.is != money && t.is != percent:
		case c.is != bare && c.is != t.is:
			return column{head: head, scale: one}
		case c.is == bare:
			c.is, c.currency, c.scale = t.is, t.currency, t.readings[0].value
		}
	}
	return c
}

// over reads a bare figure of the column.
func (c column) over(f figure) figure {
	if f.is != bare || c.is == bare {
		return f
	}
	f.is, f.currency = c.is, c.currency
	for i := range f.readings {
		f.readings[i] = f.readings[i].scaled(c.scale)
	}
	return f
}
