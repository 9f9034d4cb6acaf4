package proxy

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/proxy/routing"
	"github.com/kopeck/kopeck/proxy/skim"
)

// api is an API whose requests can be passed through to models.
type api struct {
	path provider.Path
	// isForm means that a request is a form with a file.
	isForm bool
	// usageOnRequest means that a stream contains the usage only if the request asks for it.
	usageOnRequest bool
	// anyContent means that a response need not be JSON. It may be audio or text.
	anyContent bool
	// countsText means that tokens can be estimated from the length of texts.
	countsText bool
	// providerKind is the only kind of provider that has this API; empty if all kinds have it.
	providerKind string
	// endEvents are the types of events that end a stream. If empty, the stream ends with [DONE].
	endEvents []string
	// endsEach means that an end event ends one of the results that the request asks for, not the stream.
	endsEach bool
	// deferBy is the field that makes a provider answer later, under another address. The answer could not be fetched here,
	// and its use is not known when the request ends, so limits would not count it.
	deferBy string
}

// apis maps the end of a path to its API.
var apis = map[string]*api{
	"/chat/completions": {
		path:           provider.ChatCompletions,
		countsText:     true,
		usageOnRequest: true,
		deferBy:        "deferred", // xAI
	},
	"/completions":        {path: provider.Completions, countsText: true, usageOnRequest: true},
	"/embeddings":         {path: provider.Embeddings, countsText: true},
	"/moderations":        {path: provider.Moderations},
	"/images/generations": {path: provider.Images, endEvents: []string{"image_generation.completed"}, endsEach: true},
	"/audio/speech":       {path: provider.Speech, anyContent: true},
	"/audio/transcriptions": {
		path:       provider.Transcriptions,
		isForm:     true,
		anyContent: true,
		endEvents:  []string{"transcript.text.done"},
	},
	"/audio/translations": {path: provider.Translations, isForm: true, anyContent: true},
	"/responses": {
		path:       provider.Responses,
		countsText: true,
		endEvents:  []string{"response.completed", "response.incomplete", "response.failed", "error"},
		deferBy:    "background",
	},
	"/messages": {path: provider.Messages, countsText: true, providerKind: provider.Anthropic, endEvents: []string{"message_stop"}},
}

// apiFor returns the API of a route, or nil if its requests cannot be passed through.
func apiFor(ro *route) *api {
	for _, root := range roots {
		if rest, found := strings.CutPrefix(ro.path, root); found && ro.method == http.MethodPost && apis[rest] != nil {
			return apis[rest]
		}
	}
	return nil
}

// anthropic reports whether the API is Anthropic's.
func (a *api) anthropic() bool { return a != nil && a.providerKind == provider.Anthropic }

// errorFrame returns the frame that reports an error in a stream.
func (a *api) errorFrame(p *problem.Problem) []byte {
	switch a.path {
	case provider.Responses:
		return new(responseBuilder).failed(p)
	case provider.Messages:
		return encodeNamedFrame("error", p.Anthropic())
	}
	return encodeFrame(p.Body())
}

// acceptsRoute returns a function that reports whether a route's provider has the API. It returns nil if all providers have
// it.
func (a *api) acceptsRoute() func(*routing.Route) bool {
	if a.providerKind == "" {
		return nil
	}
	return func(r *routing.Route) bool { return r.Kind() == a.providerKind }
}

// isEnd reports whether an event ends its stream, or a result if endsEach is set.
func (a *api) isEnd(event []byte) bool {
	if len(event) < len("data: [DONE]\r\n\r\n")+1 && skim.IsDone(event) {
		return true
	}
	return len(a.endEvents) > 0 && slices.Contains(a.endEvents, skim.EventType(event))
}

// passThroughOnly handles the paths on which only pass-through models are available.
func (s *Server) passThroughOnly(ctx context.Context, r *request) (httpResponse, error) {
	if r.modelRequest != nil {
		return s.passThrough(ctx, r)
	}
	var body struct {
		Model string `json:"model"`
	}
	if err := r.decode(&body); err != nil {
		return httpResponse{}, err
	}
	if limitedName(body.Model) == agent.ModelName || strings.HasPrefix(body.Model, agent.ModelNameOver("")) {
		return httpResponse{}, problem.InvalidField("model",
			"must be a pass-through model: the agent answers only at /v1/chat/completions and /v1/responses")
	}
	return httpResponse{}, unknownModel(body.Model)
}
