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

// Question is a conversation of one turn or several, which begins anew.
type Question struct {
	ID       string `json:"id"`
	About    string `json:"about"`              // a tool, or what is hard in it: the table has a line for each
	Lang     string `json:"lang"`               // ru or en: how numbers are read in the answers
	Accounts int    `json:"accounts,omitempty"` // how many the organization has; 0 is one
	Turns    []Turn `json:"turns"`
}

// Turn is a message of the user and what a right answer to it has.
type Turn struct {
	Ask    string   `json:"ask"`              // {expression} stands for a text of the books
	Want   Want     `json:"want,omitempty"`   // empty is [WantFigures]
	OrAsk  bool     `json:"or_ask,omitempty"` // asking back is right too
	Show   []Figure `json:"show,omitempty"`   // all of these must stand there
	Never  []Figure `json:"never,omitempty"`  // none of these may
	Say    []string `json:"say,omitempty"`    // one of these texts must, in any case of letters
	Unsaid []string `json:"unsaid,omitempty"` // none of these texts may
}

// Want is what a right answer is.
type Want string

// What a right answer is: it shows figures, asks back, or says that there are none to show.
const (
	WantFigures  Want = "figures"
	WantQuestion Want = "question"
	WantNothing  Want = "nothing"
)

// Figure is a number or a text of the books.
type Figure struct {
	Is     string `json:"is"`               // an expression over the books
	Of     string `json:"of,omitempty"`     // an expression for the name that must stand with it, in its row or paragraph
	Digits int    `json:"digits,omitempty"` // it may be rounded to so many digits, not to fewer; 0 is two
}

// UnmarshalJSON reads a text as the figure that it is.
func (f *Figure) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &f.Is)
	}
	type fields Figure
	return strictly(b, (*fields)(f))
}

//go:embed questions.jsonl
var usual []byte

// Usual are the questions that come with the program.
func Usual() ([]Question, error) { return Read(bytes.NewReader(usual)) }

// Read reads questions, one a line. Empty lines and those that begin with # are left out.
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
		err := strictly(line, &q)
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

func strictly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

func (q Question) check() error {
	switch {
	case q.ID == "" || q.About == "" || len(q.Turns) == 0:
		return errors.New("a question has an id, what it is about, and turns")
	case q.Lang != "ru" && q.Lang != "en":
		return fmt.Errorf("%s: lang is %q; allowed: ru, en", q.ID, q.Lang)
	case q.Accounts < 0 || q.Accounts > mostAccounts:
		return fmt.Errorf("%s: accounts is %d; allowed: 1 to %d", q.ID, q.Accounts, mostAccounts)
	}
	for _, turn := range q.Turns {
		switch turn.Want {
		case "", WantFigures:
			if len(turn.Show) == 0 {
				return fmt.Errorf("%s: a turn that wants figures has none to show", q.ID)
			}
		case WantQuestion, WantNothing:
			if len(turn.Show) > 0 {
				return fmt.Errorf("%s: a turn that wants no figures has some to show", q.ID)
			}
		default:
			return fmt.Errorf("%s: want is %q; allowed: %s, %s, %s", q.ID, turn.Want, WantFigures, WantQuestion, WantNothing)
		}
		if turn.Ask == "" {
			return fmt.Errorf("%s: a turn asks nothing", q.ID)
		}
	}
	return nil
}

// mostAccounts of an organization that can be asked.
const mostAccounts = 2
