package agent

import (
	"cmp"
	"encoding/json"
	"errors"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/encoded"
	"github.com/kopeck/kopeck/tools"
)

// toolProblem is the error of a call as the model gets it.
type toolProblem struct {
	Message string         `json:"message"`
	Fields  []fieldProblem `json:"fields,omitempty"`
}

// fieldProblem describes a wrong argument in the language of the conversation. If a name matches nothing or several
// things, the model should ask the user; Candidates are the names to choose from.
type fieldProblem struct {
	Field      string   `json:"field"`
	Problem    string   `json:"problem"`
	Fits       string   `json:"fits,omitempty"` // "none" or "several"
	Candidates []string `json:"candidates,omitempty"`
}

// errorForModel encodes the error of a call so that the model can correct the call. userText, if not empty, is the
// explanation that the user sees and replaces the error's own text.
func errorForModel(err error, lang, userText string) string {
	const most = 600
	problem := toolProblem{Message: cmp.Or(userText, err.Error())}
	if runes := []rune(problem.Message); len(runes) > most {
		problem.Message = string(runes[:most]) + "…"
	}
	if arguments, is := errors.AsType[*check.InvalidError](err); is {
		for _, p := range arguments.Problems {
			problem.Fields = append(problem.Fields, fieldProblem{p.Field, p.Wrong.In(lang) + p.Got(lang), tools.NameMatches(p), p.Choices()})
		}
	}
	return string(encoded.JSON(map[string]toolProblem{"error": problem}))
}

// isToolError reports whether the result of a call is an error of ours. Such errors can repeat the model's own words,
// for instance the name of an unknown tool.
func isToolError(content string) bool {
	var answer struct{ Error *toolProblem }
	return json.Unmarshal([]byte(content), &answer) == nil && answer.Error != nil && answer.Error.Message != ""
}
