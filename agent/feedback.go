package agent

import (
	"cmp"
	"encoding/json"
	"errors"

	"github.com/kopeck/kopeck/tools"
)

// toolProblem is what the model reads of a call that went wrong.
type toolProblem struct {
	Message string         `json:"message"`
	Fields  []fieldProblem `json:"fields,omitempty"`
}

// fieldProblem is what is wrong with one argument, in the language of the conversation. Where a name fits none or several,
// the user is to be asked what is meant; candidates are the names that there are.
type fieldProblem struct {
	Field      string   `json:"field"`
	Problem    string   `json:"problem"`
	Fits       string   `json:"fits,omitempty"` // "none" or "several"
	Candidates []string `json:"candidates,omitempty"`
}

// problemForModel tells the model what was wrong with a call so that it can call better. forUser, where there is one, says
// why the books could not be read, in the words that the user reads.
func problemForModel(err error, lang, forUser string) string {
	const most = 600
	problem := toolProblem{Message: cmp.Or(forUser, err.Error())}
	if runes := []rune(problem.Message); len(runes) > most {
		problem.Message = string(runes[:most]) + "…"
	}
	var arguments *tools.ArgumentError
	if errors.As(err, &arguments) {
		for _, p := range arguments.Problems {
			problem.Fields = append(problem.Fields, fieldProblem{p.Field, p.Wrong.In(lang) + p.Got(lang), tools.Fits(p), p.Choices()})
		}
	}
	text, err := json.Marshal(map[string]toolProblem{"error": problem})
	if err != nil {
		panic(err) // texts always encode
	}
	return string(text)
}

// answeredHere reports whether the answer to a call is one of the service's own problems: the model has its words in some,
// such as the names of tools that there are not.
func answeredHere(content string) bool {
	var answer struct{ Error *toolProblem }
	return json.Unmarshal([]byte(content), &answer) == nil && answer.Error != nil && answer.Error.Message != ""
}
