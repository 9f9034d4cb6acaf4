package tools

import (
	"context"
	_ "embed"

	"github.com/invopop/jsonschema"
	"github.com/shopspring/decimal"
)

//go:embed calculate.md
var calculateText string

func newCalculate() Tool { return Define("calculate", Read, calculateText, calculate) }

type calculateArguments struct {
	Expression string `json:"expression" jsonschema:"minLength=1,maxLength=4096" jsonschema_description:"for instance (1234.50 - 980) / 1234.50 * 100; functions: sum(a, b, …), round(x, places), abs(x), min(a, b, …), max(a, b, …), percent(part, whole)"`
}

type calculateResult struct {
	Expression string `json:"expression"`
	Value      Number `json:"value"`
	Exact      bool   `json:"exact" jsonschema_description:"false: a division does not end; the value is right to more than 20 digits"`
}

// calculate makes no upstream call.
func calculate(_ context.Context, _ *Call, args calculateArguments) (calculateResult, error) {
	value, exact, err := evaluate(args.Expression)
	if err != nil {
		return calculateResult{}, err
	}
	return calculateResult{args.Expression, Number{value}, exact}, nil
}

// Number is a bare decimal: neither money nor units.
type Number struct{ d decimal.Decimal }

// Decimal is the exact value.
func (n Number) Decimal() decimal.Decimal { return n.d }

// String is the shortest exact form.
func (n Number) String() string { return n.d.String() }

// MarshalJSON writes a JSON number.
func (n Number) MarshalJSON() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalJSON reads a JSON number.
func (n *Number) UnmarshalJSON(b []byte) error { return n.d.UnmarshalJSON(b) }

// JSONSchema describes the number to models and programs.
func (Number) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "number"} }
