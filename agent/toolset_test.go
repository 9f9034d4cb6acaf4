package agent

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
)

// Every request to a model contains the definitions of all tools, so their size costs tokens.
func TestDefinitionsOfAllToolsAreShort(t *testing.T) {
	const most = 14 << 10
	bytesOf := 0
	for _, offered := range newToolset(append(tools.All(), (&drafts.Store{}).Tools()...)).offered {
		parameters, err := json.Marshal(offered.Function.Parameters)
		must(t, err)
		for _, left := range []string{"additionalProperties", `"limit"`, `"maximum"`, `"maxItems"`} {
			if bytes.Contains(parameters, []byte(left)) {
				t.Errorf("%s is offered with %s", offered.Function.Name, left)
			}
		}
		bytesOf += len(offered.Function.Name) + len(offered.Function.Description) + len(parameters)
	}
	if bytesOf > most || bytesOf == 0 {
		t.Errorf("the definitions have %d bytes, more than %d", bytesOf, most)
	}
}

// It is part of every request too.
func TestInstructionIsShort(t *testing.T) {
	const most = 2500
	if len(prompt) > most {
		t.Errorf("the instruction has %d bytes, more than %d", len(prompt), most)
	}
}
