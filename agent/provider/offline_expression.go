package provider

import (
	"regexp"
	"sync"
)

// expression is a regular expression that is compiled when it is first used. The offline model has forty, which would cost
// every start six milliseconds and two megabytes, and most servers never ask it.
type expression struct{ compiled func() *regexp.Regexp }

func express(text string) *expression {
	return &expression{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

func (e *expression) MatchString(s string) bool { return e.compiled().MatchString(s) }

func (e *expression) FindString(s string) string { return e.compiled().FindString(s) }

func (e *expression) FindStringSubmatch(s string) []string { return e.compiled().FindStringSubmatch(s) }

func (e *expression) FindStringSubmatchIndex(s string) []int {
	return e.compiled().FindStringSubmatchIndex(s)
}

func (e *expression) ReplaceAllString(s, by string) string {
	return e.compiled().ReplaceAllString(s, by)
}

func (e *expression) Split(s string, most int) []string { return e.compiled().Split(s, most) }
