package evaluation

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Question is a conversation of one or more turns.
type Question struct {
	ID       string `json:"id"`
	About    string `json:"about"`              // a tool or a difficulty; the table has a line for each
	Lang     string `json:"lang"`               // ru or en; says how numbers in the answer are read
	Accounts int    `json:"accounts,omitempty"` // how many accounts the organization has; 0 means one
	Turns    []Turn `json:"turns"`
}

// Turn is a message of the user, and what a right answer contains.
type Turn struct {
	Ask    string   `json:"ask"`              // each {expression} is replaced by its value in the books
	Want   Want     `json:"want,omitempty"`   // empty means [WantFigures]
	OrAsk  bool     `json:"or_ask,omitempty"` // asking a question is right too
	Show   []Figure `json:"show,omitempty"`   // all of these must appear
	Never  []Figure `json:"never,omitempty"`  // none of these may appear
	Say    []string `json:"say,omitempty"`    // one of these texts must appear, regardless of case
	Unsaid []string `json:"unsaid,omitempty"` // none of these texts may appear
}

// Want is what a right answer does.
type Want string

// A right answer shows figures, asks a question, or says that there are none.
const (
	WantFigures  Want = "figures"
	WantQuestion Want = "question"
	WantNothing  Want = "nothing"
)

// Figure is a number or a text from the books.
type Figure struct {
	Is     string `json:"is"`               // an expression
	Of     string `json:"of,omitempty"`     // an expression for a name, which must be in the same table row or paragraph
	Digits int    `json:"digits,omitempty"` // the answer may round to this many significant digits, not to fewer; 0 means two
}

// UnmarshalJSON reads an object, or a string with only the expression.
func (f *Figure) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &f.Is)
	}
	type fields Figure
	return decodeStrict(b, (*fields)(f))
}

//go:embed questions.jsonl
var standardQuestions []byte

// Standard returns the questions that come with the program.
func Standard() ([]Question, error) { return Read(bytes.NewReader(standardQuestions)) }

// Read reads one question per line. It ignores empty lines and lines that begin with #.
func Read(from io.Reader) ([]Question, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	var questions []Question
	seen := map[string]bool{}
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		var q Question
		err := decodeStrict(line, &q)
		if err == nil {
			err = q.check()
		}
		if err == nil && seen[q.ID] {
			err = fmt.Errorf("there are two questions %q", q.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		seen[q.ID] = true
		questions = append(questions, q)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(questions) == 0 {
		return nil, errors.New("there are no questions")
	}
	return questions, nil
}

func decodeStrict(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

func (q Question) check() error {
	switch {
	case q.ID == "" || q.About == "" || len(q.Turns) == 0:
		return errors.New("a question needs id, about and turns")
	case q.Lang != "ru" && q.Lang != "en":
		return fmt.Errorf("%s: lang is %q; allowed: ru, en", q.ID, q.Lang)
	case q.Accounts < 0 || q.Accounts > maxAccounts:
		return fmt.Errorf("%s: accounts is %d; allowed: 1 to %d", q.ID, q.Accounts, maxAccounts)
	}
	for _, turn := range q.Turns {
		switch turn.Want {
		case "", WantFigures:
			if len(turn.Show) == 0 {
				return fmt.Errorf("%s: a turn that wants figures must list them in show", q.ID)
			}
		case WantQuestion, WantNothing:
			if len(turn.Show) > 0 {
				return fmt.Errorf("%s: a turn that wants no figures must not list any in show", q.ID)
			}
		default:
			return fmt.Errorf("%s: want is %q; allowed: %s, %s, %s", q.ID, turn.Want, WantFigures, WantQuestion, WantNothing)
		}
		if turn.Ask == "" {
			return fmt.Errorf("%s: a turn has no question", q.ID)
		}
	}
	return nil
}

// maxAccounts is the most accounts that a question's organization can have.
const maxAccounts = 2
