package proxy

import (
	"bytes"
	"context"
	"encoding/csv"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/proxy/spend"
	"github.com/kopeck/kopeck/schemas/check"
)

const (
	defaultDays = 30
	maxDays     = 400
)

// listSpend returns the spend of the organization.
func (s *Server) listSpend(ctx context.Context, r *request) (httpResponse, error) {
	return s.spendReport(ctx, r, r.caller.OrganizationID, spend.ByDay, spend.ByKey, spend.ByModel)
}

// listSpendOfAll returns the spend of all organizations.
func (s *Server) listSpendOfAll(ctx context.Context, r *request) (httpResponse, error) {
	return s.spendReport(ctx, r, "", spend.ByDay, spend.ByOrganization, spend.ByKey, spend.ByModel)
}

var wrongDays = check.NewWording("must be at most %s days before to, and not after it, got %s",
	"первый день должен быть не позже последнего и не более чем за %s дней до него, указано %s")

// spendReport returns the spend of an organization, or of all organizations if organizationID is empty. The query
// parameters from and to are days in UTC. The last day is included.
func (s *Server) spendReport(ctx context.Context, r *request, organizationID string, groups ...string) (httpResponse, error) {
	today := s.cfg.Now().UTC().Truncate(24 * time.Hour)
	to, err := r.day("to", today)
	if err != nil {
		return httpResponse{}, err
	}
	from, err := r.day("from", to.AddDate(0, 0, 1-defaultDays))
	if err != nil {
		return httpResponse{}, err
	}
	if days := to.Sub(from).Hours()/24 + 1; days < 1 || days > maxDays {
		return httpResponse{}, check.Invalid(wrongDays.At("from", maxDays, from.Format(time.DateOnly)))
	}
	by := []string{spend.ByDay}
	if text := r.query("group_by"); text != "" {
		by = strings.Split(text, ",")
	}
	for _, name := range by {
		if !slices.Contains(groups, name) {
			return httpResponse{}, problem.InvalidField("group_by", "must be a list of %s, got %q", strings.Join(groups, ", "), name)
		}
	}
	format := r.query("format")
	if format != "" && format != "json" && format != "csv" {
		return httpResponse{}, problem.InvalidField("format", "must be json or csv, got %q", format)
	}
	lines, err := s.cfg.Spend.Report(ctx, organizationID, from, to.AddDate(0, 0, 1), by)
	if err != nil {
		return httpResponse{}, err
	}
	if format == "csv" {
		return spendCSV(lines)
	}
	return pageOf(r, lines)
}

// day returns a query parameter that is a day in UTC; fallback if it is absent.
func (r *request) day(name string, fallback time.Time) (time.Time, error) {
	text := r.query(name)
	if text == "" {
		return fallback, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, problem.InvalidField(name, "must be a day such as 2026-11-23, got %q", text)
	}
	return day, nil
}

// spendCSV returns the lines as CSV, with one row per currency.
func spendCSV(lines []spend.ReportLine) (httpResponse, error) {
	var text bytes.Buffer
	file := csv.NewWriter(&text)
	head := append([]string{"day", "organization_id", "key_id", "model"}, spend.CountNames()...)
	_ = file.Write(append(head, "money", "currency")) // writes to a buffer cannot fail
	for _, l := range lines {
		row := []string{l.Day, l.OrganizationID, l.KeyID, l.Model}
		for _, n := range l.All() {
			row = append(row, strconv.FormatInt(*n, 10))
		}
		if len(l.Money) == 0 {
			_ = file.Write(append(row, "", ""))
		}
		for i, currency := range slices.Sorted(maps.Keys(l.Money)) {
			if i > 0 { // only in the first row, since they belong to the whole line
				clear(row[4:])
			}
			_ = file.Write(append(slices.Clone(row), l.Money[currency], currency))
		}
	}
	file.Flush()
	return httpResponse{status: http.StatusOK, contentType: "text/csv; charset=utf-8", raw: text.Bytes(),
		header: map[string]string{"Content-Disposition": `attachment; filename="spend.csv"`}}, file.Error()
}
