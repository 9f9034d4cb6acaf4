package caught_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas/caught"
)

func TestPanicInGroupIsItsErrorAndCancelsTheOthers(t *testing.T) {
	group, ctx := caught.WithContext(t.Context())
	group.Go(func() error { panic("unforeseen") })
	group.Go(func() error {
		<-ctx.Done()
		return ctx.Err()
	})
	var defect *caught.Defect
	if err := group.Wait(); !errors.As(err, &defect) || defect.Panic != "unforeseen" || !strings.Contains(string(defect.Stack), "caught_test.go") {
		t.Errorf("%v", err)
	}
}

func TestPanicIsLoggedWithStack(t *testing.T) {
	var log bytes.Buffer
	to := slog.New(slog.NewTextHandler(&log, nil))
	if caught.Logged(to, "nothing", func() {}) || log.Len() > 0 {
		t.Errorf("without a panic: %s", log.String())
	}
	if !caught.Logged(to, "the work", func() { panic("unforeseen") }) || !strings.Contains(log.String(), "the work panicked") ||
		!strings.Contains(log.String(), "unforeseen") || !strings.Contains(log.String(), "caught_test.go") {
		t.Errorf("%s", log.String())
	}
}
