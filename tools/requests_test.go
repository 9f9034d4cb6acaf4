package tools

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// knownParameters lists the paths that tools may read, with the parameters that the upstream documents for each. The
// upstream silently ignores other parameters. Other paths, such as the dashboard, return figures with a different
// meaning.
//
// Source: the tables of parameters in md/reports and md/_general.md.
var knownParameters = map[string]string{
	"/report/stock/all":             "filter groupBy includeRelated limit offset order",
	"/report/stock/bystore/current": "filter stockType include changedSince withRecalculate",
	"/report/byoperations/stock":    "filter limit offset",
	"/report/profit/byproduct":      "momentFrom momentTo filter limit offset",
	"/report/profit/byvariant":      "momentFrom momentTo filter limit offset",
	"/report/profit/bysaleschannel": "momentFrom momentTo filter limit offset",
	"/report/turnover/all":          "momentFrom momentTo groupBy filter limit offset",
	"/report/money/byaccount":       "",
	"/report/counterparty":          "filter search limit offset",
	"/entity/*":                     "filter search order expand fields limit offset",
	"/entity/*/metadata":            "",
	"/entity/organization/*":        "limit offset expand",
}

var (
	entityPath         = regexp.MustCompile(`^/entity/[a-z]+$`)
	metadataPath       = regexp.MustCompile(`^/entity/[a-z]+/metadata$`)
	bankAccountsPath   = regexp.MustCompile(`^/entity/organization/[0-9a-f-]{36}/accounts$`)
	comparison         = regexp.MustCompile(`^([A-Za-z.]+)(>=|<=|!=|=|>|<|~=|=~|~)`)
	requiredParameters = map[string][]string{
		"/report/profit/":      {"momentFrom", "momentTo"}, // if one is missing, the upstream substitutes a default
		"/report/turnover/all": {"momentFrom", "momentTo", "groupBy"},
	}
)

// Tools must not send requests that the upstream silently misunderstands: parameters that it ignores, expand or fields
// in a list with more than a hundred rows, a period with only one end, or the same condition twice, because only the
// first one counts.
func TestRequestsHaveNoParametersUpstreamIgnores(t *testing.T) {
	questions := []workerQuestion{
		{Tool: "search_products", Arguments: `{"query":"чайник"}`}, {Tool: "stock", Arguments: `{"query":"чайник"}`},
		{Tool: "reorder_points", Arguments: `{"query":"чайник"}`},
	}
	for _, q := range callCosts(t) {
		questions = append(questions, q.workerQuestion)
	}
	for name, config := range map[string]sandbox.Config{
		"usual":           {Seed: 1, Products: 60},
		"without reports": {Seed: 2, Products: 60, Role: sandbox.NoCost, Switches: sandbox.Switches{NoCRM: true}},
	} {
		t.Run(name, func(t *testing.T) {
			inShop(t, config, func(t *testing.T, s *shop) {
				for _, q := range questions {
					if _, err := s.call(q.Tool, cmp.Or(q.Arguments, "{}")); err != nil {
						t.Fatalf("%s: %v", q.Tool, err)
					}
				}
				for _, call := range s.Log() {
					checkCall(t, call)
				}
			})
		})
	}
}

func checkCall(t *testing.T, call sandbox.Call) {
	t.Helper()
	path := call.Path
	switch {
	case entityPath.MatchString(path):
		path = "/entity/*"
	case metadataPath.MatchString(path):
		path = "/entity/*/metadata"
	case bankAccountsPath.MatchString(path):
		path = "/entity/organization/*"
	}
	parameters, known := knownParameters[path]
	if !known {
		t.Errorf("%s: tools must not read this path", call.Path)
	}
	for name := range maps.Keys(call.Query) {
		if !slices.Contains(strings.Fields(parameters), name) {
			t.Errorf("%s: the upstream does not read %s", call.Path, name)
		}
	}
	for part, needs := range requiredParameters {
		for _, name := range needs {
			if strings.HasPrefix(call.Path, part) && !call.Query.Has(name) {
				t.Errorf("%s: requested without %s", call.Path, name)
			}
		}
	}
	limited := slices.Contains([]string{"100", "50"}, call.Query.Get("limit"))
	if call.Query.Has("expand") && !limited || strings.Contains(call.Query.Get("fields"), ",") {
		t.Errorf("%s: expansion or fields would be ignored: %s", call.Path, call.Query.Encode())
	}
	if strings.HasPrefix(call.Path, "/report/stock/all") && !strings.Contains(call.Query.Get("filter"), "quantityMode=all") {
		t.Errorf("%s: the filter hides goods without available units: %s", call.Path, call.Query.Get("filter"))
	}
	checkFilter(t, call)
}

// checkFilter finds conditions that should not be sent: repeated ones, because the upstream uses only the first, and
// "!=", because its effect on empty links is not documented.
func checkFilter(t *testing.T, call sandbox.Call) {
	t.Helper()
	seen := map[string]bool{}
	for condition := range strings.SplitSeq(call.Query.Get("filter"), ";") {
		parts := comparison.FindStringSubmatch(condition)
		if parts == nil {
			continue
		}
		if field, op := parts[1], parts[2]; op != "=" {
			if seen[field+op] || op == "!=" && field != "balance" {
				t.Errorf("%s: %s is undefined in %s", call.Path, condition, call.Query.Get("filter"))
			}
			seen[field+op] = true
		}
	}
}
