package check

import "strings"

// InvalidError reports a request that is not valid. It lists all problems; nothing was changed.
type InvalidError struct{ Problems []*Problem }

// Invalid returns an error with the given problems.
func Invalid(problems ...*Problem) *InvalidError { return &InvalidError{problems} }

func (e *InvalidError) Error() string {
	texts := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		texts[i] = p.Error()
	}
	return strings.Join(texts, "; ")
}

// Add adds problems.
func (e *InvalidError) Add(problems ...*Problem) { e.Problems = append(e.Problems, problems...) }

// Require adds the problem if ok is false.
func (e *InvalidError) Require(ok bool, p *Problem) {
	if !ok {
		e.Add(p)
	}
}

// OrNil returns the error, or nil if it has no problems.
func (e *InvalidError) OrNil() error {
	if len(e.Problems) == 0 {
		return nil
	}
	return e
}

// Choices returns the valid names, for values that match no name or more than one.
func (e *InvalidError) Choices() (names []string) {
	for _, p := range e.Problems {
		names = append(names, p.choices...)
	}
	return names
}

// Names returns all names of the account that the problems mention, including the valid ones.
func (e *InvalidError) Names() []string {
	names := e.Choices()
	for _, p := range e.Problems {
		names = append(names, p.Wrong.Names()...)
	}
	return names
}
