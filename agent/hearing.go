package agent

import (
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/grounding"
	"github.com/kopeck/kopeck/schemas/openai"
)

// hearing takes in what the model says in one turn. With a gate, what passes is heard at once; without one, nothing
// before the end.
type hearing struct {
	gate *grounding.Gate
	stop openai.Strings
	text strings.Builder // up to the stop
	held string          // may be the beginning of a stop
	over bool            // a stop was met; the rest is not heard
}

// write takes the next part, and tells whether to go on.
func (h *hearing) write(part string) (more bool) {
	if h.over {
		return false
	}
	text := h.held + part
	at, held := h.find(text)
	if h.over = at >= 0; h.over {
		text, held = text[:at], 0
	}
	h.held = text[len(text)-held:]
	h.pass(text[:len(text)-held])
	return !h.over
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

func (h *hearing) pass(text string) {
	h.text.WriteString(text)
	if h.gate != nil {
		h.gate.Write(text)
	}
}

// end tells what did not pass. Of a text that was cut, by a stop or the limit, that is no problem.
func (h *hearing) end(cut bool) []grounding.Problem {
	h.pass(h.held)
	h.held = ""
	switch {
	case h.gate == nil:
		return nil
	case h.over || cut:
		h.gate.Cut()
		return nil
	}
	return h.gate.Close()
}

// response stands for that of a model that was not heard to the end.
func (h *hearing) response() *llms.ContentResponse {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: h.text.String(), StopReason: openai.FinishStop}}}
}
