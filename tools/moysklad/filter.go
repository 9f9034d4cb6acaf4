package moysklad

import "strings"

// Filter is the value of the filter parameter: conditions joined by ";". Conditions on different fields must all hold.
// Several "=" on one field match any of the values; several "!=" match none of them. If the same inequality (such as
// ">") is given twice for one field, the upstream silently ignores the second, so callers must add it only once.
//
// Source: md/_general.md, filter.
type Filter []string

// Where appends a condition; op is one of = != > < >= <= ~ ~= =~. A ";" inside value is escaped.
func (f Filter) Where(field, op, value string) Filter {
	return append(f[:len(f):len(f)], field+op+escaped.Replace(value))
}

// escaped escapes a value for use in a condition.
var escaped = strings.NewReplacer(`\`, `\\`, `;`, `\;`)

// Is appends field=value for each value. The field must have one of them.
func (f Filter) Is(field string, values ...string) Filter {
	for _, value := range values {
		f = f.Where(field, "=", value)
	}
	return f
}

// WithArchived includes archived records, which lists omit by default.
func (f Filter) WithArchived() Filter { return f.Is("archived", "true", "false") }

func (f Filter) String() string { return strings.Join(f, ";") }

// withDefault appends field=value unless the field already has a condition.
func (f Filter) withDefault(field, value string) Filter {
	for _, condition := range f {
		if strings.HasPrefix(condition, field+"=") {
			return f
		}
	}
	return f.Is(field, value)
}

// Href returns the canonical link of an entity for filters and bodies: Href("store", id).
func Href(kind, id string) string { return CanonicalURL + "/entity/" + kind + "/" + id }
