package tools

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/check"
)

type pickyArguments struct {
	Period
	Group string `json:"group,omitempty" jsonschema:"enum=product,enum=channel,default=product"`
	Lines []struct {
		Product string `json:"product" jsonschema:"minLength=1"`
		Units   int    `json:"units" jsonschema:"minimum=1"`
	} `json:"lines,omitempty"`
	RowLimit
}

func TestArgumentOfAToolWithoutArgumentsIsRefused(t *testing.T) {
	err := newArgumentCheck("plain", reflectSchema[struct{}]()).decode(json.RawMessage(`{"limit": 5}`), &struct{}{})
	var wrong *check.InvalidError
	if !errors.As(err, &wrong) || len(wrong.Problems) != 1 {
		t.Fatalf("%v", err)
	}
	p := wrong.Problems[0]
	if p.Error() != "limit is not known; there are no arguments here" || p.In("ru") != "такого нет, аргументов здесь нет" {
		t.Errorf("%q, %q", p.Error(), p.In("ru"))
	}
}

// Each problem must name the field and the value.
func TestAllArgumentProblemsAreReported(t *testing.T) {
	for arguments, want := range map[string][]string{
		`{"from": "2026-10-01", "to": "2026-10-31"}`:                nil,
		`{"from": "2026-10-01", "to": "2026-10-31", "limit": null}`: nil,
		`{"from": "2026-10-01", "to": "2026-10-31", "limit": 50.0}`: nil,
		`{"from": "2026-10-01", "to": "2026-10-31", "limit": 5e1}`:  nil,
		`{"limit": 0, "group": "week", "form": 1}`: {"form is not known; there are from, group, limit, lines, to",
			"from is required", `group must be one of product, channel, got "week"`, "limit must be 1 to 1000, got 0", "to is required"},
		`{"from": 5, "to": null, "limit": "50"}`: {"from must be a string, got 5",
			`limit must be a whole number, got "50"`, "to must be a string, got null"},
		`{"from": "a", "to": "b", "lines": [{"product": "", "units": 0}, 7]}`: {`lines.0.product must not be empty, got ""`,
			"lines.0.units must be at least 1, got 0", "lines.1 must be an object, got 7"},
		`[1]`:   {"arguments must be an object, got [1]"},
		`{"a":`: {"arguments must be JSON: unexpected EOF"},
		``:      {"from is required", "to is required"},
		`{"from": "2026-10-01", "to": "2026-10-31", "limit": 1e9}`: {"limit must be 1 to 1000, got 1e9"},
	} {
		var into pickyArguments
		err := newArgumentCheck("picky", reflectSchema[pickyArguments]()).decode(json.RawMessage(arguments), &into)
		var wrong *check.InvalidError
		if want == nil {
			if err != nil || into.Limit != 50 || into.Group != "product" {
				t.Errorf("%s: %v, defaults %+v", arguments, err, into)
			}
			continue
		}
		if !errors.As(err, &wrong) {
			t.Errorf("%s: %v", arguments, err)
			continue
		}
		var got []string
		for _, p := range wrong.Problems {
			got = append(got, p.Error())
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", arguments, strings.Join(got, " | "), strings.Join(want, " | "))
		}
	}
}

// An error must repeat only the beginning of a long value.
func TestArgumentErrorsAreShort(t *testing.T) {
	tooLong := json.RawMessage(`{"from": 1, "to": "x", "group": "` + strings.Repeat("я", 100_000) + `"}`)
	err := newArgumentCheck("picky", reflectSchema[pickyArguments]()).decode(tooLong, new(pickyArguments))
	if err == nil || len(err.Error()) > 1000 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
}

func TestPeriodProblemsNameTheDate(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"2026-10-31", "2026-10-01", `from must not be after to, the last day of the period, got "2026-10-31"`},
		{"2027-01-01", "2027-01-31", `from must not be in the future (today is 2026-11-21 in Moscow), got "2027-01-01"`},
		{"октябрь", "31.10.2026", `from must be a date such as 2026-10-31, got "октябрь"; to must be a date such as 2026-10-31, got "31.10.2026"`},
		{"1812-09-07", "2026-10-01", `from must be 2000-01-01 or later, got "1812-09-07"`},
		{"2026-02-30", "2026-03-01", `from must be a date such as 2026-10-31, got "2026-02-30"`},
	} {
		if _, _, err := (Period{c.from, c.to}).Within(noon); err == nil || err.Error() != c.want {
			t.Errorf("%s to %s: %v, want %s", c.from, c.to, err, c.want)
		}
	}
}

// If a period ends in the future, it ends today instead. RFC 3339 times are used unchanged.
func TestPeriodWithinEndsToday(t *testing.T) {
	from, to, err := Period{"2026-11-01", "2026-11-30"}.Within(noon)
	if err != nil || !from.Equal(date(2026, 11, 1)) || !to.Equal(date(2026, 11, 22).Add(-time.Second)) {
		t.Errorf("%v to %v: %v", from, to, err)
	}
	from, to, err = Period{"2026-10-01T00:00:00Z", "2026-10-01T12:30:00+03:00"}.Within(noon)
	if err != nil || !from.Equal(time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)) || !to.Equal(time.Date(2026, 10, 1, 9, 30, 0, 0, time.UTC)) {
		t.Errorf("%v to %v: %v", from, to, err)
	}
}

// A pointer field in a result must be nullable in the schema, even inside lists and embedded structs.
func TestUnknownIsNullInTheSchema(t *testing.T) {
	type inner struct {
		Sum *Money `json:"sum"`
	}
	type outer struct {
		inner
		Rows []inner `json:"rows"`
	}
	tool := Define("t", Read, "", func(context.Context, *Run, struct{}) (outer, error) { return outer{}, nil })
	for _, value := range []outer{{Rows: []inner{{}}}, {inner{&Money{}}, []inner{{&Money{}}}}} {
		checkSchema(t, tool, value)
	}
}

func date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, Moscow)
}
