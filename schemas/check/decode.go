package check

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"

	"github.com/shopspring/decimal"
)

// Decode decodes a value that fits its schema into v, and returns what v cannot hold. JSON Schema allows whole numbers
// in the form 5.0 or 5e0, which programs with only one type of number write.
func Decode(text []byte, v any) []*Problem {
	err := json.Unmarshal(text, v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && strings.HasPrefix(wrong.Value, "number ") {
		err = json.Unmarshal(plainNumbers(text), v)
	}
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &wrong):
		return []*Problem{unreadable.At("", err)}
	}
	if number, is := strings.CutPrefix(wrong.Value, "number "); is {
		return []*Problem{hugeNumber.At(jsonPath(wrong.Field)).WithValue(json.Number(number))}
	}
	return []*Problem{ofOtherType.At(jsonPath(wrong.Field), typeWordings(wrong.Value))}
}

// plainNumbers rewrites the whole numbers of a JSON text in the form that Go decodes.
func plainNumbers(text []byte) []byte {
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
			out = append(out, wholeNumber(string(text[i:end]))...)
		default:
			out = append(out, c)
		}
		i = end
	}
	return out
}

// wholeNumber removes fraction and exponent from a whole number that an int64 can hold.
func wholeNumber(number string) string {
	const digits = 18 // of an int64
	d, err := decimal.NewFromString(number)
	if err != nil || len(number) > 2*digits || d.Exponent() > digits || d.Exponent() < -digits || !d.IsInteger() {
		return number
	}
	return d.String()
}

// jsonPath converts a path from Go's error to JSON names: Go includes embedded structs, and its own names of fields
// without a JSON name.
func jsonPath(path string) string {
	var known []string
	steps := strings.Split(path, ".")
	for i, step := range steps {
		if i == len(steps)-1 || !strings.ContainsFunc(step, unicode.IsUpper) {
			known = append(known, strings.ToLower(step))
		}
	}
	return strings.Join(known, ".")
}
