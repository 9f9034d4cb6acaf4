package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/proxy/routing"
	"github.com/kopeck/kopeck/schemas/openai"
)

// modelRequest is a request that is passed through to a model, without agent or tools.
type modelRequest struct {
	chatBody
	to   *models.Model
	api  *api
	kind string // Content-Type; empty means JSON
}

// readModelRequest reads as much of the body as needed to find its model. It returns nil if the model is not passed
// through; the body is then not validated.
func (s *Server) readModelRequest(body []byte, at *api) (*modelRequest, error) {
	set := s.cfg.Models.Set()
	if set.Empty() {
		return nil, nil
	}
	chat, wrong := readChat(body)
	to := set.Find(chat.model)
	switch {
	case errors.Is(wrong, errNotObject):
		return nil, nil // validation will report it
	case errors.Is(wrong, errAmbiguous):
		return nil, invalid("The request says twice, or in other letters, what its model, stream or stream_options is.",
			"Say each once, in small letters.")
	case to == nil:
		return nil, nil
	case wrong != nil:
		return nil, wrong
	}
	return &modelRequest{chat, to, at, ""}, nil
}

// routeHeader names the route that responded.
const routeHeader = "X-Kopeck-Route"

// passThrough sends a request to the model that it names. It replaces the model's name and masks this service's secrets;
// everything else is passed on unchanged. The response is unchanged too, except for the usage at the end of a stream if the
// client did not ask for it.
func (s *Server) passThrough(ctx context.Context, r *request) (httpResponse, error) {
	chat := r.modelRequest
	r.record.model = chat.model
	at := chat.api
	suits := at.acceptsRoute()
	if suits != nil && !chat.to.HasRoute(suits) {
		return httpResponse{}, invalidFields(field{"model",
			fmt.Sprintf("must be a model of a provider of kind %s, got %.80q", at.providerKind, chat.model)})
	}
	if chat.secret || s.cfg.RefuseSecrets && !at.isForm && redact.ContainsOwnSecret(chat.text) {
		return httpResponse{}, secretProblem()
	}
	admission, err := s.admitRequest(ctx, r, chat.model, chat.limitEstimate())
	if err != nil {
		return httpResponse{}, err
	}
	r.record.admitted, r.record.admission, r.record.prices = true, admission, chat.to.Prices
	headers := r.passedHeaders(at)
	found, key := s.findCached(r, headers)
	if found != nil {
		return *found, nil
	}
	room := s.bodyMemory.reserveMore(r)
	reply, err := chat.to.Ask(ctx, suits, func(to *routing.Route) provider.Call {
		return provider.Call{Path: at.path, Kind: chat.kind, Headers: headers, Body: chat.body(to),
			Streamed: chat.stream, Object: !at.anyContent, Room: room, Within: s.cfg.Ping}
	})
	if err != nil {
		if provider.MayHaveAnswered(err) {
			r.record.lost, r.record.usage = true, chat.lostUsage()
		}
		return httpResponse{}, providerProblem(err)
	}
	r.record.modelRoute, r.record.modelTries = reply.Route.Name, reply.Tries
	r.record.prices = chat.to.RoutePrices(reply.Route)
	if reply.Streamed() {
		return s.passStream(ctx, r, reply), nil
	}
	kind, text := passedKind(at, reply.ContentType()), reply.Route.WithoutSecrets(reply.Body())
	r.record.addUsage(usageIn(text))
	if r.record.usage == nil && at.countsText {
		r.record.usage = chat.estimate(len(text) / bytesPerToken)
	}
	header := map[string]string{routeHeader: reply.Route.Name}
	if key != nil {
		header[cacheHeader] = "miss"
		s.storeCached(key, kind, reply.Route, text)
	}
	return httpResponse{status: http.StatusOK, kind: kind, header: header, raw: text, owner: reply}, nil
}

// passedKinds are the allowed Content-Types of responses that need not be JSON.
var passedKinds = []string{
	"application/json",
	"application/octet-stream",
	"application/ogg",
	"application/x-subrip",
	"text/plain",
	"text/vtt",
}

// passedKind returns the Content-Type of the response, which is never one that a browser runs.
func passedKind(at *api, kind string) string {
	media, _, err := mime.ParseMediaType(kind)
	switch {
	case err == nil && media == passedKinds[0],
		err == nil && at.anyContent && (slices.Contains(passedKinds, media) || strings.HasPrefix(media, "audio/")):
		return kind
	case at.anyContent:
		return "application/octet-stream"
	}
	return passedKinds[0]
}

// body returns the request's body for a route.
func (c *modelRequest) body(to *routing.Route) [][]byte {
	if c.api.isForm {
		return [][]byte{c.text[:c.modelAt.from], []byte(to.Plain.Name), c.text[c.modelAt.to:]}
	}
	return c.providerParts(to.Quoted, to.OldMaxTokens && c.api.path == provider.ChatCompletions, c.api.usageOnRequest)
}

// passedHeaders returns the request headers that are part of the provider's protocol.
func (r *request) passedHeaders(at *api) map[string]string {
	if at.path != provider.Messages {
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

// secretProblem refuses a request that contains a secret and cannot be masked: because of the settings, or because it is a
// form.
func secretProblem() *problem {
	return invalid("The request holds a key of this service, or what looks like a token of MoySklad.",
		"Take it out: it would go to the model's provider.")
}

// providerProblem maps a provider's error for a client that chose the model itself: it keeps the provider's status and
// code. If the provider refuses our key, the status is 502, so that the client does not blame its own key.
func providerProblem(err error) error {
	var refused *provider.Error
	if !errors.As(err, &refused) {
		return err
	}
	p := modelUnavailable()
	told := true // keep the provider's code
	switch status := refused.Status; status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity:
		p = modelRefused(refused)
		p.status = status
	case http.StatusRequestEntityTooLarge:
		p = newProblem(status, "REQUEST_TOO_LARGE", "The model's provider refuses the request: "+refused.Message, "Send less at once.")
	case http.StatusNotFound:
		p = newProblem(status, "NOT_FOUND", "The model's provider does not find what the request is about: "+refused.Message,
			"Check the names and ids in it.")
	case http.StatusTooManyRequests:
		p = newProblem(status, "RATE_LIMITED", "The model's provider takes no more requests for now: "+refused.Message,
			"Repeat the request later.")
	case http.StatusRequestTimeout:
		p.status = status
	default:
		told = false
	}
	if told {
		p.openAI = openai.Error{Type: refused.Type, Code: refused.Code}
		if refused.Param != "" {
			p.openAI.Param = &refused.Param
		}
	}
	p.retryAfter = refused.RetryAfter
	return p.withCause(err)
}

// addUsage adds the usage in a response or event. Some providers report the prompt's tokens in the first event and the
// completion's in the last.
func (r *record) addUsage(told *openai.Usage) {
	if told == nil {
		return
	}
	if r.usage != nil {
		told.PromptTokens = max(told.PromptTokens, r.usage.PromptTokens)
		told.CompletionTokens = max(told.CompletionTokens, r.usage.CompletionTokens)
		told.CachedTokens = max(told.CachedTokens, r.usage.CachedTokens)
		told.TotalTokens = max(told.TotalTokens, told.PromptTokens+told.CompletionTokens)
	}
	r.usage = told
}

var usageKey = []byte(`"usage"`)

// usageIn returns the usage in a response or chunk, where it is near the end, or nil.
func usageIn(text []byte) *openai.Usage {
	at := bytes.LastIndex(text, usageKey)
	if at < 0 {
		return nil
	}
	s := scanner{text: text, at: at + len(usageKey)}
	s.space()
	if !s.take(':') {
		return nil
	}
	s.space()
	if s.next() != '{' {
		return nil
	}
	var usage openai.Usage
	apart := 0 // prompt tokens that Anthropic does not include in the input
	whole := s.object(1, func(key, value span) {
		n, err := tokens(value.of(text))
		switch name := string(unquoted(key.of(text))); {
		case name == "prompt_tokens_details", name == "input_tokens_details":
			usage.CachedTokens = cachedIn(value.of(text))
		case err != nil: // other details, which are objects
		case name == "prompt_tokens", name == "input_tokens":
			usage.PromptTokens = n
		case name == "completion_tokens", name == "output_tokens":
			usage.CompletionTokens = n
		case name == "total_tokens":
			usage.TotalTokens = n
		case name == "cache_read_input_tokens":
			usage.CachedTokens = n
			apart += n
		case name == "cache_creation_input_tokens":
			apart += n
		}
	})
	if !whole {
		return nil
	}
	usage.PromptTokens += apart
	usage.CachedTokens = min(usage.CachedTokens, usage.PromptTokens)
	return &usage
}

// tokens parses a count. It rejects negative numbers, which would raise a budget, and numbers over four billion.
func tokens(text []byte) (int, error) {
	n, err := strconv.ParseUint(string(text), 10, 32)
	if err != nil {
		return 0, err
	}
	return int(n), nil
}

// cachedIn returns the number of cached tokens in the details of the prompt's tokens.
func cachedIn(details []byte) (cached int) {
	s := scanner{text: details}
	if s.next() != '{' {
		return 0
	}
	s.object(1, func(key, value span) {
		if string(unquoted(key.of(details))) == "cached_tokens" {
			cached, _ = tokens(value.of(details))
		}
	})
	return cached
}
