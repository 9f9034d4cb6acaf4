package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/tools"
)

// wholeRows is how many rows of a report the service keeps for a conversation: every selection, sum and table is made
// from them, whatever part the model has been shown.
const wholeRows = 5000

// stored is a report of an earlier turn, as the session keeps it.
type stored struct {
	number int // its name is R and this number
	tools.Result
	encoded json.RawMessage
}

// reports are the results about an account that the conversation rests on so far, and how many results the session has in
// all. A result's number is its place among all of them, so its name stays when the conversation turns to another account.
func (c conversation) reports(accountID string) (about []stored, all int, err error) {
	all = c.earlier
	for _, m := range c.before {
		for _, encoded := range m.Results {
			all++
			s := stored{number: all, encoded: encoded}
			if err := json.Unmarshal(encoded, &s.Result); err != nil {
				return nil, 0, fmt.Errorf("read result %d of the session: %w", all, err)
			}
			if s.AccountID == accountID {
				about = append(about, s)
			}
		}
	}
	return about, all, nil
}

// openBook makes the book that the answer's references are read in: the reports of the conversation under their names.
func (r *run) openBook() error {
	earlier, all, err := r.asked.reports(r.account.ID)
	if err != nil {
		return err
	}
	r.book = reference.NewBook(r.lang, append(slices.Clone(r.Tools), reference.Calculate())...)
	r.earlier, err = fill(r.book, earlier, all)
	return err
}

// fill puts reports of earlier turns into a book, of a session that has so many in all.
func fill(book *reference.Book, earlier []stored, all int) (reports []*reference.Report, err error) {
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

// Within is a context in which the tool calculate has the reports of an organization's session. An id that is not of the form
// of a session's is ignored. An error wraps [ErrNotFound] where there is no such session.
func (s *Store) Within(ctx context.Context, organizationID, id string) context.Context {
	if !IsSessionID(id) {
		return ctx
	}
	return reference.Within(ctx, func(ctx context.Context, accountID string) (*reference.Book, error) {
		if _, err := s.Get(ctx, organizationID, id); err != nil {
			return nil, err
		}
		recent, err := s.Recent(ctx, organizationID, id, 0)
		if err != nil {
			return nil, err
		}
		earlier, all, err := conversation{before: recent.Messages, earlier: recent.Earlier}.reports(accountID)
		if err != nil {
			return nil, err
		}
		book := reference.NewBook("en", reference.Calculate())
		_, err = fill(book, earlier, all)
		return book, err
	})
}
