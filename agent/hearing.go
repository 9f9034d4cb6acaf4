package agent

import (
	"context"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/schemas/openai"
)

// hearing takes in what the model says in one turn. With a writer it is written as it comes; without one it is kept for
// the end.
type hearing struct {
	writer *answer.Writer
	stop   openai.Strings
	text   strings.Builder // up to the stop
	held   string          // may be the beginning of a stop
	over   bool            // a stop was met; the rest is not heard
}

// write takes the next part, and tells whether to go on.
func (h *hearing) write(ctx context.Context, part string) (more bool, err error) {
	if h.over {
		return false, nil
	}
	text := h.held + part
	at, held := h.find(text)
	if h.over = at >= 0; h.over {
		text, held = text[:at], 0
	}
	h.held = text[len(text)-held:]
	return !h.over, h.pass(ctx, text[:len(text)-held])
}

// find is where the first stop begins in a text, negative for none, and how much of its end a stop may begin with.
func (h *hearing) find(text string) (at, held int) {
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

func (h *hearing) pass(ctx context.Context, text string) error {
	h.text.WriteString(text)
	if h.writer == nil {
		return nil
	}
	return h.writer.Write(ctx, text)
}

// end ends the text; cut tells that a limit ended it.
func (h *hearing) end(ctx context.Context, cut bool) error {
	held := h.held
	h.held = ""
	if err := h.pass(ctx, held); err != nil || h.writer == nil {
		return err
	}
	return h.writer.Close(ctx, cut || h.over)
}

// heard tells whether the model has said anything.
func (h *hearing) heard() bool { return h.text.Len() > 0 || h.held != "" }

// response stands for that of a model that was not heard to the end.
func (h *hearing) response() *llms.ContentResponse {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: h.text.String(), StopReason: openai.FinishStop}}}
}
