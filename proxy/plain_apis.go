package proxy

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/routing"
	"github.com/kopeck/kopeck/schemas/openai"
)

// api is one of the addresses at which requests are passed on to the models that they name.
type api struct {
	path provider.Path
	// form tells that requests are forms with a file.
	form bool
	// asks tells that a stream has its usage only if it is asked for it.
	asks bool
	// free tells that answers need be no JSON: sounds, and texts of several formats.
	free bool
	// text tells that tokens can be estimated by the length of what is asked and answered.
	text bool
	// kind is of the providers that have the address; empty is all.
	kind string
	// last are the types of the events that end a stream; none: it ends with [DONE].
	last []string
	// failed is the frame that reports an error in a stream.
	failed func(*problem) []byte
}

func frameOf(p *problem) []byte { return frame(p.body()) }

// apis are by the end of their addresses.
var apis = map[string]*api{
	"/chat/completions":   {path: provider.ChatCompletions, text: true, asks: true, failed: frameOf},
	"/completions":        {path: provider.Completions, text: true, asks: true, failed: frameOf},
	"/embeddings":         {path: provider.Embeddings, text: true, failed: frameOf},
	"/moderations":        {path: provider.Moderations, failed: frameOf},
	"/images/generations": {path: provider.Images, last: []string{"image_generation.completed"}, failed: frameOf},
	"/audio/speech":       {path: provider.Speech, free: true, failed: frameOf},
	"/audio/transcriptions": {
		path:   provider.Transcriptions,
		form:   true,
		free:   true,
		last:   []string{"transcript.text.done"},
		failed: frameOf,
	},
	"/audio/translations": {path: provider.Translations, form: true, free: true, failed: frameOf},
	"/responses": {
		path:   provider.Responses,
		text:   true,
		last:   []string{"response.completed", "response.incomplete", "response.failed", "error"},
		failed: func(p *problem) []byte { return new(response).failed(p) },
	},
	"/messages": {path: provider.Messages, text: true, kind: provider.Anthropic, last: []string{"message_stop"},
		failed: func(p *problem) []byte { return named("error", anthropicFailure(p)) }},
}

// apiOf is what a route passes on; nil if it passes nothing.
func apiOf(ro *route) *api {
	for _, root := range roots {
		if rest, is := strings.CutPrefix(ro.path, root); is && ro.method == http.MethodPost && apis[rest] != nil {
			return apis[rest]
		}
	}
	return nil
}

// anthropic tells that clients speak Anthropic's protocol here.
func (a *api) anthropic() bool { return a != nil && a.kind == provider.Anthropic }

// suits tells the routes whose provider has the address.
func (a *api) suits() func(*routing.Route) bool {
	if a.kind == "" {
		return nil
	}
	return func(r *routing.Route) bool { return r.Kind() == a.kind }
}

// ends tells whether an event is the last of its stream.
func (a *api) ends(event []byte) bool {
	if len(event) < len("data: [DONE]\r\n\r\n")+1 && isDone(event) {
		return true
	}
	return len(a.last) > 0 && slices.Contains(a.last, typeOf(event))
}

var typeKey = []byte(`"type"`)

// typeOf is the type that an event has: its name, or what its data say first.
func typeOf(event []byte) string {
	if name, is := bytes.CutPrefix(event, []byte("event:")); is {
		name, _, _ = bytes.Cut(name, []byte("\n"))
		return string(bytes.TrimSpace(name))
	}
	_, after, _ := bytes.Cut(event, typeKey)
	after, colon := bytes.CutPrefix(bytes.TrimLeft(after, " "), []byte(":"))
	after, quote := bytes.CutPrefix(bytes.TrimLeft(after, " "), []byte(`"`))
	if name, _, closed := bytes.Cut(after, []byte(`"`)); colon && quote && closed {
		return string(name)
	}
	return ""
}

// passOnly answers at an address that has nothing but models which are passed through.
func (s *Server) passOnly(ctx context.Context, r *request) (answer, error) {
	if r.plain != nil {
		return s.pass(ctx, r)
	}
	var asked struct {
		Model string `json:"model"`
	}
	if err := r.into(&asked); err != nil {
		return answer{}, err
	}
	if asked.Model == agent.ModelName || asked.Model == agent.ModelNameAlias || strings.HasPrefix(asked.Model, agent.Over("")) {
		return answer{}, invalidFields(field{"model",
			"must be a model that is passed through: the agent answers at /v1/chat/completions and /v1/responses"})
	}
	return answer{}, unknownModel(asked.Model)
}

func unknownModel(name string) error {
	return fmt.Errorf("model %.80q: %w", name, agent.ErrUnknownModel)
}

// anthropicError is an error as Anthropic's clients read it, with ours beside it.
type anthropicError struct {
	Type   string       `json:"type"`
	Error  openai.Error `json:"error"`
	Detail detail       `json:"detail"`
}

func anthropicFailure(p *problem) anthropicError {
	body := p.body()
	switch {
	case p.said.Type != "":
	case p.status == http.StatusNotFound:
		body.Error.Type = "not_found_error"
	case p.status == http.StatusRequestEntityTooLarge:
		body.Error.Type = "request_too_large"
	case p.status >= http.StatusInternalServerError:
		body.Error.Type = "api_error"
	}
	return anthropicError{"error", body.Error, body.Detail}
}
