package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"
)

// Decode decodes a valid value into v. The problems are values that v cannot hold. It accepts whole numbers written as 5.0
// or 5e0, which are integers in JSON Schema but not in Go.
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

// plainNumbers rewrites whole numbers such as 5.0 in a JSON text as 5.
func plainNumbers(text []byte) []byte {
	in := jsontext.NewDecoder(bytes.NewBuffer(text), anyNames, anyBytes)
	var out bytes.Buffer
	to := jsontext.NewEncoder(&out, anyNames, anyBytes)
	for {
		token, err := in.ReadToken()
		if err == nil && token.Kind() == jsontext.KindNumber {
			err = to.WriteValue(jsontext.Value(wholeNumber(token.String())))
		} else if err == nil {
			err = to.WriteToken(token)
		}
		if err != nil { // the end of the text
			return out.Bytes()
		}
	}
}

// wholeNumber rewrites a whole number without fraction and exponent, if an int64 can hold it. It returns other numbers
// unchanged.
func wholeNumber(number string) string {
	const digits = 18 // an int64 can hold any number of 18 digits
	d, err := decimal.NewFromString(number)
	if err != nil || len(number) > 2*digits || d.Exponent() > digits || d.Exponent() < -digits || !d.IsInteger() {
		return number
	}
	return d.String()
}

// jsonPath converts the path in Go's error to the path in the JSON text. Go's path also contains the names of embedded
// structs, and Go's name of a field that has no JSON name.
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
