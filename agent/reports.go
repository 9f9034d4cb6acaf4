package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/tools"
)

// wholeRows is the number of a report's rows that are stored for a conversation. All selections, sums and tables use
// them, even if the model has seen fewer.
const wholeRows = 5000

// storedResult is a result of an earlier turn, as stored in the session.
type storedResult struct {
	number int // the report's name is "R" and this number
	tools.Result
	encoded json.RawMessage
}

// resultsOf returns the conversation's results for an account, and the number of results in the whole session. Results
// are numbered across all accounts, so that their names stay the same when the account changes.
func (c conversation) resultsOf(accountID string) (results []storedResult, all int, err error) {
	all = c.earlierResults
	for _, m := range c.history {
		for _, encoded := range m.Results {
			all++
			s := storedResult{number: all, encoded: encoded}
			if err := json.Unmarshal(encoded, &s.Result); err != nil {
				return nil, 0, fmt.Errorf("read result %d of the session: %w", all, err)
			}
			if s.AccountID == accountID {
				results = append(results, s)
			}
		}
	}
	return results, all, nil
}

// openBook creates the book of reports that the answer can refer to.
func (r *run) openBook() error {
	earlier, all, err := r.conversation.resultsOf(r.account.ID)
	if err != nil {
		return err
	}
	r.book = reference.NewBook(r.lang, append(slices.Clone(r.Tools), reference.Calculate())...)
	r.earlierReports, err = addStoredReports(r.book, earlier, all)
	return err
}

// addStoredReports adds the reports of earlier turns to a book. all is the number of results in the session.
func addStoredReports(book *reference.Book, earlier []storedResult, all int) (reports []*reference.Report, err error) {
	book.Skip(all)
	for _, s := range earlier {
		report, err := book.AddStored(s.number, s.encoded, s.Arguments)
		if err != nil {
			return nil, fmt.Errorf("read result %d of the session: %w", s.number, err)
		}
		reports = append(reports, report)
	}
	return reports, nil
}

// WithReports returns a context in which the tool calculate can read the reports of a session. An id that is not in the
// form of our session ids is ignored. The tool's error wraps [ErrNotFound] if the session does not exist.
func (s *Store) WithReports(ctx context.Context, organizationID, id string) context.Context {
	if !IsSessionID(id) {
		return ctx
	}
	return reference.Within(ctx, func(ctx context.Context, accountID string) (*reference.Book, error) {
		if _, err := s.Get(ctx, organizationID, id); err != nil {
			return nil, err
		}
		recent, err := s.recent(ctx, organizationID, id, 0)
		if err != nil {
			return nil, err
		}
		earlier, all, err := conversation{history: recent.Messages, earlierResults: recent.EarlierResults}.resultsOf(accountID)
		if err != nil {
			return nil, err
		}
		book := reference.NewBook("en", reference.Calculate())
		_, err = addStoredReports(book, earlier, all)
		return book, err
	})
}
