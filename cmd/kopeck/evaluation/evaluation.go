// Package evaluation asks a running service questions about a simulated account, and holds the figures of its answers
// against an independent computation from the same books. README.md describes the questions.
package evaluation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"
)

// Config is what an evaluation needs.
type Config struct {
	Books     *Books
	Questions []Question
	// Asked are the organizations by how many accounts each has. The first account of each has the books.
	Asked map[int]Organization
	// Work reads the service's counters. It may be nil: then nothing is known of them.
	Work func() (Work, error)
	// Done, if any, sees each turn when it is over.
	Done func(Outcome)
	Now  func() time.Time
}

// Work is what the service counts: of all answers since it began, or of one.
type Work struct {
	ModelCalls int `json:"model_calls"`
	Mended     int `json:"mended"` // references that the model wrote once more
	Marked     int `json:"marked"` // references that the text says are not in the reports

	Causes map[string]int `json:"causes,omitempty"` // why references had to be mended or marked
}

// add counts another's work too, as often as times says; -1 takes it away.
func (w *Work) add(other Work, times int) {
	w.ModelCalls += times * other.ModelCalls
	w.Mended += times * other.Mended
	w.Marked += times * other.Marked
	causes := maps.Clone(w.Causes)
	for cause, n := range other.Causes {
		if causes == nil {
			causes = map[string]int{}
		}
		if causes[cause] += times * n; causes[cause] == 0 {
			delete(causes, cause)
		}
	}
	w.Causes = causes
}

// Outcome is what became of one turn.
type Outcome struct {
	ID        string   `json:"id"`
	About     string   `json:"about"`
	Turn      int      `json:"turn"` // from 1
	Question  string   `json:"question"`
	Class     Class    `json:"class"`
	Why       []string `json:"why,omitempty"` // it is not right
	Answer    string   `json:"answer"`
	TokensIn  int      `json:"tokens_in"`
	TokensOut int      `json:"tokens_out"`
	Seconds   float64  `json:"seconds"`
	Work
}

// mostFailed turns in a row end an evaluation: the model is away, and further questions would fail too.
const mostFailed = 3

// Run asks all questions, one after another. A turn that fails ends its conversation.
func Run(ctx context.Context, c Config) ([]Outcome, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	var all []Outcome
	failed := 0
	for _, q := range c.Questions {
		session := ""
		for n, turn := range q.Turns {
			outcome, next, err := c.turn(ctx, c.Asked[max(1, q.Accounts)], session, q, turn)
			if err != nil {
				return all, fmt.Errorf("%s: %w", q.ID, err)
			}
			outcome.Turn = n + 1
			all, session = append(all, outcome), next
			if c.Done != nil {
				c.Done(outcome)
			}
			if outcome.Class != Failed {
				failed = 0
				continue
			}
			if failed++; failed == mostFailed {
				return all, errors.New(outcome.Why[0])
			}
			break
		}
	}
	return all, nil
}

// check sees that the books have what the questions need, before a model is asked, which may cost money.
func (c Config) check() error {
	var wrong error
	for _, q := range c.Questions {
		if _, is := c.Asked[max(1, q.Accounts)]; !is {
			wrong = errors.Join(wrong, fmt.Errorf("%s: no organization has %d accounts", q.ID, q.Accounts))
		}
		for _, turn := range q.Turns {
			_, err := c.Books.expect(turn)
			if err == nil {
				_, err = c.Books.fill(turn.Ask)
			}
			if err != nil {
				wrong = errors.Join(wrong, fmt.Errorf("%s: %w", q.ID, err))
			}
		}
	}
	return wrong
}

// turn asks one message. The error is of the evaluation itself; that of an answer is in the outcome.
func (c Config) turn(ctx context.Context, o Organization, session string, q Question, turn Turn) (Outcome, string, error) {
	outcome := Outcome{ID: q.ID, About: q.About}
	right, err := c.Books.expect(turn)
	if err == nil {
		outcome.Question, err = c.Books.fill(turn.Ask)
	}
	if err != nil {
		return outcome, session, err
	}
	before, err := c.work()
	if err != nil {
		return outcome, session, err
	}
	began := c.Now()
	completion, failed := o.ask(ctx, session, outcome.Question)
	outcome.Seconds = c.Now().Sub(began).Seconds()
	if ctx.Err() != nil {
		return outcome, session, ctx.Err()
	}
	after, err := c.work()
	if err != nil {
		return outcome, session, err
	}
	outcome.Work = after
	outcome.Work.add(before, -1)
	if failed != nil {
		outcome.Class, outcome.Why = Failed, []string{failed.Error()}
		return outcome, session, nil
	}
	if usage := completion.Usage; usage != nil {
		outcome.TokensIn, outcome.TokensOut = usage.PromptTokens, usage.CompletionTokens
	}
	if completion.Kopeck != nil {
		session = completion.Kopeck.SessionID
	}
	said := answerOf(completion)
	outcome.Answer = said.text
	outcome.Class, outcome.Why = right.judge(q.Lang, said)
	if outcome.Class == Right {
		outcome.Why = nil
	}
	return outcome, session, nil
}

func (c Config) work() (Work, error) {
	if c.Work == nil {
		return Work{}, nil
	}
	return c.Work()
}
