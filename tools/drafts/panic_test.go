package drafts_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/drafts"
)

// lines receives log lines.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

func TestDraftSurvivesAPanicInItsAttempt(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	d := s.purchaseOrder()
	log, writers := make(lines, 10), 0
	upstreams := interrupted{s, func() {
		if writers++; writers == 2 { // the first one is for Confirm, the second for the attempt
			panic("unforeseen")
		}
	}}
	c := drafts.Creator{Store: s.store, Patience: time.Millisecond, Log: slog.New(slog.NewTextHandler(log, nil)), Upstreams: upstreams}
	if got, err := c.Confirm(t.Context(), s.who, d.ID, d.Digest); err != nil || got.State != drafts.Confirmed || got.Document != nil {
		t.Errorf("%+v, %v", got, err)
	}
	if line := <-log; !strings.Contains(line, "unforeseen") || !strings.Contains(line, "panic_test.go") {
		t.Errorf("log: %s", line)
	}
	if kept, err := s.store.Get(t.Context(), s.who.OrganizationID, d.ID); err != nil || kept.State != drafts.Confirmed {
		t.Errorf("the draft is %s, %v", kept.State, err)
	}
}
