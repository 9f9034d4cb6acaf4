package grounding

import (
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// numberEnd is where the number that starts at i ends: digits in groups, with separators, as far as they may be read as
// one number.
func numberEnd(text string, i int) int {
	run := func(j int) int {
		for j < len(text) && digit(text[j]) {
			j++
		}
		return j
	}
	end := run(i)
	if spread := spreadEnd(text, i); spread > end {
		return spread
	}
	spaces := end-i <= 3 && end > i
	for end+1 < len(text) && digit(text[end+1]) {
		next := run(end + 1)
		switch text[end] {
		case ' ':
			if !spaces || next-end != 4 {
				return end
			}
		case '.', ',':
			spaces = false
		case '\'':
			if next-end != 4 {
				return end
			}
		default:
			return end
		}
		end = next
	}
	return end
}

// spreadEnd is the end of digits that are spread out one by one, "1 2 3 4 5"; three or fewer are not taken for a number.
func spreadEnd(text string, i int) int {
	end, n := i, 0
	for end < len(text) && digit(text[end]) && (end+1 == len(text) || !digit(text[end+1])) {
		n++
		end++
		if end+1 >= len(text) || text[end] != ' ' {
			break
		}
		end++
	}
	if n < 4 {
		return i
	}
	if text[end-1] == ' ' {
		end--
	}
	return end
}

// read tells the ways to read a number in digits and separators; none when it is no single number.
func read(raw string) []reading {
	spaced := strings.ContainsAny(raw, " '")
	raw = strings.NewReplacer(" ", "", "'", "").Replace(raw)
	dots, commas := strings.Count(raw, "."), strings.Count(raw, ",")
	last := strings.LastIndexAny(raw, ".,")
	switch {
	case dots+commas == 0:
		return number(raw, "")
	case dots > 0 && commas > 0:
		if strings.Count(raw, raw[last:last+1]) > 1 || !groups(raw[:last]) {
			return nil
		}
		return number(raw[:last], raw[last+1:])
	case dots+commas > 1:
		if !groups(raw) {
			return nil
		}
		return number(raw, "")
	}
	whole, fraction := raw[:last], raw[last+1:]
	readings := number(whole, fraction)
	if !spaced && groups(raw) {
		readings = append(number(raw, ""), readings...)
	}
	return readings
}

// groups reports whether the separators part a whole number in groups of three, or in the Indian way.
func groups(whole string) bool {
	parts := strings.FieldsFunc(whole, func(r rune) bool { return r == '.' || r == ',' })
	if len(parts) < 2 {
		return len(parts) == 1
	}
	if len(parts[0]) > 3 || parts[0][0] == '0' || len(parts[len(parts)-1]) != 3 {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		if len(part) != 3 && len(part) != 2 {
			return false
		}
	}
	return true
}

func number(whole, fraction string) []reading {
	whole = strings.NewReplacer(".", "", ",", "").Replace(whole)
	value, err := decimal.NewFromString("0" + whole + "." + fraction + "0")
	if err != nil {
		return nil
	}
	return []reading{{value, decimal.New(1, -int32(len(fraction)))}}
}

// exponentAt reads "e6", "×10^6" behind a number, or "^6" behind a 10. It gives the power of ten to multiply with; zero
// when the power cannot be told.
func exponentAt(text string, i int, digits string) (end int, factor decimal.Decimal, ok bool) {
	rest := text[i:]
	power := ""
	switch {
	case digits == "10" && strings.HasPrefix(rest, "^"):
		end, power = signedDigits(text, i+1)
		if n, err := strconv.Atoi(power); err == nil && n >= -20 && n <= 30 {
			return end, decimal.New(1, int32(n-1)), true
		}
		return max(end, i+1), decimal.Zero, true
	case strings.HasPrefix(rest, "^"):
		end, _ = signedDigits(text, i+1)
		return max(end, i+1), decimal.Zero, true
	case strings.HasPrefix(rest, "e"):
		end, power = signedDigits(text, i+1)
	default:
		trimmed := strings.TrimLeft(rest, " ")
		for _, sign := range []string{"×", "x", "х", ".", "⋅"} {
			after, found := strings.CutPrefix(trimmed, sign)
			if after = strings.TrimLeft(after, " "); found && strings.HasPrefix(after, "10^") {
				end, power = signedDigits(text, len(text)-len(after)+3)
				break
			}
		}
	}
	n, err := strconv.Atoi(power)
	if err != nil {
		return i, one, false
	}
	if n < -20 || n > 30 {
		return end, decimal.Zero, true
	}
	return end, decimal.New(1, int32(n)), true
}

func signedDigits(text string, i int) (end int, digits string) {
	end = i
	if end < len(text) && (text[end] == '-' || text[end] == '+') {
		end++
	}
	for end < len(text) && digit(text[end]) {
		end++
	}
	return end, strings.TrimPrefix(text[i:end], "+")
}
