package reference

import (
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// Basis is what the value of an expression is computed from.
type Basis struct {
	Origins  []Origin
	Own      []decimal.Decimal // the expression's own numbers from which it is computed; see [Book.AllowNumbers]
	Numerals []decimal.Decimal // all numbers in the expression and its columns, such as thresholds and rates, except those of rows
	Words    []string          // the expression's own words that the answer shows: headings of computed columns, texts that no row has

	Chosen  []Origin // rows of lists over which functions compute, where Origins has no row: Report, Field and Row of each
	LeftOut []Origin // rows that the conditions for Chosen left out only because they compare a value with null
	Passed  []PassedOver
	Missed  []string // texts in its conditions that no row has
	unmet   *Error   // the error for the first of them, for callers that do not show them
}

// Origin is a field of a report from which a value is computed.
type Origin struct {
	Report, Tool, Field string
	Row                 int // number of the row, as printed; 0 if there is none or there are several
	RowName, RowCode    string
	RowDistinction      string // what distinguishes the row from others of its name, such as a warehouse; "" if there are none
	RowOwner            string // owner of a row that is identified by a number, such as an order
	RowFixed            bool   // the row is one of a fixed set, such as the results of a reconciliation
	Part                bool   // the value covers only a part of the rows
	AsOf                time.Time
}

// List returns the name of the list that has the row.
func (o Origin) List() string {
	list, _, _ := strings.Cut(o.Field, ".")
	return list
}

// Month returns the month that is the row's name, if it is one.
func (o Origin) Month() (month time.Month, is bool) {
	at, err := time.Parse("2006-01", o.RowName)
	return at.Month(), err == nil
}

// Named returns the row's name for people, such as "октябрь 2026" for a month.
func (o Origin) Named(lang string) string {
	if at, err := time.ParseInLocation("2006-01", o.RowName, tools.Moscow); err == nil {
		return Value{Kind: tools.KindMonth, at: at}.time(lang)
	}
	return o.RowName
}

// IsCurrency reports whether a row's name is the code of a currency. Such a row is not named, because its amounts
// show the currency.
func IsCurrency(name string) bool {
	return len(name) == 3 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// Row returns the row from which a value is computed. A value of several rows or of a whole report belongs to none.
func (v Value) Row() (row Origin, is bool) {
	for _, o := range v.Origins {
		switch {
		case o.Row == 0 && v.field == nil, is && (o.Row > 0 && o.RowName != "") && (o.RowName != row.RowName || o.RowDistinction != row.RowDistinction):
			return Origin{}, false
		case o.Row > 0 && o.RowName != "":
			row, is = o, true
		}
	}
	return row, is
}

func (o *object) origin(f *tools.Field) Origin {
	origin := Origin{Report: o.report.Name, Tool: o.report.Tool, Field: f.Path, Row: o.row, AsOf: o.report.Result.AsOf}
	list, _, _ := strings.Cut(f.Path, ".")
	origin.Part = (o.row > 0 || o.selected) && list == "rows" // rows of other lists, such as warehouses, are sums of whole parts
	if o.row > 0 {
		row := o.ownRow()
		origin.RowName, origin.RowCode = row.called()
		origin.RowDistinction = row.report.apart(row.field)[row.row]
		origin.RowOwner = row.owner(origin.RowName)
		origin.RowFixed = row.isFixed()
	}
	return origin
}

// rests adds an origin of the value, unless it is known already.
func (e *evaluation) rests(o Origin) {
	if !slices.Contains(e.Origins, o) {
		e.Origins = append(e.Origins, o)
	}
}

// restsOnRows records that the value depends on which rows a list has.
func (e *evaluation) restsOnRows(s *selection) {
	e.rests((&object{report: s.report, field: s.report.top, selected: s.chosen}).origin(s.field))
}

// choose records the rows from which the value is computed, and those that their filter left out as unknown.
func (e *evaluation) choose(s *selection) {
	e.Chosen = appendRows(e.Chosen, s.rows)
	e.LeftOut = appendRows(e.LeftOut, s.unknown)
}

func appendRows(known []Origin, rows []*object) []Origin {
	for _, row := range rows {
		if row.cells == nil {
			known = append(known, Origin{Report: row.report.Name, Field: row.field.Path, Row: row.row})
		}
	}
	return known
}

// reportsOf returns the reports whose fields the expression has read.
func (e *evaluation) reportsOf() (reports []*Report) {
	for _, o := range e.Origins {
		if r, there := e.book.Report(o.Report); there && !slices.Contains(reports, r) {
			reports = append(reports, r)
		}
	}
	return reports
}
