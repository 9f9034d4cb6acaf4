// Package evaluation checks the answers of a running service to questions about a simulated account. The right figures are
// computed by package truth, without the tools. README.md describes the questions.
package evaluation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/kopeck/kopeck/schemas/openai"
)

// Config configures an evaluation.
type Config struct {
	Books     *Books
	Questions []Question
	// Ask maps a number of accounts to what asks an organization that has as many. Its first account has the books.
	Ask map[int]Ask
	// ReadCounters reads the service's counters; nil means that they are unknown.
	ReadCounters func() (Counters, error)
	// OnOutcome is called after each turn; it may be nil.
	OnOutcome func(Outcome)
	Now       func() time.Time
}

// Ask sends a question to the service, and returns an answer with at least one choice. An empty session starts a conversation.
type Ask func(ctx context.Context, session, question string) (*openai.ChatCompletion, error)

// Counters are counters of the service, in total or for one answer.
type Counters struct {
	ModelCalls int `json:"model_calls"`
	Mended     int `json:"mended"` // references that the model has corrected
	Marked     int `json:"marked"` // references that the answer marks as not in the reports

	Causes map[string]int `json:"causes,omitempty"` // why references had to be corrected or marked
}

// add adds other multiplied by times. With -1 it subtracts other.
func (c *Counters) add(other Counters, times int) {
	c.ModelCalls += times * other.ModelCalls
	c.Mended += times * other.Mended
	c.Marked += times * other.Marked
	causes := maps.Clone(c.Causes)
	for cause, n := range other.Causes {
		if causes == nil {
			causes = map[string]int{}
		}
		if causes[cause] += times * n; causes[cause] == 0 {
			delete(causes, cause)
		}
	}
	c.Causes = causes
}

// Outcome is the result of one turn.
type Outcome struct {
	ID        string   `json:"id"`
	About     string   `json:"about"`
	Turn      int      `json:"turn"` // counted from 1
	Question  string   `json:"question"`
	Class     Class    `json:"class"`
	Why       []string `json:"why,omitempty"` // why the answer is not right
	Answer    string   `json:"answer"`
	TokensIn  int      `json:"tokens_in"`
	TokensOut int      `json:"tokens_out"`
	Seconds   float64  `json:"seconds"`
	Counters
}

// maxFailedTurns is how many turns in a row must fail to end an evaluation. The model is then unavailable, and further
// questions would fail too.
const maxFailedTurns = 3

// Run asks all questions in order. If a turn fails, the conversation ends.
func Run(ctx context.Context, c Config) ([]Outcome, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	var all []Outcome
	failed := 0
	for _, q := range c.Questions {
		session := ""
		for n, turn := range q.Turns {
			outcome, next, err := c.turn(ctx, c.Ask[max(1, q.Accounts)], session, q, turn)
			if err != nil {
				return all, fmt.Errorf("%s: %w", q.ID, err)
			}
			outcome.Turn = n + 1
			all, session = append(all, outcome), next
			if c.OnOutcome != nil {
				c.OnOutcome(outcome)
			}
			if outcome.Class != Failed {
				failed = 0
				continue
			}
			if failed++; failed == maxFailedTurns {
				return all, errors.New(outcome.Why[0])
			}
			break
		}
	}
	return all, nil
}

// check makes sure that the books have all figures of the questions, before a model is used that may cost money.
func (c Config) check() error {
	var wrong error
	for _, q := range c.Questions {
		if _, is := c.Ask[max(1, q.Accounts)]; !is {
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

// turn sends one message. An error of the answer is in the outcome. The returned error is one of the evaluation itself.
func (c Config) turn(ctx context.Context, ask Ask, session string, q Question, turn Turn) (Outcome, string, error) {
	outcome := Outcome{ID: q.ID, About: q.About}
	right, err := c.Books.expect(turn)
	if err == nil {
		outcome.Question, err = c.Books.fill(turn.Ask)
	}
	if err != nil {
		return outcome, session, err
	}
	before, err := c.counters()
	if err != nil {
		return outcome, session, err
	}
	began := c.Now()
	completion, failed := ask(ctx, session, outcome.Question)
	outcome.Seconds = c.Now().Sub(began).Seconds()
	if ctx.Err() != nil {
		return outcome, session, ctx.Err()
	}
	after, err := c.counters()
	if err != nil {
		return outcome, session, err
	}
	outcome.Counters = after
	outcome.Counters.add(before, -1)
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
	got := answerOf(completion)
	outcome.Answer = got.text
	outcome.Class, outcome.Why = right.classify(q.Lang, got)
	if outcome.Class == Right {
		outcome.Why = nil
	}
	return outcome, session, nil
}

func (c Config) counters() (Counters, error) {
	if c.ReadCounters == nil {
		return Counters{}, nil
	}
	return c.ReadCounters()
}
