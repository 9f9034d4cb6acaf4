package main

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
)

func TestPanickingBackgroundWorkIsRestarted(t *testing.T) {
	var log bytes.Buffer
	s := &service{log: slog.New(slog.NewJSONHandler(&log, nil))}
	tries := 0
	s.keepRunning(t.Context(), func(context.Context) {
		if tries++; tries < 3 {
			panic("unforeseen")
		}
	})
	if tries != 3 || strings.Count(log.String(), "unforeseen") != 2 || !strings.Contains(log.String(), "lasting_test.go") {
		t.Errorf("%d attempts; the log is %s", tries, log.String())
	}
}
