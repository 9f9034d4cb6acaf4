package moysklad

import "strings"

// Filter is the value of the filter parameter: conditions joined by ";". Conditions on different fields all hold; "="
// repeated on one field means any of them, "!=" repeated means none. Of two equal inequalities on one field the upstream
// silently keeps the first, so a Filter with such a pair is a defect of the caller.
//
// Source: md/_general.md, filter.
type Filter []string

// Where appends a condition; op is one of = != > < >= <= ~ ~= =~. A ";" inside value is escaped.
func (f Filter) Where(field, op, value string) Filter {
	return append(f[:len(f):len(f)], field+op+escaped.Replace(value))
}

// escaped is a value within a condition.
var escaped = strings.NewReplacer(`\`, `\\`, `;`, `\;`)

// Is appends field=value.
func (f Filter) Is(field, value string) Filter { return f.Where(field, "=", value) }

func (f Filter) String() string { return strings.Join(f, ";") }

// orElse appends field=value unless the field has a condition already.
func (f Filter) orElse(field, value string) Filter {
	for _, condition := range f {
		if strings.HasPrefix(condition, field+"=") {
			return f
		}
	}
	return f.Is(field, value)
}

// Href is the canonical link of an entity, as filters and bodies name it: Href("store", id).
func Href(kind, id string) string { return Canonical + "/entity/" + kind + "/" + id }

// idOf is the last element of a link's path.
func idOf(href string) string {
	href, _, _ = strings.Cut(href, "?")
	return href[strings.LastIndexByte(href, '/')+1:]
}
