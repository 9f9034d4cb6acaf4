package offline

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
)

// call is a report to read, or a draft to prepare.
type call struct {
	tool      string
	arguments map[string]any
}

func (c call) encoded() string {
	text, err := json.Marshal(c.arguments)
	if err != nil {
		panic(err) // texts and numbers
	}
	return string(text)
}

func jsonNumber(d decimal.Decimal) json.Number { return json.Number(d.String()) }

// calls returns the calls that a frame needs: one, or those of the frames that it puts side by side. A draft that lacks something needs
// none.
func (c *catalog) calls(f *frame) (all []call) {
	switch sides := f.sides(); {
	case len(sides) > 0:
		for _, side := range sides {
			if side.draft == nil { // else it was prepared before
				all = added(all, c.calls(side)...)
			}
		}
	case c.movable(f) != nil:
		all = c.calls(c.movable(f))
	case f.view.draft != nil && c.missing(f) == nil:
		all = []call{{f.tool, f.draft.arguments(f.view.draft)}}
	case f.report != nil && c.byClass[f.Of] != nil:
		all = []call{c.read(f.heard, c.byClass[f.Of]).call(), f.call()}
	case f.report != nil && f.Of != "":
		whole := call{f.Of, map[string]any{}}
		place := c.byTool[f.Of].Slots.Warehouse
		if f.warehouse != "" && place != "" && (f.Of != f.tool || f.goods != nil) { // else the warehouse is the part
			whole.arguments[place] = f.warehouse
		}
		if f.view == c.stocked && f.goods != nil && f.goods.Query() != "" {
			whole.arguments["query"] = f.goods.Query()
		}
		all = []call{whole, f.call()}
	case f.report != nil:
		all = []call{f.call()}
	}
	return all
}

// added adds the calls that are not there yet.
func added(calls []call, more ...call) []call {
	for _, c := range more {
		if !slices.ContainsFunc(calls, c.same) {
			calls = append(calls, c)
		}
	}
	return calls
}

func (c call) same(other call) bool { return c.tool == other.tool && c.encoded() == other.encoded() }

// compared returns the earlier and the later period of a comparison. If the question names only one, the other is the period before it.
func (f *frame) compared() (earlier, later calendar.Period) {
	switch len(f.periods) {
	case 0, 1:
		later = f.period()
		if ends := later.Ends; len(ends) > 0 && ends[0].Unit != calendar.Day { // "from May to June"
			later.From, later.Unit = ends[1].From, ends[1].Unit
			return ends[0], later
		}
		current := calendar.Back(cmp.Or(later.Unit, calendar.Month), 0, f.heard.today)
		current.To = f.heard.today
		against := later.Unit != "" && f.heard.against(later) || len(f.periods) == 1 && f.heard.has(f.heard.Now)
		if against && later.To.Before(current.From) { // "sales against last month", "the summer and now"
			return later, current
		}
	default:
		earlier, later = f.periods[0], f.periods[1]
		if earlier.Same(later) {
			return later.Ago(calendar.Year), later // "октябрь по сравнению с прошлым октябрём"
		}
		if earlier.From.After(later.From) {
			earlier, later = later, earlier
		}
		year := earlier.Same(calendar.Back(calendar.Year, 1, f.heard.today)) && later.Unit != calendar.Year && f.heard.against(earlier)
		if year { // "октябрь по сравнению с прошлым годом"
			return later.Ago(calendar.Year), later
		}
		return earlier, later
	}
	return later.Before(), later
}

// against reports whether a message compares something with a period.
func (h *heard) against(p calendar.Period) bool {
	return slices.ContainsFunc(h.periods, func(own calendar.Period) bool {
		return own.From.Equal(p.From) && (h.after(h.Against, own.Tokens[0]) || own.Open && h.is(own.Tokens[0], h.Against))
	})
}

// call returns the call of the frame's report.
func (f *frame) call() call {
	s, args := f.report.Slots, map[string]any{}
	if len(s.Period) == 2 {
		p := f.period()
		args[s.Period[0]], args[s.Period[1]] = p.From.Format(time.DateOnly), p.To.Format(time.DateOnly)
	}
	if s.Warehouse != "" {
		args[s.Warehouse] = f.warehouse
	}
	for argument, value := range f.choices {
		if f.goods == nil || value != "channel" { // the rows must name the goods
			args[argument] = value
		}
	}
	if args["group_by"] == nil && f.report.Choices["group_by"]["variant"] != nil && f.goods.AreVariants() {
		args["group_by"] = "variant" // "how many black ones were sold?"
	}
	if f.channel != "" && s.Channel == "group" {
		args["group_by"] = "channel"
	} else if f.channel != "" && s.Channel != "price" {
		args[s.Channel] = f.channel
	}
	if f.goods != nil && s.Goods == "query" {
		args["query"] = f.goods.Query()
		if f.report.Sold {
			args["query"] = cmp.Or(f.goods.Query(), f.goods.Shared())
		} else if f.report.Tool == "search_products" {
			args["query"] = cmp.Or(f.goods.Query(), f.goods.Shared(), f.goods.Said)
		}
	}
	maps.Copy(args, f.Gives)
	maps.Copy(args, f.arguments)
	maps.DeleteFunc(args, func(_ string, value any) bool { return value == nil || value == "" })
	if len(f.Cell) == 2 {
		args["cell"] = f.Cell
	}
	if f.calculation != nil {
		args["expression"] = f.calculation.expression()
	}
	return call{f.tool, args}
}

// conditions returns the filters on the report's rows.
func (f *frame) conditions() []string {
	if f.report == nil {
		return nil
	}
	var all []string
	s := f.report.Slots
	if f.goods != nil && (s.Goods == "rows" || s.Goods == "query" && f.goods.Query() == "") {
		all = append(all, goodsCondition(f.goods))
	}
	if s.Channel == "group" && f.channel != "" {
		all = append(all, ".name == "+quoted(f.channel))
	}
	if len(f.places) > 0 && s.Places != "" {
		all = append(all, "."+s.Places+" in ["+listed(f.places)+"]")
	}
	for _, t := range f.thresholds {
		all = append(all, "."+t.field+" "+t.sign+" "+t.value.String())
	}
	if len(f.Cell) == 1 {
		all = append(all, ".abc == "+quoted(f.Cell))
	}
	if f.source != "" {
		all = append(all, "count(filter(."+f.report.Slots.Source+", .warehouse == "+quoted(f.source)+")) > 0")
	}
	if len(f.months) > 0 {
		all = append(all, "."+s.Month+" in ["+listed(f.months)+"]")
	}
	if f.Number != "" {
		all = append(all, ".number == "+quoted(f.Number))
	}
	return all
}

// longestNames limits the bytes of the names in one filter, since an expression has at most 4096.
const longestNames = 3000

// tooMany reports whether one filter cannot name all the goods of a frame.
func (f *frame) tooMany() bool {
	return f.goods != nil && f.goods.Query()+f.goods.Prefix() == "" && len(strings.Join(f.goods.Names, "")) > longestNames
}

func goodsCondition(goods *naming.Choice) string {
	switch {
	case goods.Prefix() != "":
		return ".name startsWith " + quoted(goods.Prefix())
	case goods.Query() != "" && len(strings.Join(goods.Names, "")) > longestNames:
		var each []string
		for _, word := range strings.Fields(goods.Query()) {
			each = append(each, ".name contains "+quoted(word))
		}
		return strings.Join(each, " and ")
	case len(goods.Names) == 0:
		return ".name == null"
	}
	return ".name in [" + listed(goods.Names) + "]"
}

func listed(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, quoted(name))
	}
	return strings.Join(all, ", ")
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
