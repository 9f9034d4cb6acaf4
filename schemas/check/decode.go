package check

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"

	"github.com/shopspring/decimal"
)

// Decode reads a value that fits its schema into v, and says what v cannot hold. Whole numbers may be written 5.0 or
// 5e0, as JSON Schema has it: programs that know one kind of number write them so.
func Decode(text []byte, v any) []*Problem {
	err := json.Unmarshal(text, v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && strings.HasPrefix(wrong.Value, "number ") {
		err = json.Unmarshal(plainly(text), v)
	}
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &wrong):
		return []*Problem{unreadable.At("", err)}
	}
	if number, is := strings.CutPrefix(wrong.Value, "number "); is {
		return []*Problem{hugeNumber.At(outside(wrong.Field)).Held(json.Number(number))}
	}
	return []*Problem{ofOtherType.At(outside(wrong.Field), typeNames(wrong.Value))}
}

// plainly writes the whole numbers of a JSON text as Go reads them.
func plainly(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		end := i + 1
		switch c := text[i]; {
		case c == '"':
			for text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end++
			out = append(out, text[i:end]...)
		case c == '-' || c >= '0' && c <= '9':
			for end < len(text) && strings.IndexByte("0123456789+-.eE", text[end]) >= 0 {
				end++
			}
			out = append(out, whole(string(text[i:end]))...)
		default:
			out = append(out, c)
		}
		i = end
	}
	return out
}

// whole is a number without fraction and exponent, if it is a whole one of a size that a field may have.
func whole(number string) string {
	const digits = 18 // of an int64
	d, err := decimal.NewFromString(number)
	if err != nil || len(number) > 2*digits || d.Exponent() > digits || d.Exponent() < -digits || !d.IsInteger() {
		return number
	}
	return d.String()
}

// outside is a field's path as the caller knows it: Go also names the structs that are embedded on the way, and fields
// without a name of their own by its own.
func outside(path string) string {
	var known []string
	steps := strings.Split(path, ".")
	for i, step := range steps {
		if i == len(steps)-1 || !strings.ContainsFunc(step, unicode.IsUpper) {
			known = append(known, strings.ToLower(step))
		}
	}
	return strings.Join(known, ".")
}
