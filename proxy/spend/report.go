package spend

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
)

// The ways to group spend.
const (
	ByDay          = "day"
	ByKey          = "key"
	ByModel        = "model"
	ByOrganization = "organization"
)

// columns are what groups are by, as SQL.
var columns = map[string]string{
	ByDay:          "hour / 86400000000 * 86400000000",
	ByOrganization: "organization_id",
	ByKey:          "key_id",
	ByModel:        "model",
}

// Line is what was spent in one group. What it is not grouped by is empty.
type Line struct {
	Day            string            `json:"day,omitempty"` // in UTC
	OrganizationID string            `json:"organization_id,omitempty"`
	KeyID          string            `json:"key_id,omitempty"`
	Model          string            `json:"model,omitempty"`
	Money          map[string]string `json:"money"` // by currency, of the requests of which the cost is known
	Counts
}

// mostLines bounds a report.
const mostLines = 10_000

// group names a line.
type group struct {
	day                      int64
	organization, key, model string
}

// Report sums up what an organization, or all if organizationID is empty, has spent from one moment until another, by the day,
// organization, key or model, or several of them, the latest day first.
func (l *Ledger) Report(ctx context.Context, organizationID string, from, until time.Time, by []string) ([]Line, error) {
	selected, grouped := grouping(by)
	where := " WHERE ($1 = '' OR organization_id = $1) AND hour >= $2 AND hour < $3" + grouped
	type row struct {
		group
		line Line
	}
	rows, err := database.Rows(ctx, l.db, func(r database.Row) (found row, err error) {
		err = r.Scan(found.line.targets(&found.day, &found.organization, &found.key, &found.model)...)
		return found, err
	}, selected+sums(CountNames()...)+
		" FROM model_usage"+where+" LIMIT 10001", organizationID, from.UnixMicro(), until.UnixMicro())
	if err != nil {
		return nil, fmt.Errorf("sum up the spend: %w", err)
	}
	if len(rows) > mostLines {
		return nil, &keys.InvalidError{
			Fields: []keys.FieldProblem{{Field: "group_by", Problem: fmt.Sprintf("must give at most %d lines", mostLines)}},
		}
	}
	costs, err := l.costs(ctx, selected, where, organizationID, from, until)
	if err != nil {
		return nil, fmt.Errorf("sum up the spend: %w", err)
	}
	lines := make([]Line, len(rows))
	for i, r := range rows {
		r.line.OrganizationID, r.line.KeyID, r.line.Model, r.line.Money = r.organization, r.key, r.model, map[string]string{}
		if slices.Contains(by, ByDay) {
			r.line.Day = database.Moment(r.day).Format(time.DateOnly)
		}
		for currency, cost := range costs[r.group] {
			r.line.Money[currency] = cost.Decimal().String()
		}
		lines[i] = r.line
	}
	slices.SortFunc(lines, func(a, b Line) int {
		return cmp.Or(strings.Compare(b.Day, a.Day), strings.Compare(a.OrganizationID, b.OrganizationID),
			strings.Compare(a.KeyID, b.KeyID), strings.Compare(a.Model, b.Model))
	})
	return lines, nil
}

func (l *Ledger) costs(
	ctx context.Context, selected, where, organizationID string, from, until time.Time,
) (map[group]map[string]Sum, error) {
	type row struct {
		group
		currency string
		cost     Sum
	}
	rows, err := database.Rows(ctx, l.db, func(r database.Row) (found row, err error) {
		err = r.Scan(&found.day, &found.organization, &found.key, &found.model, &found.cost.Units, &found.cost.Parts, &found.currency)
		return found, err
	}, selected+sums("units", "parts")+", currency FROM model_costs"+where+", currency", organizationID, from.UnixMicro(), until.UnixMicro())
	if err != nil {
		return nil, err
	}
	costs := map[group]map[string]Sum{}
	for _, r := range rows {
		if costs[r.group] == nil {
			costs[r.group] = map[string]Sum{}
		}
		costs[r.group][r.currency] = Sum{r.cost.Units + r.cost.Parts/partsOfUnit, r.cost.Parts % partsOfUnit}
	}
	return costs, nil
}

// grouping is the beginning of a query and its end: the day, organization, key and model, each 0 or empty if lines are not by it.
func grouping(by []string) (selected, grouped string) {
	chosen := []string{"0", "''", "''", "''"}
	var terms []string
	for i, name := range []string{ByDay, ByOrganization, ByKey, ByModel} {
		if slices.Contains(by, name) {
			chosen[i] = columns[name]
			terms = append(terms, columns[name])
		}
	}
	return "SELECT " + strings.Join(chosen, ", "), " GROUP BY " + strings.Join(terms, ", ")
}

func sums(columns ...string) string {
	var text strings.Builder
	for _, c := range columns {
		fmt.Fprintf(&text, ", CAST(sum(%s) AS BIGINT)", c)
	}
	return text.String()
}
