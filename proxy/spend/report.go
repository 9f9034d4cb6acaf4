package spend

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
)

// What a report can be grouped by.
const (
	ByDay          = "day"
	ByKey          = "key"
	ByModel        = "model"
	ByOrganization = "organization"
)

// groupColumns maps each grouping to its SQL expression.
var groupColumns = map[string]string{
	ByDay:          "hour / 86400000000 * 86400000000",
	ByOrganization: "organization_id",
	ByKey:          "key_id",
	ByModel:        "model",
}

// ReportLine is the spend of one group. Fields that the report is not grouped by are empty.
type ReportLine struct {
	Day            string            `json:"day,omitempty"` // in UTC
	OrganizationID string            `json:"organization_id,omitempty"`
	KeyID          string            `json:"key_id,omitempty"`
	Model          string            `json:"model,omitempty"`
	Money          map[string]string `json:"money"` // by currency; only requests whose cost is known
	Counts
}

// maxLines limits a report.
const maxLines = 10_000

// groupKey identifies a line.
type groupKey struct {
	day                      int64
	organization, key, model string
}

var manyLines = check.NewWording("must give at most %s lines", "строк получилось бы больше %s: выберите меньше дней или другую группировку")

// Report returns the spend of an organization, or of all if organizationID is empty, in the hours from `from` until before
// `until`. Lines are grouped by one or more of day, organization, key and model. The latest day comes first.
func (s *Store) Report(ctx context.Context, organizationID string, from, until time.Time, by []string) ([]ReportLine, error) {
	selected, grouped := groupingSQL(by)
	where := " WHERE ($1 = '' OR organization_id = $1) AND hour >= $2 AND hour < $3" + grouped
	type row struct {
		groupKey
		line ReportLine
	}
	rows, err := database.Rows(ctx, s.db, func(r database.Row) (found row, err error) {
		err = r.Scan(found.line.scanTargets(&found.day, &found.organization, &found.key, &found.model)...)
		return found, err
	}, selected+sumSQL(CountNames()...)+" FROM model_usage"+where+" LIMIT $4", organizationID, from.UnixMicro(), until.UnixMicro(), maxLines+1)
	if err != nil {
		return nil, fmt.Errorf("sum up the spend: %w", err)
	}
	if len(rows) > maxLines {
		return nil, check.Invalid(manyLines.At("group_by", maxLines))
	}
	costs, err := s.costs(ctx, selected, where, organizationID, from, until)
	if err != nil {
		return nil, fmt.Errorf("sum up the spend: %w", err)
	}
	lines := make([]ReportLine, len(rows))
	for i, r := range rows {
		r.line.OrganizationID, r.line.KeyID, r.line.Model, r.line.Money = r.organization, r.key, r.model, map[string]string{}
		if slices.Contains(by, ByDay) {
			r.line.Day = database.Moment(r.day).Format(time.DateOnly)
		}
		for currency, cost := range costs[r.groupKey] {
			r.line.Money[currency] = cost.Decimal().String()
		}
		lines[i] = r.line
	}
	slices.SortFunc(lines, func(a, b ReportLine) int {
		return cmp.Or(strings.Compare(b.Day, a.Day), strings.Compare(a.OrganizationID, b.OrganizationID),
			strings.Compare(a.KeyID, b.KeyID), strings.Compare(a.Model, b.Model))
	})
	return lines, nil
}

func (s *Store) costs(
	ctx context.Context, selected, where, organizationID string, from, until time.Time,
) (map[groupKey]map[string]Sum, error) {
	type row struct {
		groupKey
		currency string
		cost     Sum
	}
	rows, err := database.Rows(ctx, s.db, func(r database.Row) (found row, err error) {
		err = r.Scan(&found.day, &found.organization, &found.key, &found.model, &found.cost.Units, &found.cost.Parts, &found.currency)
		return found, err
	}, selected+sumSQL("units", "parts")+", currency FROM model_costs"+where+", currency", organizationID, from.UnixMicro(), until.UnixMicro())
	if err != nil {
		return nil, err
	}
	costs := map[groupKey]map[string]Sum{}
	for _, r := range rows {
		if costs[r.groupKey] == nil {
			costs[r.groupKey] = map[string]Sum{}
		}
		costs[r.groupKey][r.currency] = Sum{r.cost.Units + r.cost.Parts/partsOfUnit, r.cost.Parts % partsOfUnit}
	}
	return costs, nil
}

// groupingSQL returns the beginning and the end of a query that selects day, organization, key and model. Columns that the
// report is not grouped by are 0 or empty.
func groupingSQL(by []string) (selected, grouped string) {
	chosen := []string{"0", "''", "''", "''"}
	var terms []string
	for i, name := range []string{ByDay, ByOrganization, ByKey, ByModel} {
		if slices.Contains(by, name) {
			chosen[i] = groupColumns[name]
			terms = append(terms, groupColumns[name])
		}
	}
	return "SELECT " + strings.Join(chosen, ", "), " GROUP BY " + strings.Join(terms, ", ")
}

func sumSQL(columns ...string) string {
	var text strings.Builder
	for _, c := range columns {
		fmt.Fprintf(&text, ", CAST(sum(%s) AS BIGINT)", c)
	}
	return text.String()
}
