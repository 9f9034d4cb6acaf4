package agent

import (
	"context"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/schemas/openai"
)

// modelText receives the model's text of one step, up to a stop sequence. With a writer it passes the text on as it
// comes; without one it collects it.
type modelText struct {
	writer  *answer.Writer
	stop    openai.Strings
	text    strings.Builder // up to the stop sequence
	pending string          // may be the beginning of a stop sequence
	stopped bool            // a stop sequence was reached; the rest is ignored
}

// write adds the next part and reports whether the model should continue.
func (m *modelText) write(ctx context.Context, part string) (more bool, err error) {
	if m.stopped {
		return false, nil
	}
	text := m.pending + part
	at, pending := m.findStop(text)
	if m.stopped = at >= 0; m.stopped {
		text, pending = text[:at], 0
	}
	m.pending = text[len(text)-pending:]
	return !m.stopped, m.forward(ctx, text[:len(text)-pending])
}

// findStop returns where the first stop sequence begins, or -1, and how many bytes at the end of text could begin one.
func (m *modelText) findStop(text string) (at, pending int) {
	at = -1
	for _, stop := range m.stop {
		if stop == "" {
			continue
		}
		if i := strings.Index(text, stop); i >= 0 && (at < 0 || i < at) {
			at = i
		}
		for n := min(len(stop)-1, len(text)); n > pending; n-- {
			if strings.HasSuffix(text, stop[:n]) {
				pending = n
			}
		}
	}
	return at, pending
}

func (m *modelText) forward(ctx context.Context, text string) error {
	m.text.WriteString(text)
	if m.writer == nil {
		return nil
	}
	return m.writer.Write(ctx, text)
}

// close writes the rest of the text. cut means that a token limit ended it.
func (m *modelText) close(ctx context.Context, cut bool) error {
	pending := m.pending
	m.pending = ""
	if err := m.forward(ctx, pending); err != nil || m.writer == nil {
		return err
	}
	return m.writer.Close(ctx, cut || m.stopped)
}

func (m *modelText) hasText() bool { return m.text.Len() > 0 || m.pending != "" }

// response stands in for the model's response if the request was cancelled.
func (m *modelText) response() *llms.ContentResponse {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: m.text.String(), StopReason: openai.FinishStop}}}
}
