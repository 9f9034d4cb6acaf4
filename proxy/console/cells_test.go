package console

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"unicode"
)

// writeCells returns the cells as page/cells.js writes them to CSV.
func writeCells(t *testing.T, cells []string) (written []string) {
	t.Helper()
	said, err := json.Marshal(cells)
	if err != nil {
		t.Fatal(err)
	}
	script := exec.CommandContext(t.Context(), "node", "--input-type=module", "-e", `
		import {text} from 'node:stream/consumers'
		import {quoted} from './page/cells.js'
		process.stdout.write(JSON.stringify(JSON.parse(await text(process.stdin)).map(quoted)))`)
	script.Stdin = bytes.NewReader(said)
	var problems bytes.Buffer
	script.Stderr = &problems
	out, err := script.Output()
	if err != nil {
		t.Fatalf("run node, which the tests need: %v\n%s", err, &problems)
	}
	if err := json.Unmarshal(out, &written); err != nil {
		t.Fatal(err)
	}
	return written
}

const (
	separators = ";|\t\r\n"
	formulas   = "=+-@＝＋－＠"
)

// isFormula reports whether a spreadsheet could treat a cell as a formula.
func isFormula(cell string) bool {
	cell = strings.TrimLeftFunc(cell, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
	return strings.ContainsAny(cell, formulas) && strings.IndexAny(cell, formulas) == 0
}

func TestNoCellIsAFormula(t *testing.T) {
	cells := []string{
		"Чайник", "", "x;=1+1;y", "=1+1", "+7 900 000", "-10%", "@SUM(A1)", "\t=1+1", "\r=1", "a\n=1+1", "a\r\n@x", `x;"=1+1";y`, `";=1`, `a";"=1`,
		"x; =1+1", "x;'=1+1", "x|=1", "x\t-1", "＝1+1", ";;;=1", "a, b", "=HYPERLINK(\"http://a.example\";\"x\")", " =1", "\u00a0=1", "\n=1", "'=1", "\ttext", "Болт М6-20",
	}
	drawn := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune(`x1"' ,` + separators + formulas)
	for range 20_000 {
		var cell strings.Builder
		for range drawn.IntN(12) {
			cell.WriteRune(alphabet[drawn.IntN(len(alphabet))])
		}
		cells = append(cells, cell.String())
	}
	written := writeCells(t, cells)
	for i, cell := range cells {
		row := `"first",` + written[i] + `,1.50,` + written[(i+1)%len(cells)] + "\r\n"
		for _, separator := range separators {
			for _, piece := range strings.Split(row, string(separator)) {
				if isFormula(piece) {
					t.Fatalf("%q, split at %q: %q is a formula", row, separator, piece)
				}
			}
		}
		reader := csv.NewReader(strings.NewReader(row))
		read, err := reader.ReadAll()
		if err != nil || len(read) != 1 || len(read[0]) != 4 {
			t.Fatalf("%q is not one row of four: %q, %v", row, read, err)
		}
		want := strings.NewReplacer("'", "", "\r\n", "\n", "\r", "\n").Replace(cell)
		if got := read[0][1]; isFormula(got) || strings.ReplaceAll(got, "'", "") != want {
			t.Fatalf("wrote %q, read %q", cell, got)
		}
	}
	for _, plain := range []string{"Чайник", "a, b", "Болт М6-20", `He said "x"`} {
		if got := writeCells(t, []string{plain})[0]; strings.Contains(got, "'") {
			t.Errorf("%q is not a formula, but was changed to %s", plain, got)
		}
	}
}
