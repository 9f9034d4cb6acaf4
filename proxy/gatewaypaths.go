package proxy

import "strings"

// gatewayPaths are gatewayTemplates as a tree: a few look-ups decide about a path.
var gatewayPaths = treeOf(gatewayTemplates)

// pathTree is what may follow in a path. An admitted path has only the templates' own words, gatewayEntities and hexadecimal
// ids. It has no escape, dot, semicolon or backslash that another reader could interpret differently.
type pathTree struct {
	ends       bool // the path may end here
	words      map[string]*pathTree
	entity, id *pathTree // what follows an entity or an id
}

func treeOf(templates []string) *pathTree {
	root := &pathTree{}
	for _, template := range templates {
		at := root
		for part := range strings.SplitSeq(template, "/") {
			at = at.child(part)
		}
		at.ends = true
	}
	return root
}

// child is what follows a template's part, made if need be.
func (t *pathTree) child(part string) *pathTree {
	var place **pathTree
	switch part {
	case "{entity}":
		place = &t.entity
	case "{id}":
		place = &t.id
	default:
		if t.words == nil {
			t.words = map[string]*pathTree{}
		}
		if t.words[part] == nil {
			t.words[part] = &pathTree{}
		}
		return t.words[part]
	}
	if *place == nil {
		*place = &pathTree{}
	}
	return *place
}

func (t *pathTree) admits(path string) bool {
	part, rest, more := strings.Cut(path, "/")
	follows := func(next *pathTree) bool { return next != nil && (more && next.admits(rest) || !more && next.ends) }
	return follows(t.words[part]) ||
		gatewayEntities[part] && follows(t.entity) ||
		isUUID(part) && follows(t.id)
}

// isUUID says whether a text is a UUID as the upstream writes them.
func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash && c != '-' || !dash && !isHex(c) {
			return false
		}
	}
	return true
}
