package render

import (
	"strings"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
)

// ArgumentName returns the name of a tool's argument for people, given its path. known is false if the name is not one
// of ours but comes from the caller.
func ArgumentName(lang, path string) (name string, known bool) {
	steps := strings.Split(path, ".")
	argument := steps[len(steps)-1]
	for i := len(steps) - 2; i >= 0 && strings.Trim(argument, "0123456789") == ""; i-- { // skips indexes
		argument = steps[i]
	}
	words, known := tools.ArgumentName(argument)
	if !known && lang == "ru" {
		return "условие «" + Inline(argument) + "»", false
	}
	return Inline(words.In(lang)), known
}

// Problem describes a wrong argument for people. It quotes values from the call and names from the account only if
// canQuote returns true for them. ok is false if the description needs a text that cannot be quoted, or if the argument
// is unknown and cannot be quoted.
func Problem(lang string, p *check.Problem, canQuote func(text string) bool) (text string, ok bool) {
	name, known := ArgumentName(lang, p.Field)
	explanation := Inline(p.Wrong.In(lang))
	if !known && !canQuote(name) || len(p.Wrong.Names()) > 0 && !canQuote(explanation) {
		return "", false
	}
	text = Explained(lang, name, explanation)
	for _, detail := range []string{Inline(p.Got(lang)), Inline(p.Choice(lang))} {
		if detail != "" && canQuote(detail) {
			text += detail
		}
	}
	return text, true
}

// Explained joins the name of an argument and what is wrong with it, as the tools word that: "Units must be above zero" in English, and
// after a colon in Russian.
func Explained(lang, name, wrong string) string {
	if lang == "en" {
		return bilingual.Capital(name) + " " + wrong
	}
	return name + ": " + wrong
}
