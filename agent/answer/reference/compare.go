package reference

import (
	"strings"

	"github.com/kopeck/kopeck/tools"
)

// both joins two conditions by "and" or "or". If one is unknown, the result is unknown, unless the other one decides
// it.
func both(sign string, a, b Value) (Value, error) {
	if a.Kind != tools.KindFlag || b.Kind != tools.KindFlag {
		return Value{}, wrong(WrongKind, "%s joins conditions, not %s and %s", sign, kindName(a.Kind), kindName(b.Kind))
	}
	decides := sign == "or"
	switch {
	case !a.Null && a.flag == decides, !b.Null && b.flag == decides:
		return truth(decides), nil
	case a.Null || b.Null:
		return unknown(tools.KindFlag), nil
	}
	return truth(!decides), nil
}

// holds says for which orders of its sides a comparison holds.
var holds = map[string]func(order int) bool{
	"==": func(order int) bool { return order == 0 },
	"!=": func(order int) bool { return order != 0 },
	"<":  func(order int) bool { return order < 0 },
	"<=": func(order int) bool { return order <= 0 },
	">":  func(order int) bool { return order > 0 },
	">=": func(order int) bool { return order >= 0 },
}

// compare evaluates a comparison. If one side is unknown, the result is unknown, unless the other side is the word
// null. An empty list equals null.
func compare(sign string, a, b Value) (Value, error) {
	switch isEquation := sign == "==" || sign == "!="; {
	case isNull(b) && isEquation:
		return truth((sign == "==") == (hasNothing(a) && hasNothing(b))), nil
	case a.Null || b.Null || isNull(a) || isNull(b):
		return unknown(tools.KindFlag), nil
	case sign == "in":
		return within(a, b)
	case holds[sign] == nil:
		return partly(sign, a, b)
	case a.Kind == tools.KindFlag && !isEquation:
		return Value{}, wrong(WrongKind, "yes and no have no order: use == or !=")
	}
	order, err := ordered(a, b)
	if err != nil {
		return Value{}, err
	}
	return truth(holds[sign](order)), nil
}

// isNull reports whether a value is null or [], written in the expression itself. An unknown field is not.
func isNull(v Value) bool {
	return v.field == nil && (v.Null && v.Kind == Bare || v.Kind == List && len(v.items) == 0)
}

// hasNothing reports whether a value is unknown or an empty list.
func hasNothing(v Value) bool {
	return v.Null || v.Kind == Rows && v.rows.total == 0 || v.Kind == List && len(v.items) == 0
}

func within(a, b Value) (Value, error) {
	if b.Kind != List {
		return Value{}, wrong(WrongKind, `in needs a list, as in .warehouse in ["A", "B"]`)
	}
	for _, item := range b.items {
		if item.Null {
			continue
		}
		order, err := ordered(a, item)
		if err != nil {
			return Value{}, err
		}
		if order == 0 {
			return truth(true), nil
		}
	}
	return truth(false), nil
}

func partly(sign string, a, b Value) (Value, error) {
	if a.Kind == List {
		return within(b, a)
	}
	if err := ofLists(a, b); err != nil {
		return Value{}, err
	}
	if !IsText(a.Kind) || !IsText(b.Kind) {
		return Value{}, wrong(WrongKind, "%s compares texts, not %s and %s", sign, kindName(a.Kind), kindName(b.Kind))
	}
	whole, part := strings.ToLower(a.text), strings.ToLower(b.text)
	switch sign {
	case "startsWith":
		return truth(strings.HasPrefix(whole, part)), nil
	case "endsWith":
		return truth(strings.HasSuffix(whole, part)), nil
	}
	return truth(strings.Contains(whole, part)), nil
}

// ordered compares two known values of one kind. Texts are compared without regard to case.
func ordered(a, b Value) (int, error) {
	switch {
	case a.number != nil && b.number != nil:
		if !areAlike(&a, &b) {
			break
		}
		if a.Kind == b.Kind && a.Currency != b.Currency {
			return 0, currencies(a.Currency, b.Currency)
		}
		return a.number.Cmp(b.number), nil
	case IsText(a.Kind) && IsText(b.Kind):
		if strings.EqualFold(a.text, b.text) {
			return 0, nil
		}
		return strings.Compare(a.text, b.text), nil
	case a.Kind == tools.KindFlag && b.Kind == tools.KindFlag:
		if a.flag == b.flag {
			return 0, nil
		}
		return 1, nil
	case IsTime(a.Kind) || IsTime(b.Kind):
		if IsText(a.Kind) {
			a = dated(a)
		}
		if IsText(b.Kind) {
			b = dated(b)
		}
		if IsTime(a.Kind) && IsTime(b.Kind) {
			if a.Kind == tools.KindDay || b.Kind == tools.KindDay {
				return tools.Noon(a.at).Compare(tools.Noon(b.at)), nil
			}
			return a.at.Compare(b.at), nil
		}
	}
	if err := ofLists(a, b); err != nil {
		return 0, err
	}
	return 0, wrong(WrongKind, "%s and %s cannot be compared", kindName(a.Kind), kindName(b.Kind))
}

// ofLists returns an error if a or b is a list, because lists cannot be compared.
func ofLists(a, b Value) error {
	if a.Kind != Rows && a.Kind != List && b.Kind != Rows && b.Kind != List {
		return nil
	}
	return wrong(WrongKind, "a list is compared by len(list) > 0, list != null, or count(list, condition) > 0")
}

// dated converts a text such as "2026-11-22" to a day, and returns other texts unchanged.
func dated(v Value) Value {
	if at, ok := ParseTime(v.text); ok {
		return Value{Kind: tools.KindDay, at: at}
	}
	return v
}
