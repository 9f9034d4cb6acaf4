package webhooks

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

type panicking struct{}

func (panicking) RoundTrip(*http.Request) (*http.Response, error) { panic("unforeseen") }

func TestPanickingDeliveryIsRetried(t *testing.T) {
	o := open(t, databasetest.SQLite(t))
	w, _ := o.webhook()
	o.draft(o.who)
	var log bytes.Buffer
	s := NewSender(o.store, o.keys, o.drafts, slog.New(slog.NewTextHandler(&log, nil)))
	whole := s.http
	s.http = &http.Client{Transport: panicking{}}
	o.must(s.SendDue(t.Context()))
	if !strings.Contains(log.String(), "unforeseen") {
		t.Errorf("log: %s", log.String())
	}
	s.http = whole
	o.clock.Advance(lease + 1)
	o.must(s.SendDue(t.Context()))
	if d := o.only(w); d.State != Delivered {
		t.Errorf("%+v", d)
	}
}
