package moysklad

import "strings"

// Filter is the value of the filter parameter: conditions joined by ";". Conditions on different fields must all hold.
// Repeated "=" on one field means any of the values, repeated "!=" none of them. Of two equal inequalities on one field
// the upstream silently keeps the first, so callers must not add both.
//
// Source: md/_general.md, filter.
type Filter []string

// Where appends a condition; op is one of = != > < >= <= ~ ~= =~. A ";" inside value is escaped.
func (f Filter) Where(field, op, value string) Filter {
	return append(f[:len(f):len(f)], field+op+escaped.Replace(value))
}

// escaped escapes a value within a condition.
var escaped = strings.NewReplacer(`\`, `\\`, `;`, `\;`)

// Is appends field=value.
func (f Filter) Is(field, value string) Filter { return f.Where(field, "=", value) }

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

// idOf returns the last element of a link's path.
func idOf(href string) string {
	href, _, _ = strings.Cut(href, "?")
	return href[strings.LastIndexByte(href, '/')+1:]
}
