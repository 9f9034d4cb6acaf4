package proxy

import (
	"cmp"
	"strings"
)

// gatewayPaths is a tree of gatewayTemplates, for fast matching.
var gatewayPaths = treeOf(gatewayTemplates)

// pathTree is a node of the tree. An admitted path consists only of words from the templates, names from gatewayEntities
// and hexadecimal ids. It contains no escapes, dots, semicolons or backslashes, which other parsers could interpret
// differently.
type pathTree struct {
	ends       bool // the path may end here
	words      map[string]*pathTree
	entity, id *pathTree // the nodes after an entity or id
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

// child returns the node after a part of a template, and creates it if necessary.
func (t *pathTree) child(part string) *pathTree {
	switch part {
	case "{entity}":
		t.entity = cmp.Or(t.entity, &pathTree{})
		return t.entity
	case "{id}":
		t.id = cmp.Or(t.id, &pathTree{})
		return t.id
	}
	if t.words == nil {
		t.words = map[string]*pathTree{}
	}
	t.words[part] = cmp.Or(t.words[part], &pathTree{})
	return t.words[part]
}

// admits reports whether a path matches a template. It does not allocate.
func (t *pathTree) admits(path string) bool {
	part, rest, more := strings.Cut(path, "/")
	follows := func(next *pathTree) bool { return next != nil && (more && next.admits(rest) || !more && next.ends) }
	return follows(t.words[part]) ||
		gatewayEntities[part] && follows(t.entity) ||
		isUUID(part) && follows(t.id)
}

// isUUID reports whether a text is a UUID in the upstream's format.
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
