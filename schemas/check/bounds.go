package check

import (
	"bytes"
	"strconv"
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

// checkBounds reads each byte once and counts the values.
func checkBounds(text []byte, depths, most int) *Problem {
	depth, values := 0, 0
	for at := 0; at < len(text); {
		switch c := text[at]; c {
		case '"':
			at = stringEnd(text, at)
			values++
			continue
		case '[', '{':
			values++
			if depth++; depth > depths {
				return tooDeep.At("", strconv.Itoa(depths))
			}
		case ']', '}':
			depth--
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			end := numberEnd(text, at)
			if wrong := numberProblem(text[at:end], at); wrong != nil {
				return wrong
			}
			at, values = end, values+1
			continue
		case 't', 'f', 'n':
			values++
			at += len("true")
			continue
		}
		if values > most {
			return tooMany.At("", strconv.Itoa(most))
		}
		at++
	}
	if values > most {
		return tooMany.At("", strconv.Itoa(most))
	}
	return nil
}

// stringEnd returns where the string that begins at an index ends.
func stringEnd(text []byte, at int) int {
	for at++; at < len(text); {
		next := bytes.IndexAny(text[at:], `"\`)
		if next < 0 {
			break
		}
		if at += next; text[at] == '"' {
			return at + 1
		}
		at += 2
	}
	return len(text)
}

func numberEnd(text []byte, at int) int {
	for at < len(text) && bytes.IndexByte([]byte("0123456789+-.eE"), text[at]) >= 0 {
		at++
	}
	return at
}

func numberProblem(number []byte, at int) *Problem {
	if len(number) > maxNumberLength {
		return longNumber.At("", strconv.Itoa(maxNumberLength), strconv.Itoa(at+1))
	}
	_, exponent, _ := bytes.Cut(bytes.ToLower(number), []byte("e"))
	if len(exponent) == 0 {
		return nil
	}
	if n, err := strconv.Atoi(string(exponent)); err != nil || n > maxExponent || n < -maxExponent {
		return largeExponent.At("", strconv.Itoa(maxExponent), strconv.Itoa(at+1))
	}
	return nil
}
