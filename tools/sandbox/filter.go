package sandbox

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

type condition struct{ field, op, value string }

// operators lists longer operators first, so that ">=" is not parsed as ">".
var operators = []string{"!=", "!~", ">=", "<=", "=~", "~=", "=", ">", "<", "~"}

// parseFilter splits a filter into its conditions at ";". A "\;" or "\\" in a value stands for the character itself.
func parseFilter(text string) ([]condition, error) {
	var conditions []condition
	for _, part := range splitEscaped(text) {
		if strings.TrimSpace(part) == "" {
			continue
		}
		condition, ok := parseCondition(part)
		if !ok {
			return nil, refuse(http.StatusBadRequest, 1014, "Неверный формат фильтра: %s", part).about("filter")
		}
		conditions = append(conditions, condition)
	}
	return conditions, nil
}

func splitEscaped(text string) []string {
	var parts []string
	var part strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && (text[i+1] == ';' || text[i+1] == '\\'):
			i++
			part.WriteByte(text[i])
		case text[i] == ';':
			parts = append(parts, part.String())
			part.Reset()
		default:
			part.WriteByte(text[i])
		}
	}
	return append(parts, part.String())
}

// parseCondition splits a condition at its first operator.
func parseCondition(text string) (condition, bool) {
	at, found := len(text), ""
	for _, op := range operators {
		if i := strings.Index(text, op); i > 0 && (i < at || i == at && len(op) > len(found)) {
			at, found = i, op
		}
	}
	if found == "" {
		return condition{}, false
	}
	return condition{text[:at], found, text[at+len(found):]}, true
}

// fieldTest tests the value of one field.
type fieldTest struct {
	field  string
	passes func(value) bool
}

// compileFilter converts conditions to one test for each field. A field passes if it equals any of its "=" values and
// none of its "!=" values. Of two inequalities in the same direction, only the first counts. The function is not
// generic, because otherwise it would be compiled for each of the many tables.
func compileFilter(conditions []condition, typeOf func(field string) (columnType, bool), emptyDiffers bool) ([]fieldTest, error) {
	var tests []fieldTest
	for len(conditions) > 0 {
		field := conditions[0].field
		var same, rest []condition
		for _, condition := range conditions {
			if condition.field == field {
				same = append(same, condition)
			} else {
				rest = append(rest, condition)
			}
		}
		conditions = rest
		is, ok := typeOf(field)
		if !ok {
			return nil, badField(field)
		}
		test, err := is.compileField(same, emptyDiffers)
		if err != nil {
			return nil, err
		}
		tests = append(tests, fieldTest{field, test})
	}
	return tests, nil
}

// compileField returns the test of one field from its conditions.
func (t columnType) compileField(conditions []condition, emptyDiffers bool) (func(value) bool, error) {
	var equal, other []func(value) bool
	seen := map[string]bool{}
	inequality := false
	for _, condition := range conditions {
		if !strings.Contains(t.ops(), " "+condition.op+" ") {
			return nil, badOperator(condition)
		}
		test, err := t.test(condition, emptyDiffers)
		if err != nil {
			return nil, err
		}
		switch {
		case condition.op == "=":
			equal = append(equal, test)
		case strings.ContainsAny(condition.op, "<>"):
			inequality = true
			if direction := condition.op[:1]; !seen[direction] {
				seen[direction] = true
				other = append(other, test)
			}
		default:
			other = append(other, test)
		}
	}
	if len(equal) > 0 && inequality {
		return nil, refuse(
			http.StatusPreconditionFailed, 1030, "Ошибка фильтрации: поле '%s' использовано с '=' и с неравенством", conditions[0].field,
		).about("filter")
	}
	return func(v value) bool {
		passes := func(test func(value) bool) bool { return test(v) }
		return (len(equal) == 0 || slices.ContainsFunc(equal, passes)) &&
			!slices.ContainsFunc(other, func(test func(value) bool) bool { return !test(v) })
	}, nil
}

func badField(field string) *refusal {
	return refuse(http.StatusPreconditionFailed, 1034, "Ошибка фильтрации: неизвестное поле '%s'", field).about("filter")
}

func badOperator(c condition) *refusal {
	return refuse(
		http.StatusPreconditionFailed, 1035, "Ошибка фильтрации: оператор '%s' не поддерживается для поля '%s'", c.op, c.field,
	).about("filter")
}

func badValue(c condition) *refusal {
	return refuse(http.StatusBadRequest, 1014, "Ошибка фильтрации: неверное значение '%s' поля '%s'", c.value, c.field).about("filter")
}

// idOfHref returns the id at the end of a link. It refuses links to other hosts.
func idOfHref(href string) (string, error) {
	parsed, err := url.Parse(href)
	if err != nil || parsed.Host != "api.moysklad.ru" || parsed.Scheme != "https" || !strings.HasPrefix(parsed.Path, basePath+"/") {
		return "", refuse(http.StatusBadRequest, 1059, "Неверная ссылка: %s", href)
	}
	return parsed.Path[strings.LastIndexByte(parsed.Path, '/')+1:], nil
}
