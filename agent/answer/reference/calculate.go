package reference

import (
	"context"
	_ "embed"
	"errors"
	"math/big"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
)

//go:embed calculate.md
var calculateText string

// Calculate returns the tool calculate, which evaluates an expression. It is for clients that call tools directly,
// and so have no answer that could contain a reference. Every number of the expression is allowed. With a context
// from [Within], it can use the reports of a session. It makes no upstream call.
func Calculate() tools.Tool {
	return tools.Define("calculate", tools.Read, calculateText, calculate)
}

type calculateArguments struct {
	Expression string `json:"expression" jsonschema:"minLength=1,maxLength=4096" jsonschema_description:"for instance (1234.50 - 980) / 1234.50 * 100; functions: sum(a, b, …), avg(a, b, …), min(a, b, …), max(a, b, …), abs(x), round(x, places), share(part, whole), change(old, new)"`
}

// Uncached marks the tool's results as not cacheable, because they depend on the session too.
func (calculateArguments) Uncached() {}

type calculateResult struct {
	Expression string       `json:"expression"`
	Value      tools.Number `json:"value"`
	Exact      bool         `json:"exact" jsonschema_description:"false: a division does not end; the value is right to more than 20 digits"`
}

// Problems of an expression, apart from its length.
var (
	byZero       = check.NewWording("divides by zero", "делит на ноль")
	notComputed  = check.NewWording("cannot be computed: %s", "не вычисляется: %s")
	giveNoNumber = check.NewWording("gives no number", "не даёт числа")
)

func calculate(ctx context.Context, run *tools.Run, args calculateArguments) (calculateResult, error) {
	b := NewBook("en")
	if open, within := ctx.Value(session{}).(openBook); within {
		var err error
		if b, err = open(ctx, run.Account.ID); err != nil {
			return calculateResult{}, err
		}
	}
	b.alone = true
	v, err := b.Eval(ctx, args.Expression)
	var failure *Error
	switch {
	case errors.As(err, &failure) && failure.Cause == ByZero:
		return calculateResult{}, check.Invalid(byZero.At("expression"))
	case errors.As(err, &failure):
		why := bilingual.Text{EN: failure.Text, RU: forPeople[failure.Cause].RU}
		return calculateResult{}, check.Invalid(notComputed.At("expression", why))
	case err != nil:
		return calculateResult{}, err
	case v.number == nil:
		return calculateResult{}, check.Invalid(giveNoNumber.At("expression"))
	}
	places, ends := decimalsOf(v.number)
	return calculateResult{args.Expression, tools.NumberOf(decimalOf(v.number, places)), ends && !v.rounded}, nil
}

type session struct{}

// openBook reads a session's reports about an account.
type openBook func(ctx context.Context, accountID string) (*Book, error)

// Within returns a context in which calculate can use the reports of a session. open reads them when calculate is
// called.
func Within(ctx context.Context, open func(ctx context.Context, accountID string) (*Book, error)) context.Context {
	return context.WithValue(ctx, session{}, openBook(open))
}

// quotientDigits is the number of decimals of a quotient that does not end.
const quotientDigits = 24

// decimalsOf returns how many decimals a number has. If they do not end, it returns a sufficient number of them and
// false.
func decimalsOf(r *big.Rat) (places int32, ends bool) {
	if n, exact := r.FloatPrec(); exact {
		return int32(n), true
	}
	return quotientDigits + max(0, int32(len(r.Denom().String())-len(r.Num().String()))), false
}
