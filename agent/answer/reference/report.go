package reference

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/tools"
)

// Report is one complete result of a tool.
type Report struct {
	Name   string // such as "R1"
	Tool   string
	Result *tools.Result

	arguments    json.RawMessage
	lang         string
	top          *tools.Field
	value        reflect.Value
	figures      []figure // by size, sorted on first use
	distinctions map[*tools.Field]map[int]string
	days         *[2]time.Time             // the period, computed on first use
	rankings     map[*tools.Field]*ranking // figures of rows, sorted on first use
}

// cut reports whether the report has more rows than it lists.
func (r *Report) cut() bool {
	return slices.ContainsFunc(r.Result.Notes, func(n tools.Note) bool { return n.Code == tools.Truncated })
}

// total returns the number of all rows of the report.
func (r *Report) total() int { return int(r.top.Field("total_rows").In(r.value).Int()) }

// path returns the path of a field in expressions.
func (r *Report) path(f *tools.Field) string {
	if f.Path == "" {
		return r.Name
	}
	return r.Name + "." + f.Path
}

// Field returns the field at a path.
func (r *Report) Field(path string) *tools.Field {
	f := r.top
	for name := range strings.SplitSeq(path, ".") {
		if f = f.Field(name); f == nil {
			return nil
		}
	}
	return f
}

// Fields returns the root field, which contains all fields of the report.
func (r *Report) Fields() *tools.Field { return r.top }

// Each calls do for every text, day and boolean in the report, including each member of a list.
func (r *Report) Each(do func(Value)) {
	r.whole().each(func(in *object, f *tools.Field, _ reflect.Value) {
		if IsNumber(f.Kind) || f.Kind == tools.KindID {
			return
		}
		v := in.read(f)
		if !f.List {
			v.items = []Value{v}
		}
		for _, item := range v.items {
			do(item)
		}
	})
}

// listOf returns the list at the beginning of a field's path; nil if it begins with something else.
func (r *Report) listOf(path string) *tools.Field {
	first, _, _ := strings.Cut(path, ".")
	if f := r.top.Field(first); f != nil && f.List && f.Kind == tools.KindObject {
		return f
	}
	return nil
}

// rowsOf returns all rows that have the field with a path. Rows inside others are those of all of them.
func (r *Report) rowsOf(path string) []*object {
	list := r.listOf(path)
	if list == nil {
		return nil
	}
	rows := r.whole().read(list).rows.rows
	for _, name := range strings.Split(path, ".")[1:] {
		f := list.Field(name)
		if f == nil || !f.List || f.Kind != tools.KindObject {
			break
		}
		var inside []*object
		for _, row := range rows {
			inside = append(inside, row.read(f).rows.rows...)
		}
		list, rows = f, inside
	}
	return rows
}

// Asked reports whether the report was asked for with these arguments, in JSON.
func (r *Report) Asked(arguments string) bool {
	var own, other map[string]any
	if json.Unmarshal(r.arguments, &own) != nil || json.Unmarshal([]byte(arguments), &other) != nil {
		return false
	}
	return reflect.DeepEqual(own, other)
}

// argumentsLine returns the report's arguments as the model wrote them, in one line.
func (r *Report) argumentsLine() string {
	var line bytes.Buffer
	if len(r.given()) == 0 || json.Compact(&line, r.arguments) != nil {
		return ""
	}
	return line.String()
}

func (r *Report) whole() *object { return &object{report: r, field: r.top, value: r.value} }

// given returns the arguments by name. Arguments in another form set nothing.
func (r *Report) given() (arguments map[string]json.RawMessage) {
	_ = json.Unmarshal(r.arguments, &arguments)
	return arguments
}

// argument returns an argument that is a text; "" if there is none.
func (r *Report) argument(name string) (text string) {
	_ = json.Unmarshal(r.given()[name], &text) // other arguments are no texts
	return text
}

// IsMadeWith reports whether a report was asked for with a number, such as a lead time, or a draft with the price of a line.
func (r *Report) IsMadeWith(number literal.Literal) bool {
	arguments := json.NewDecoder(bytes.NewReader(r.arguments))
	arguments.UseNumber()
	for {
		token, err := arguments.Token()
		if err != nil {
			return false
		}
		if n, is := token.(json.Number); is {
			d, err := decimal.NewFromString(n.String())
			if err == nil && slices.ContainsFunc(number.Readings, func(is literal.Reading) bool { return is.Equals(d) }) {
				return true
			}
		}
	}
}

// Day returns the time for which a report's figures hold: the field as_of if it has one, otherwise the time of its
// data.
func (r *Report) Day() time.Time {
	at := r.Result.AsOf
	if f := r.top.Field("as_of"); f != nil {
		if own := r.whole().read(f); IsTime(own.Kind) && !own.Null {
			at = own.at
		}
	}
	return at.In(tools.Moscow)
}

// Period returns the first and the last day that the report covers. The report's own days have priority over the
// requested ones, because the report may end earlier.
func (r *Report) Period() (first, last time.Time, known bool) {
	if r.days == nil {
		first, knownFirst := ParseTime(r.ownOr("from"))
		last, knownLast := ParseTime(r.ownOr("to"))
		if r.days = new([2]time.Time); knownFirst && knownLast {
			*r.days = [2]time.Time{first, last}
		}
	}
	return r.days[0], r.days[1], !r.days[1].IsZero()
}

// ownOr returns the text of a report's field, or else of its argument of that name.
func (r *Report) ownOr(name string) string {
	if field := r.top.Field(name); field != nil {
		if v := field.In(r.value); v.IsValid() && v.String() != "" {
			return v.String()
		}
	}
	return r.argument(name)
}
