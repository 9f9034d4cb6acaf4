package check

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits of JSON text from callers, checked before it is decoded. Without them, a few megabytes of text could decode into a
// hundred times as much memory, and a few characters into a number of a million digits.
const (
	maxDepth        = 128     // levels of nested lists and objects; ordinary schemas have 30
	maxValues       = 200_000 // about 20 MiB when decoded; long orders have 30,000
	maxNumberLength = 100     // characters; decimals in MoySklad have 30
	maxExponent     = 400     // positive or negative; floats go up to 308, and some schemas contain the largest float
)

var (
	tooDeep       = NewWording("has lists or objects in more than %s levels", "вложено глубже %s уровней")
	tooMany       = NewWording("has more than %s values", "значений больше %s")
	longNumber    = NewWording("has a number of more than %s characters at byte %s", "число длиннее %s знаков, байт %s")
	largeExponent = NewWording("has a number with an exponent over %s at byte %s", "показатель степени числа больше %s, байт %s")
)

// CheckBounds returns the limit that a JSON text exceeds, or nil. If the text is not JSON, the result means nothing.
func CheckBounds(text []byte) *Problem {
	return checkBounds(text, maxDepth, maxValues)
}

// checkBounds counts the values and measures the numbers.
func checkBounds(text []byte, depths, most int) *Problem {
	in := jsontext.NewDecoder(bytes.NewBuffer(text), anyNames, anyBytes)
	for values := 0; values <= most; values++ {
		token, err := in.ReadToken()
		if err != nil {
			return nil //nolint:nilerr // the end of the text, or not JSON
		}
		switch token.Kind() {
		case jsontext.KindBeginObject, jsontext.KindBeginArray:
			if in.StackDepth() > depths {
				return tooDeep.At("", strconv.Itoa(depths))
			}
		case jsontext.KindEndObject, jsontext.KindEndArray:
			values--
		case jsontext.KindNumber:
			number := token.String()
			if wrong := numberProblem(number, int(in.InputOffset())-len(number)); wrong != nil {
				return wrong
			}
		}
	}
	return tooMany.At("", strconv.Itoa(most))
}

// What [encoding/json] accepts too.
var (
	anyNames = jsontext.AllowDuplicateNames(true)
	anyBytes = jsontext.AllowInvalidUTF8(true)
)

func numberProblem(number string, at int) *Problem {
	if len(number) > maxNumberLength {
		return longNumber.At("", strconv.Itoa(maxNumberLength), strconv.Itoa(at+1))
	}
	_, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	if exponent == "" {
		return nil
	}
	if n, err := strconv.Atoi(exponent); err != nil || n > maxExponent || n < -maxExponent {
		return largeExponent.At("", strconv.Itoa(maxExponent), strconv.Itoa(at+1))
	}
	return nil
}
