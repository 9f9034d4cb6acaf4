package reference

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// Sources returns the last line of an answer: the names of its reports, and the time of the oldest data. told is the
// time that the answer has mentioned already, or zero. The line has no time if the data are not older than told.
//
//	Источники: маржа за 24.10–22.11.2026; остатки, склад «Шоурум». Данные на 22 ноября, 22:55 МСК.
func Sources(lang string, reports []*Report, told time.Time) string {
	if len(reports) == 0 {
		return render.SourceHead.In(lang) + ": " + bilingual.Text{RU: "нет", EN: "none"}.In(lang) + "."
	}
	oldest := slices.MinFunc(reports, func(a, b *Report) int { return a.Result.AsOf.Compare(b.Result.AsOf) }).Result.AsOf
	line := render.SourceHead.In(lang) + ": " + strings.TrimSuffix(Names(lang, reports, reports), ".") + "."
	if !told.IsZero() && !oldest.Before(told) {
		return line
	}
	asOf := Value{Kind: tools.KindMoment, at: oldest.In(tools.Moscow), year: oldest.In(tools.Moscow).Year()}.Write(lang)
	return line + bilingual.Text{RU: " Данные на ", EN: " Data as of "}.In(lang) + asOf + " " + bilingual.Moscow.In(lang) + "."
}

// Names returns the names of reports for people, with what tells them apart from others.
func Names(lang string, reports, others []*Report) string {
	var names []string
	for _, r := range reports {
		isOther := func(other *Report) bool {
			return other.Source(lang) == r.Source(lang) && other.settings(lang) != r.settings(lang)
		}
		name := r.Source(lang)
		if slices.ContainsFunc(others, isOther) {
			name = strings.TrimSuffix(name, r.limits(lang)) + r.settings(lang) + r.limits(lang)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, "; ")
}

// Source returns the report's name for people, with its period and its limits, such as a warehouse.
func (r *Report) Source(lang string) string {
	return bilingual.Small(tools.ToolLabel(r.Tool).In(lang)) + r.period(lang) + r.limits(lang)
}

// Scope returns what a report covers: its period, or its day if it has none, its settings, and its limits such as a
// warehouse, or that it is of all warehouses or channels. The text begins with a space.
func (r *Report) Scope(lang string) string {
	return r.when(lang) + r.settings(lang) + r.limits(lang) + r.found(lang) + r.everywhere(lang)
}

// found says what a search has found, by the first words of the names, if it has found different things: " (чайник 39, чай 23)".
func (r *Report) found(lang string) string {
	const most = 3
	f := r.Field("rows.name")
	if r.argument("query") == "" || f == nil {
		return ""
	}
	numbers, others := map[string]int{}, 0
	for _, row := range r.whole().read(r.top.Field("rows")).rows.rows {
		if words := strings.FieldsFunc(strings.ToLower(row.read(f).text), func(r rune) bool { return !unicode.IsLetter(r) }); len(words) > 0 {
			numbers[words[0]]++
		}
	}
	kinds := slices.SortedFunc(maps.Keys(numbers), func(a, b string) int { return cmp.Or(numbers[b]-numbers[a], strings.Compare(a, b)) })
	if len(kinds) < 2 {
		return ""
	}
	for i, kind := range kinds {
		kinds[i] = kind + " " + counted(numbers[kind]).Write(lang)
		if i >= most {
			others += numbers[kind]
		}
	}
	if others > 0 {
		kinds = append(kinds[:most], bilingual.Text{RU: "другое ", EN: "other "}.In(lang)+counted(others).Write(lang))
	}
	return " (" + strings.Join(kinds, ", ") + ")"
}

// when returns a report's period, or its day if it has none.
func (r *Report) when(lang string) string {
	if period := r.period(lang); period != "" {
		return period
	}
	day := Value{Kind: tools.KindDay, at: r.Day(), year: r.Result.AsOf.In(tools.Moscow).Year()}
	return bilingual.Text{RU: " на ", EN: " as of "}.In(lang) + day.Write(lang)
}

// everywhere says that a report's rows are about all warehouses or all channels together, if it can tell them apart.
func (r *Report) everywhere(lang string) string {
	tool, _ := tools.Find(r.Tool)
	byWarehouse := func(f tools.Field) bool { return f.List && f.Field("warehouse") != nil }
	switch {
	case tool.Takes("warehouse") && r.argument("warehouse") == "" && !slices.ContainsFunc(r.top.Fields, byWarehouse):
		return bilingual.Text{RU: ", все склады", EN: ", all warehouses"}.In(lang)
	case tool.Takes("group_by") && r.argument("group_by") != "channel", tool.Takes("channel") && r.argument("channel") == "":
		return bilingual.Text{RU: ", все каналы", EN: ", all channels"}.In(lang)
	}
	return ""
}

// settings returns what limits the rows of a report besides their place: its windows and limits of days, which a report also has if
// nobody asked for them, and the other settings that were asked for.
func (r *Report) settings(lang string) (text string) {
	asked := r.given()
	for i := range r.top.Fields {
		f := &r.top.Fields[i]
		isAsked := slices.ContainsFunc(slices.Collect(maps.Keys(asked)), func(name string) bool { return strings.HasPrefix(f.Name, name) })
		if v := r.whole().read(f); isSetting[f.Kind] && v.number != nil && (isAsked || f.Kind == tools.KindDays && v.number.Sign() > 0) {
			text += ", " + bilingual.Small(f.Label.In(lang)) + " " + v.Write(lang)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(asked)) { // what is set for all rows has no field outside them
		f := r.Field("rows." + name)
		if d, err := decimal.NewFromString(string(asked[name])); err == nil && f != nil && isSetting[f.Kind] {
			text += ", " + bilingual.Small(f.Label.In(lang)) + " " + exact(f.Kind, d).Write(lang)
		}
	}
	return text
}

// isSetting has the kinds of the report's own fields that are settings: windows, limits and shares.
var isSetting = map[Kind]bool{tools.KindDays: true, tools.KindMonths: true, tools.KindPercent: true}

func (r *Report) period(lang string) string {
	from, to, known := r.Period()
	if !known {
		return ""
	}
	return bilingual.Text{RU: " за ", EN: " for "}.In(lang) + Days(lang, from, to)
}

// limits returns what limits a report: a warehouse, a sales channel, words of a search.
func (r *Report) limits(lang string) (name string) {
	for _, part := range []struct {
		label bilingual.Text
		value string
	}{
		{bilingual.Text{RU: ", склад ", EN: ", warehouse "}, r.argument("warehouse")},
		{bilingual.Text{RU: ", канал ", EN: ", channel "}, r.argument("channel")},
		{bilingual.Text{RU: ", ", EN: ", "}, r.argument("query")},
	} {
		if _, err := uuid.Parse(part.value); part.value != "" && err != nil {
			label := part.label.In(lang)
			if strings.HasPrefix(strings.ToLower(part.value), "склад ") { // the name already says that it is a warehouse
				label = ", "
			}
			name += label + Value{Kind: tools.KindText, text: part.value}.Write(lang)
		}
	}
	return name
}

// Days returns a period as text: 24.10–22.11.2026, or 24 Oct – 22 Nov 2026.
func Days(lang string, from, to time.Time) string {
	day, withYear, dash := "02.01", "02.01.2006", "–"
	if lang != "ru" {
		day, withYear, dash = "2 Jan", "2 Jan 2006", " – "
	}
	switch {
	case from.Format(withYear) == to.Format(withYear):
		return to.Format(withYear)
	case from.Year() == to.Year():
		return from.Format(day) + dash + to.Format(withYear)
	}
	return from.Format(withYear) + dash + to.Format(withYear)
}
