package render

import (
	"strings"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
)

// Argument is what an argument of a tool is called, by its path; known tells that the name is ours and not a caller's.
func Argument(lang, path string) (name string, known bool) {
	steps := strings.Split(path, ".")
	argument := steps[len(steps)-1]
	for i := len(steps) - 2; i >= 0 && strings.Trim(argument, "0123456789") == ""; i-- { // a place in a list
		argument = steps[i]
	}
	name, known = tools.ArgumentInRussian(argument)
	switch {
	case lang == "en":
		return Inline(strings.ReplaceAll(argument, "_", " ")), known
	case !known:
		return "условие «" + Inline(argument) + "»", false
	}
	return name, true
}

// Problem is what is wrong with an argument of a call, for people: which argument, and why. What the call held and what the
// books have to choose from is repeated where it may be, and left out otherwise. It is not ok if nothing is left: the
// argument is none of ours, or names of the books that may not be repeated are the whole of what there is to say.
func Problem(lang string, p *check.Problem, may func(text string) bool) (text string, ok bool) {
	name, known := Argument(lang, p.Field)
	wrong := Inline(p.Wrong.In(lang))
	if !known && !may(name) || len(p.Wrong.Names()) > 0 && !may(wrong) {
		return "", false
	}
	text = name + ": " + wrong
	for _, more := range []string{Inline(p.Got(lang)), Inline(p.Choice(lang))} {
		if more != "" && may(more) {
			text += more
		}
	}
	return text, true
}
