// Package expression provides regular expressions that are compiled on first use. Compiling all of them at start would slow
// down every start and take memory.
package expression

import (
	"regexp"
	"sync"
)

// Expression is a regular expression that is compiled on first use. Its methods are those of [regexp.Regexp] with the
// same names.
type Expression struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

// Of returns an expression. The text must be valid, as for [regexp.MustCompile].
func Of(text string) *Expression { return &Expression{text: text} }

func (e *Expression) regexp() *regexp.Regexp {
	e.once.Do(func() { e.compiled = regexp.MustCompile(e.text) })
	return e.compiled
}

func (e *Expression) MatchString(s string) bool { return e.regexp().MatchString(s) }

func (e *Expression) FindStringIndex(s string) []int { return e.regexp().FindStringIndex(s) }

func (e *Expression) FindStringSubmatch(s string) []string { return e.regexp().FindStringSubmatch(s) }

func (e *Expression) FindStringSubmatchIndex(s string) []int {
	return e.regexp().FindStringSubmatchIndex(s)
}

func (e *Expression) FindAllStringIndex(s string, most int) [][]int {
	return e.regexp().FindAllStringIndex(s, most)
}

func (e *Expression) FindAllStringSubmatch(s string, most int) [][]string {
	return e.regexp().FindAllStringSubmatch(s, most)
}

func (e *Expression) ReplaceAllString(s, by string) string {
	return e.regexp().ReplaceAllString(s, by)
}
