package grounding

import (
	"strings"
	"sync"

	"github.com/kopeck/kopeck/agent/render"
)

// labels are what the figures of results are headed with, as people see them: "Закончились совсем: 62" tells how many, and claims
// nothing of what it does not have.
var labels = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, layout := range render.Layouts() {
		for _, column := range layout.Figures {
			all[plain(column.RU)], all[plain(column.EN)] = true, true
		}
	}
	return all
})

// labelled reports whether a passage is a figure behind its label and nothing else.
func (p passage) labelled() bool {
	label, value, found := strings.Cut(p.text, ": ")
	return found && len(p.figures) == 1 && strings.TrimRight(value, ".") == strings.TrimRight(p.text[p.figures[0].start:p.figures[0].end], ".") && labels()[label]
}
