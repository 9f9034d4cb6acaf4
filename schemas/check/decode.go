package check

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"
)

// Decode reads a value that fits its schema into v, and says what v cannot hold. Whole numbers may be written 5.0, as
// JSON Schema has it: programs that know one kind of number write them so.
func Decode(text []byte, v any) []Problem {
	err := json.Unmarshal(text, v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && strings.HasPrefix(wrong.Value, "number ") {
		err = json.Unmarshal(withoutZeroFractions(text), v)
	}
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &wrong):
		return []Problem{{"", "cannot be read: " + err.Error()}}
	}
	if number, is := strings.CutPrefix(wrong.Value, "number "); is {
		return []Problem{{outside(wrong.Field), "must be a number of the usual size, written without an exponent, got " + number}}
	}
	return []Problem{{outside(wrong.Field), "must not be " + wrong.Value}}
}

// withoutZeroFractions writes the numbers of a JSON text that end in .0 without it.
func withoutZeroFractions(text []byte) []byte {
	out := make([]byte, 0, len(text))
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			out = append(out, c)
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && c == '.':
			end := i + 1
			for end < len(text) && text[end] == '0' {
				end++
			}
			if end == len(text) || !strings.ContainsRune("123456789eE", rune(text[end])) {
				i = end - 1
				continue
			}
		}
		out = append(out, text[i])
	}
	return out
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
