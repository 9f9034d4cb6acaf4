package proxy

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/proxy/routing"
	"github.com/kopeck/kopeck/schemas/openai"
)

// modelRequest is a request that is passed through to a model. No agent or tool is involved.
type modelRequest struct {
	routedBody
	model       *models.Model
	api         *api
	contentType string // empty means JSON
}

// readModelRequest reads as much of the body as is needed to find the model and to count its use. It does not validate the
// body. It returns nil if the model is not a pass-through model.
func (s *Server) readModelRequest(body []byte, api *api) (*modelRequest, error) {
	set := s.cfg.Models.Set()
	if set.Empty() {
		return nil, nil
	}
	routed, bodyErr := readRoutedBody(body, api.deferBy)
	model := set.Find(routed.modelName)
	switch {
	case errors.Is(bodyErr, errNotObject):
		return nil, nil // the body's validation will report the error
	case errors.Is(bodyErr, errAmbiguous):
		return nil, invalid("The request has model, stream or stream_options twice, or not in lower case.",
			"Send each field once, in lower case.")
	case model == nil:
		return nil, nil
	case bodyErr != nil:
		return nil, bodyErr
	}
	return &modelRequest{routed, model, api, ""}, nil
}

// routeHeader names the route that responded.
const routeHeader = "X-Kopeck-Route"

// passThrough sends a request to the model that it names. It replaces the name of the model and masks this service's
// secrets, and changes nothing else. It returns the response unchanged, but without the usage at the end of a stream if the
// client did not ask for it.
func (s *Server) passThrough(ctx context.Context, r *request) (httpResponse, error) {
	m := r.modelRequest
	r.record.model = m.modelName
	accepts := m.api.acceptsRoute()
	if accepts != nil && !m.model.HasRoute(accepts) {
		return httpResponse{}, invalidField("model", "must be a model of a provider of kind %s, got %.80q", m.api.providerKind, m.modelName)
	}
	if m.secret || s.cfg.RefuseSecrets && !m.api.isForm && redact.ContainsOwnSecret(m.text) {
		return httpResponse{}, secretProblem()
	}
	admission, err := s.admitRequest(ctx, r, m.modelName, m.limitEstimate())
	if err != nil {
		return httpResponse{}, err
	}
	r.record.admitted, r.record.admission, r.record.prices = true, admission, m.model.Prices
	headers := r.passedHeaders()
	cached, key := s.findCached(r, headers)
	if cached != nil {
		return *cached, nil
	}
	reserve := s.bodyMemory.reserveMore(r)
	reply, err := m.model.Ask(ctx, accepts, func(to *routing.Route) provider.Call {
		return provider.Call{Path: m.api.path, ContentType: m.contentType, Headers: headers, Body: m.body(to),
			Streamed: m.stream, MustBeObject: !m.api.anyContent, Reserve: reserve, HeaderWait: s.cfg.Ping}
	})
	if err != nil {
		if provider.MayHaveAnswered(err) {
			r.record.lost, r.record.usage = true, m.lostUsage()
		}
		return httpResponse{}, providerProblem(err)
	}
	r.record.modelRoute, r.record.modelTries = reply.Route.Name, reply.Tries
	r.record.prices = m.model.RoutePrices(reply.Route.Name)
	if reply.Streamed() {
		return s.passStream(ctx, r, reply), nil
	}
	contentType, text := m.api.safeContentType(reply.ContentType()), reply.Route.WithoutSecrets(reply.Body())
	r.record.addUsage(usageIn(text))
	if r.record.usage == nil && m.api.countsText {
		r.record.usage = m.estimate(len(text) / bytesPerToken)
	}
	header := map[string]string{routeHeader: reply.Route.Name}
	if key != nil {
		header[cacheHeader] = "miss"
		s.storeCached(key, contentType, reply.Route, text)
	}
	return httpResponse{status: http.StatusOK, contentType: contentType, header: header, raw: text, bodyCloser: reply}, nil
}

// safeContentTypes are the allowed types of responses that need not be JSON, in addition to JSON and audio/*.
var safeContentTypes = []string{
	"application/octet-stream",
	"application/ogg",
	"application/x-subrip",
	"text/plain",
	"text/vtt",
}

// safeContentType returns the Content-Type to send for a response of the given type. It never returns one whose content
// browsers execute.
func (a *api) safeContentType(given string) string {
	media, _, err := mime.ParseMediaType(given)
	switch {
	case err == nil && media == "application/json",
		err == nil && a.anyContent && (slices.Contains(safeContentTypes, media) || strings.HasPrefix(media, "audio/")):
		return given
	case a.anyContent:
		return "application/octet-stream"
	}
	return "application/json"
}

// body returns the request's body as a route's provider must get it.
func (m *modelRequest) body(to *routing.Route) [][]byte {
	if m.api.isForm {
		return [][]byte{m.text[:m.modelAt.from], []byte(to.Client.Name), m.text[m.modelAt.to:]}
	}
	return m.providerParts(to.QuotedName, to.OldMaxTokens && m.api.path == provider.ChatCompletions, m.api.usageOnRequest)
}

// passedHeaders returns the headers of the request that belong to the provider's protocol.
func (r *request) passedHeaders() map[string]string {
	if r.api.path != provider.Messages {
		return nil
	}
	headers := map[string]string{}
	for _, name := range []string{"Anthropic-Version", "Anthropic-Beta"} {
		if value := r.fast.Request.Header.Peek(name); len(value) > 0 {
			headers[name] = string(value)
		}
	}
	return headers
}

// secretProblem refuses a request that contains a secret. It is used if the settings demand it, and for forms, which cannot
// be masked.
func secretProblem() *problem {
	return invalid("The request contains a key of this service or what looks like a MoySklad token.",
		"Remove it: it would be sent to the model's provider.")
}

// addUsage adds the usage in a response or event. Some providers report prompt tokens in the first event and completion
// tokens in the last.
func (r *record) addUsage(usage *openai.Usage) {
	if usage == nil {
		return
	}
	if r.usage != nil {
		usage.PromptTokens = max(usage.PromptTokens, r.usage.PromptTokens)
		usage.CompletionTokens = max(usage.CompletionTokens, r.usage.CompletionTokens)
		usage.CachedTokens = max(usage.CachedTokens, r.usage.CachedTokens)
		usage.TotalTokens = max(usage.TotalTokens, usage.PromptTokens+usage.CompletionTokens)
	}
	r.usage = usage
}

var usageKey = []byte(`"usage"`)

// usageIn returns the usage in a response or chunk. It returns nil if that does not count tokens: audio may be counted in
// seconds. It searches from the end, where the usage usually is.
func usageIn(text []byte) *openai.Usage {
	at := bytes.LastIndex(text, usageKey)
	if at < 0 {
		return nil
	}
	text, found := bytes.CutPrefix(bytes.TrimLeft(text[at+len(usageKey):], " \t\r\n"), []byte(":"))
	if !found {
		return nil
	}
	var usage openai.Usage
	counted := false
	cacheTokens := 0 // Anthropic does not include these in input_tokens
	_, complete := readObject(text, func(key, value byteRange) {
		n, err := provider.ParseTokens(value.slice(text))
		switch name := string(unquoted(key.slice(text))); {
		case name == "prompt_tokens_details", name == "input_tokens_details":
			usage.CachedTokens = cachedIn(value.slice(text))
		case err != nil: // not a number, such as an object with other details
		case name == "prompt_tokens", name == "input_tokens":
			usage.PromptTokens, counted = n, true
		case name == "completion_tokens", name == "output_tokens":
			usage.CompletionTokens, counted = n, true
		case name == "total_tokens":
			usage.TotalTokens = n
		case name == "cache_read_input_tokens":
			usage.CachedTokens = n
			cacheTokens += n
		case name == "cache_creation_input_tokens":
			cacheTokens += n
		}
	})
	if !complete || !counted {
		return nil
	}
	usage.PromptTokens += cacheTokens
	usage.CachedTokens = min(usage.CachedTokens, usage.PromptTokens)
	return &usage
}

// cachedIn returns the number of cached tokens in the details of the prompt's tokens.
func cachedIn(details []byte) (cached int) {
	readObject(details, func(key, value byteRange) {
		if string(unquoted(key.slice(details))) == "cached_tokens" {
			cached, _ = provider.ParseTokens(value.slice(details))
		}
	})
	return cached
}
