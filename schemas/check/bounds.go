package check

import (
	"bytes"
	"strconv"
)

// Bounds of a JSON text that callers send. What is over them is refused before anything is built of the text: a few
// megabytes can say much that takes a hundred times as much memory, and a few characters a number of a million digits.
const (
	mostDepth    = 128     // of lists and objects in each other; schemas that people write have 30
	mostValues   = 200_000 // of lists, objects, texts and numbers: 20 MiB when decoded; long orders have 30,000
	mostNumber   = 100     // characters of a number; decimals of the books have 30
	mostExponent = 400     // of a number, up or down: floats end at 308, and some schemas name their bounds
)

var (
	tooDeep     = Say("has lists or objects in more than %s levels", "вложено глубже %s уровней")
	tooMany     = Say("has more than %s values", "значений больше %s")
	longNumber  = Say("has a number of more than %s characters at byte %s", "число длиннее %s знаков, байт %s")
	farExponent = Say("has a number with an exponent over %s at byte %s", "показатель степени числа больше %s, байт %s")
)

// Bounds says which bound a JSON text breaks; nil if none. Of a text that is not JSON it may say anything.
func Bounds(text []byte) *Problem {
	return bounded(text, mostDepth, mostValues)
}

// bounded looks at each byte once, and counts the values.
func bounded(text []byte, depths, most int) *Problem {
	depth, values := 0, 0
	for at := 0; at < len(text); {
		switch c := text[at]; c {
		case '"':
			at = afterString(text, at)
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
			end := afterNumber(text, at)
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

// afterString is where the string at a place ends, or the text.
func afterString(text []byte, at int) int {
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

func afterNumber(text []byte, at int) int {
	for at < len(text) && bytes.IndexByte([]byte("0123456789+-.eE"), text[at]) >= 0 {
		at++
	}
	return at
}

func numberProblem(number []byte, at int) *Problem {
	if len(number) > mostNumber {
		return longNumber.At("", strconv.Itoa(mostNumber), strconv.Itoa(at+1))
	}
	_, exponent, _ := bytes.Cut(bytes.ToLower(number), []byte("e"))
	if len(exponent) == 0 {
		return nil
	}
	if n, err := strconv.Atoi(string(exponent)); err != nil || n > mostExponent || n < -mostExponent {
		return farExponent.At("", strconv.Itoa(mostExponent), strconv.Itoa(at+1))
	}
	return nil
}
