package calendar

import (
	"slices"
	"testing"
)

func TestPatternsHaveKnownClasses(t *testing.T) {
	for group, rules := range grammar {
		for _, rule := range rules {
			for _, e := range rule.pattern {
				for _, class := range e.classes {
					known := classes[class] != nil || grammar[class] != nil || lexicon[class] != nil || slices.Contains(unitsInOrder, Unit(class))
					if !known && !e.ahead {
						t.Errorf("%s: no class %q", group, class)
					}
				}
			}
		}
	}
}
