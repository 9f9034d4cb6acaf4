package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// connect runs the command with a token on standard input.
func connect(t *testing.T, d running, token string, arguments ...string) (code int, out, problem string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := program{In: strings.NewReader(token), Out: &stdout, Err: &stderr}
	code = p.Run(t.Context(), append([]string{"connect", "--url", d.url, "--key", d.secret}, arguments...))
	return code, stdout.String(), stderr.String()
}

func TestConnectReadsTokenAndPrintsPermissions(t *testing.T) {
	t.Parallel()
	shop := sandbox.New(sandbox.Config{Seed: 1, Products: 20})
	d := runDemo(t, shop)
	code, out, problem := connect(t, d, shop.Token()+"\n", "--name", "Second", "--json")
	var c keys.Connection
	if err := json.Unmarshal([]byte(out), &c); code != 0 || err != nil || c.Name != "Second" || c.State != keys.Verified || !c.Permissions.WriteDocuments {
		t.Errorf("exit %d, %v: %s%s", code, err, out, problem)
	}
	if again := "--replace "; strings.Count(problem, again) != 1 || strings.Contains(problem, again+c.ID) {
		t.Errorf("the account's first connection is not named: %q", problem)
	}
	code, out, problem = connect(t, d, shop.Token(), "--replace", c.ID)
	if problem != "" || code != 0 || !strings.Contains(out, c.ID) || !strings.Contains(out, "writes documents") {
		t.Errorf("replaced: exit %d: %s", code, out)
	}
	for name, token := range map[string]string{"nothing": " \n", "a token that is refused": strings.Repeat("0", 40)} {
		code, out, problem := connect(t, d, token)
		if code != 1 || out != "" || problem == "" || strings.Contains(problem, strings.TrimSpace(token)+"0") {
			t.Errorf("%s: exit %d, output %q and %q", name, code, out, problem)
		}
	}
	if code, _, _ := connect(t, d, "", shop.Token()); code != 2 {
		t.Errorf("a token as an argument: exit %d, want it to be refused", code)
	}
}
