package agent

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/openai"
)

// callOf tells a call of a tool from those with other arguments.
func callOf(call openai.ToolCall) string { return call.Function.Name + call.Function.Arguments }

// notRead keeps what the user is told of a call that could not read the books; empty where the call itself was wrong.
func (r *run) notRead(call openai.ToolCall, err error) string {
	why := unread(err, r.lang)
	if why == "" {
		return ""
	}
	why = fmt.Sprintf(ofTool[r.lang], render.Name(r.lang, call.Function.Name), why)
	r.unread[callOf(call)] = why
	return why
}

var ofTool = map[string]string{"ru": "«%s»: %s", "en": "“%s”: %s"}

// sayUnread says which parts of the answer are missing: without it, what could be read would pass for the whole.
func (r *run) sayUnread() error {
	for _, call := range slices.Sorted(maps.Keys(r.unread)) {
		if err := r.sayOnce(r.unread[call]); err != nil {
			return err
		}
	}
	return nil
}
