package agent

import (
	"context"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/schemas/openai"
)

// modelText receives the model's text of one turn, up to a stop sequence. With a writer the text is written as it
// comes; without one it is collected.
type modelText struct {
	writer  *answer.Writer
	stop    openai.Strings
	text    strings.Builder // up to the stop sequence
	pending string          // may be the beginning of a stop sequence
	stopped bool            // a stop sequence was reached; the rest is ignored
}

// write adds the next part and reports whether the model should continue.
func (h *modelText) write(ctx context.Context, part string) (more bool, err error) {
	if h.stopped {
		return false, nil
	}
	text := h.pending + part
	at, held := h.findStop(text)
	if h.stopped = at >= 0; h.stopped {
		text, held = text[:at], 0
	}
	h.pending = text[len(text)-held:]
	return !h.stopped, h.forward(ctx, text[:len(text)-held])
}

// findStop returns where the first stop sequence begins, or -1, and how many bytes at the end of text could begin one.
func (h *modelText) findStop(text string) (at, held int) {
	at = -1
	for _, stop := range h.stop {
		if stop == "" {
			continue
		}
		if i := strings.Index(text, stop); i >= 0 && (at < 0 || i < at) {
			at = i
		}
		for n := min(len(stop)-1, len(text)); n > held; n-- {
			if strings.HasSuffix(text, stop[:n]) {
				held = n
			}
		}
	}
	return at, held
}

func (h *modelText) forward(ctx context.Context, text string) error {
	h.text.WriteString(text)
	if h.writer == nil {
		return nil
	}
	return h.writer.Write(ctx, text)
}

// close writes the rest of the text. cut means that a token limit ended it.
func (h *modelText) close(ctx context.Context, cut bool) error {
	held := h.pending
	h.pending = ""
	if err := h.forward(ctx, held); err != nil || h.writer == nil {
		return err
	}
	return h.writer.Close(ctx, cut || h.stopped)
}

// hasText reports whether the model has written anything.
func (h *modelText) hasText() bool { return h.text.Len() > 0 || h.pending != "" }

// response replaces the model's response if it was cancelled.
func (h *modelText) response() *llms.ContentResponse {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: h.text.String(), StopReason: openai.FinishStop}}}
}
