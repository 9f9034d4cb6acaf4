package grounding

import "testing"

// Expressions are compiled when they are first used; what the other tests never come to is tried here.
func TestRareExpressionsCompile(_ *testing.T) {
	lastFigure.MatchString("")
	for _, words := range kindWords {
		words.MatchString("")
	}
}
