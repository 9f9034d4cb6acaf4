//go:build inspector

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// inspector is the official inspector of the protocol. It needs 160 MB, so only `make conformance-mcp` runs it.
const inspector = "@modelcontextprotocol/inspector@2.12.0"

func TestInspectorReadsEverything(t *testing.T) {
	d := runDemo(t, nil)
	program, err := built()
	must(t, err)
	overHTTP := []string{d.url + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + d.secret}
	overInput := []string{"-e", "KOPECK_URL=" + d.url, "-e", "KOPECK_KEY=" + d.secret, program, "mcp"}
	for _, asked := range []struct {
		method []string
		says   []string
	}{
		{[]string{"tools/list"}, []string{`"below_minimum"`, `"outputSchema"`, `"readOnlyHint": true`, `"destructiveHint": false`}},
		{[]string{"tools/call", "--tool-name", "below_minimum", "--tool-arg", "limit=1"}, []string{`"structuredContent"`, `"MINIMUMS_BY_WAREHOUSE"`, "**Below minimum**"}},
		{[]string{"tools/call", "--tool-name", "stock", "--tool-arg", "warehouse=Mars"}, []string{`"isError": true`, "Основной"}},
		{[]string{"resources/list"}, []string{"kopeck://warehouses", "kopeck://price-types"}},
		{[]string{"resources/read", "--uri", "kopeck://warehouses"}, []string{"Основной"}},
		{[]string{"resources/templates/list"}, []string{"kopeck://connections/{connection_id}/warehouses"}},
		{[]string{"prompts/list"}, []string{`"dead_stock"`, `"dead_stock_ru"`, "Мёртвый остаток"}},
		{[]string{"prompts/get", "--prompt-name", "reorder_point", "--prompt-args", "product=Kettle", "days=14"}, []string{"reorder point for Kettle, lead time 14 days"}},
	} {
		for way, to := range map[string][]string{"HTTP": overHTTP, "standard input": overInput} {
			args := append(append([]string{"--yes", inspector, "--cli"}, to...), append([]string{"--method"}, asked.method...)...)
			command := exec.CommandContext(t.Context(), "npx", args...)
			command.Env = withoutSettings(os.Environ())
			out, err := command.Output()
			// The inspector also fails if a result is an error.
			if refused := strings.Contains(string(out), `"isError": true`); (err != nil) != refused || !json.Valid(out) {
				t.Errorf("%v over %s: %v\n%s", asked.method, way, err, out)
				continue
			}
			for _, says := range asked.says {
				if !strings.Contains(string(out), says) {
					t.Errorf("%v over %s: %q is not in\n%.2000s", asked.method, way, says, out)
				}
			}
		}
	}
}
